package augment

import (
	"fmt"
	"math"

	"github.com/gfncp/gfncp/internal/usererr"
)

// faultList gathers the faults of a configuration.
type faultList []error

// demand adds a fault unless ok: the setting key has this value and must be as bound says.
func (f *faultList) demand(ok bool, key string, value float64, bound string) {
	if !ok {
		*f = append(*f, usererr.New(fmt.Sprintf("set %s to %s", key, bound), "%s is %v", key, value))
	}
}

// probability reports whether p lies in 0..1; NaN does not.
func probability(p float64) bool { return p >= 0 && p <= 1 }

// finite reports whether v is neither infinite nor NaN.
func finite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }
