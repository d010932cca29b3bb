package metrics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// RHat returns the potential scale reduction of Gelman & Rubin (1992) of chains [M][S] of one number, each split into
// two halves (Gelman et al., Bayesian Data Analysis, 3rd edition, 11.4): √(var⁺/W), with W the mean variance within a
// half and var⁺ that of all draws. It is about 1 when the chains agree, and larger when they are still apart; 1 when
// nothing ever changes, +Inf when chains stay at different values. It returns ErrTooFew for no chains or fewer than
// four draws, ErrLength for unequal ones, ErrNotFinite.
func RHat(chains [][]float64) (float64, error) {
	if err := checkChains(chains); err != nil {
		return 0, fmt.Errorf("potential scale reduction: %w", err)
	}
	within, total := variances(halves(chains))
	if total == 0 {
		return 1, nil
	}
	return math.Sqrt(total / within), nil
}

// EffectiveSize returns the number of independent draws that tell the mean of chains [M][S] as well as theirs, at
// most M·S: M·S / (1 + 2Σρ_t) with the autocorrelations of the split chains together (Vehtari et al. 2021, eq. 10),
// summed as Geyer's initial monotone sequence (Geyer 1992, 3.3). Chains that never change count in full; chains that
// stay at different values are worth less than one draw each. Errors are those of RHat.
func EffectiveSize(chains [][]float64) (float64, error) {
	if err := checkChains(chains); err != nil {
		return 0, fmt.Errorf("effective sample size: %w", err)
	}
	parts := halves(chains)
	n := len(parts[0])
	draws := float64(len(parts) * n)
	within, total := variances(parts)
	if total == 0 {
		return draws, nil
	}
	for i, part := range parts { // variances looked at means already
		parts[i] = append([]float64{}, part...)
		floats.AddConst(-stat.Mean(part, nil), parts[i])
	}
	correlation := func(lag int) float64 {
		sum := 0.0
		for _, part := range parts {
			sum += floats.Dot(part[:n-lag], part[lag:]) / float64(n)
		}
		return 1 - (within-sum/float64(len(parts))*float64(n)/float64(n-1))/total
	}
	time, last := -1.0, math.Inf(1)
	for lag := 0; lag+1 < n; lag += 2 {
		pair := correlation(lag) + correlation(lag+1)
		if lag > 0 && pair <= 0 {
			break
		}
		last = min(last, pair)
		time += 2 * last
	}
	return min(draws, draws/time), nil
}

// halves cuts each chain into two of equal length, without the middle draw of an odd number.
func halves(chains [][]float64) (parts [][]float64) {
	for _, chain := range chains {
		half := len(chain) / 2
		parts = append(parts, chain[:half], chain[len(chain)-half:])
	}
	return parts
}

// variances returns the mean variance within parts [P][n], and the estimate of all draws' variance, var⁺.
func variances(parts [][]float64) (within, total float64) {
	means := make([]float64, len(parts))
	for i, part := range parts {
		mean, variance := stat.MeanVariance(part, nil)
		means[i] = mean
		within += variance / float64(len(parts))
	}
	n := float64(len(parts[0]))
	return within, within*(n-1)/n + stat.Variance(means, nil)
}

func checkChains(chains [][]float64) error {
	if len(chains) == 0 || len(chains[0]) < 4 {
		return fmt.Errorf("chains need four draws each: %w", ErrTooFew)
	}
	for i, chain := range chains {
		if len(chain) != len(chains[0]) {
			return fmt.Errorf("chain %d has %d draws, want %d: %w", i, len(chain), len(chains[0]), ErrLength)
		}
		for k, v := range chain {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("value %d of chain %d is %v: %w", k, i, v, ErrNotFinite)
			}
		}
	}
	return nil
}
