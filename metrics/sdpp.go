package metrics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// SDPP returns the relative spread of a posterior probability over data orders (paper, eq:inv_metric): the
// population standard deviation of exp(logProbs) divided by its mean.
//
// logProbs [R] holds log p(c|x) in nats of the same labeling in R orders. The ratio does not change when all
// probabilities are scaled, so the largest is scaled to 1 and nothing overflows or all underflows. A perfectly
// order-invariant model gives 0; one order that outweighs all others gives the ceiling √(R−1). An entry may be −Inf
// (probability 0) as long as one is not. It returns ErrTooFew if R < 2 and ErrNotFinite for NaN, +Inf or only −Inf.
func SDPP(logProbs []float64) (float64, error) {
	if len(logProbs) < 2 {
		return 0, fmt.Errorf("SDPP of %d orders, need 2: %w", len(logProbs), ErrTooFew)
	}
	for r, v := range logProbs {
		if math.IsNaN(v) || math.IsInf(v, 1) {
			return 0, fmt.Errorf("log-probability of order %d is %v: %w", r, v, ErrNotFinite)
		}
	}
	top := floats.Max(logProbs)
	if math.IsInf(top, -1) {
		return 0, fmt.Errorf("every order has probability 0: %w", ErrNotFinite)
	}
	// Deviations are taken on exp(v) − 1: for nearly equal logs they keep the digits that exp rounds away.
	count := float64(len(logProbs))
	mean, offset := 0.0, 0.0 // of p/p_max and of p/p_max − 1
	for _, v := range logProbs {
		mean += math.Exp(v-top) / count
		offset += math.Expm1(v-top) / count
	}
	variance := 0.0
	for _, v := range logProbs {
		variance += square(math.Expm1(v-top)-offset) / count
	}
	return min(math.Sqrt(variance)/mean, math.Sqrt(count-1)), nil
}
