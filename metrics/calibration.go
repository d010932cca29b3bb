package metrics

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// ReliabilityBin is one bar of a reliability diagram: the predictions in [Low, High), the last bin with High = 1.
type ReliabilityBin struct {
	Low, High float64
	Weight    float64 // number of predictions; above 0
	Predicted float64 // their mean
	Observed  float64 // the share of them that came true
}

// roundingSlack is how far outside [0, 1] a probability may lie because of rounding; it then counts as 0 or 1.
const roundingSlack = 1e-9

// Reliability sorts predicted probabilities [M] of events into bins of equal width on [0, 1] and compares each bin's
// mean with the share of its events that came true (truth [M]; DeGroot & Fienberg 1983). Empty bins are left out. A
// calibrated forecast has Predicted = Observed in every bin up to sampling error. It fails without predictions or bins,
// and for a prediction outside [0, 1].
func Reliability(predicted []float64, truth []bool, bins int) ([]ReliabilityBin, error) {
	if bins < 1 || len(predicted) == 0 {
		return nil, fmt.Errorf("reliability of %d predictions in %d bins: %w", len(predicted), bins, ErrTooFew)
	}
	all := make([]ReliabilityBin, bins)
	for i, p := range predicted {
		if !(p >= -roundingSlack && p <= 1+roundingSlack) {
			return nil, fmt.Errorf("reliability: prediction %d is %v, not in [0, 1]: %w", i, p, ErrNotFinite)
		}
		p = min(1, max(0, p))
		b := &all[min(bins-1, int(p*float64(bins)))]
		b.Weight++
		b.Predicted += p
		if truth[i] {
			b.Observed++
		}
	}
	var out []ReliabilityBin
	for i, b := range all {
		if b.Weight == 0 {
			continue
		}
		b.Low, b.High = float64(i)/float64(bins), float64(i+1)/float64(bins)
		b.Predicted /= b.Weight
		b.Observed /= b.Weight
		out = append(out, b)
	}
	return out, nil
}

// ECE returns the expected calibration error of a reliability diagram, in [0, 1] (Naeini et al. 2015; Guo et al. 2017):
//
//	ECE = Σ_b w_b·|Predicted_b − Observed_b| / Σ_b w_b
//
// for w_b = Weight. It is 0 for a calibrated forecast of many predictions. No bins give NaN.
func ECE(bins []ReliabilityBin) float64 {
	sum, total := 0.0, 0.0
	for _, b := range bins {
		sum += b.Weight * math.Abs(b.Predicted-b.Observed)
		total += b.Weight
	}
	return sum / total
}

// RHat returns the potential scale reduction of Gelman & Rubin (1992) of chains [M][S], S ≥ 4, each split into two
// halves (Gelman et al., Bayesian Data Analysis, 3rd edition, 11.4): √(var⁺/W), with W the mean variance within a half
// and var⁺ the estimated variance of all draws. It is 1 if all draws are equal, +Inf if each half is constant but they
// differ. It fails for fewer draws, and for draws that are not finite.
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

// EffectiveSize returns the effective sample size of chains [M][S] for the mean, at most M·S: M·S / (1 + 2Σρ_t) with
// the autocorrelations of the split chains (Vehtari et al. 2021, eq. 10), summed as Geyer's initial monotone sequence
// (Geyer 1992, 3.3). It is M·S if all draws are equal.
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
		if k := slices.IndexFunc(chain, func(v float64) bool { return !IsFinite(v) }); k >= 0 {
			return fmt.Errorf("value %d of chain %d is %v: %w", k, i, chain[k], ErrNotFinite)
		}
	}
	return nil
}
