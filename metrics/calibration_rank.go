package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// SBCRank returns the rank statistic of simulation-based calibration (Talts et al. 2018): how many of the L posterior
// draws of a quantity are below its true value, 0..L. Draws equal to the truth, common for whole-number quantities such
// as K, count as below or not by a uniform draw from rng, which keeps the rank uniform (Modrák et al. 2023).
//
// If the true value comes from the prior, the data from the model given it, and the draws are independent draws from the
// exact posterior of these data, the rank is uniform on 0..L. It returns ErrTooFew for no draws, ErrNotFinite for NaN.
func SBCRank(rng *rand.Rand, truth float64, draws []float64) (int, error) {
	if len(draws) == 0 {
		return 0, fmt.Errorf("rank among no draws: %w", ErrTooFew)
	}
	if math.IsNaN(truth) {
		return 0, fmt.Errorf("rank of NaN: %w", ErrNotFinite)
	}
	below, equal := 0, 0
	for i, v := range draws {
		switch {
		case math.IsNaN(v):
			return 0, fmt.Errorf("draw %d is NaN: %w", i, ErrNotFinite)
		case v < truth:
			below++
		case v == truth:
			equal++
		}
	}
	return below + rng.IntN(equal+1), nil
}

// RankChiSquared tests whether ranks [M], each in 0..draws, are uniform (Pearson's χ²). The draws+1 values are put into
// bins of as equal a number of values as can be; the expected count of a bin is M times its share of the values.
//
// statistic has, if the ranks are uniform, about a χ² law with bins−1 degrees of freedom, good from five expected a bin;
// p is the probability of one at least as large. It returns ErrTooFew for no ranks or unless 2 ≤ bins ≤ draws+1,
// ErrNotFinite for a rank out of range.
func RankChiSquared(ranks []int, draws, bins int) (statistic, p float64, err error) {
	if len(ranks) == 0 || bins < 2 || bins > draws+1 {
		return 0, 0, fmt.Errorf("χ² test of %d ranks of %d draws in %d bins: %w", len(ranks), draws, bins, ErrTooFew)
	}
	values := make([]int, bins)
	for r := range draws + 1 {
		values[r*bins/(draws+1)]++
	}
	count := make([]int, bins)
	for i, r := range ranks {
		if r < 0 || r > draws {
			return 0, 0, fmt.Errorf("rank %d is %d, not in 0..%d: %w", i, r, draws, ErrNotFinite)
		}
		count[r*bins/(draws+1)]++
	}
	for b, seen := range count {
		expected := float64(len(ranks)) * float64(values[b]) / float64(draws+1)
		statistic += square(float64(seen)-expected) / expected
	}
	return statistic, distuv.ChiSquared{K: float64(bins - 1)}.Survival(statistic), nil
}

// UniformKS tests whether values [M] in [0, 1] are uniform (Kolmogorov and Smirnov). For ranks the values are
// (rank + u)/(draws + 1), each with its own u uniform on [0, 1).
//
// distance is the largest difference between the empirical and the uniform distribution function; p is the probability of
// one at least as large, by the limit law at (√M + 0.12 + 0.11/√M)·distance (Stephens 1970), good to about 0.01 from
// M = 5. It returns ErrTooFew for no values, ErrNotFinite for one outside [0, 1].
func UniformKS(values []float64) (distance, p float64, err error) {
	if len(values) == 0 {
		return 0, 0, fmt.Errorf("Kolmogorov-Smirnov test: %w", ErrTooFew)
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	n := float64(len(sorted))
	for i, v := range sorted {
		if !(v >= 0 && v <= 1) {
			return 0, 0, fmt.Errorf("Kolmogorov-Smirnov test: value %v is not in [0, 1]: %w", v, ErrNotFinite)
		}
		distance = max(distance, v-float64(i)/n, float64(i+1)/n-v)
	}
	root := math.Sqrt(n)
	return distance, kolmogorovTail((root + 0.12 + 0.11/root) * distance), nil
}

// kolmogorovTail returns P(X > x) = 2·Σ_j (−1)^(j−1)·exp(−2j²x²) for Kolmogorov's limit law. Below 0.2 the series is slow
// and the probability is 1 to 12 digits.
func kolmogorovTail(x float64) float64 {
	if x < 0.2 {
		return 1
	}
	sum, sign := 0.0, 2.0
	for j := 1.0; j <= 100; j++ {
		term := math.Exp(-2 * j * j * x * x)
		sum += sign * term
		if term < 1e-17 {
			break
		}
		sign = -sign
	}
	return min(1, max(0, sum))
}
