package augment

import "math"

// probability reports whether p lies in 0..1; NaN does not.
func probability(p float64) bool { return p >= 0 && p <= 1 }

// finite reports whether v is neither infinite nor NaN.
func finite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }
