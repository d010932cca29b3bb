package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// ReliabilityBin is one bar of a reliability diagram: the predictions in [Low, High), the last bin with High = 1.
type ReliabilityBin struct {
	Low, High float64
	Weight    float64 // total weight of the predictions; above 0
	Predicted float64 // their weighted mean
	Observed  float64 // the weighted share of them that came true
}

// roundingSlack is how far outside [0, 1] a probability may be that is a sum of many; it counts as 0 or 1.
const roundingSlack = 1e-9

// Reliability sorts predicted probabilities [M] of events into bins of equal width on [0, 1] and compares each bin's
// mean with the share of its events that came true (truth [M]; DeGroot & Fienberg 1983). weight [M] may be nil: all 1.
//
// A calibrated forecast has Predicted = Observed in every bin up to sampling error. Bins without weight are left out;
// the others come in rising order. For co-clustering the events are "points i and j share a cluster" over pairs i < j
// of many sets; with a weight of one over the number of pairs every set counts the same.
//
// It returns ErrTooFew if bins < 1 or the weights sum to 0, ErrLength if the lengths differ, ErrNotFinite if a
// prediction is not in [0, 1] or a weight is not a finite number of at least 0.
func Reliability(predicted []float64, truth []bool, weight []float64, bins int) ([]ReliabilityBin, error) {
	if err := checkPredictions(predicted, truth, weight, bins); err != nil {
		return nil, fmt.Errorf("reliability: %w", err)
	}
	all := make([]ReliabilityBin, bins)
	for i, p := range predicted {
		p = min(1, max(0, p))
		w := 1.0
		if weight != nil {
			w = weight[i]
		}
		b := &all[min(bins-1, int(p*float64(bins)))]
		b.Weight += w
		b.Predicted += w * p
		if truth[i] {
			b.Observed += w
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
	if len(out) == 0 {
		return nil, fmt.Errorf("reliability of predictions without weight: %w", ErrTooFew)
	}
	return out, nil
}

func checkPredictions(predicted []float64, truth []bool, weight []float64, bins int) error {
	if bins < 1 {
		return fmt.Errorf("%d bins: %w", bins, ErrTooFew)
	}
	if len(truth) != len(predicted) || weight != nil && len(weight) != len(predicted) {
		return fmt.Errorf("%d predictions, %d outcomes, %d weights: %w",
			len(predicted), len(truth), len(weight), ErrLength)
	}
	for i, p := range predicted {
		if !(p >= -roundingSlack && p <= 1+roundingSlack) {
			return fmt.Errorf("prediction %d is %v, not in [0, 1]: %w", i, p, ErrNotFinite)
		}
	}
	for i, w := range weight {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("weight %d is %v, not a finite number of at least 0: %w", i, w, ErrNotFinite)
		}
	}
	return nil
}

// ECE returns the expected calibration error of a reliability diagram, in [0, 1] (Naeini et al. 2015; Guo et al. 2017):
//
//	ECE = Σ_b w_b·|Predicted_b − Observed_b| / Σ_b w_b
//
// It is 0 for a calibrated forecast in the limit of many predictions and above 0 by sampling error before. No bins
// give NaN.
func ECE(bins []ReliabilityBin) float64 {
	sum, total := 0.0, 0.0
	for _, b := range bins {
		sum += b.Weight * math.Abs(b.Predicted-b.Observed)
		total += b.Weight
	}
	return sum / total
}

// SBCRank returns the rank statistic of simulation-based calibration (Talts et al. 2018): how many of the L posterior
// draws of a quantity are below its true value, 0..L. Draws equal to the truth, common for whole-number quantities such
// as K, count as below or not by a uniform draw from rng, which keeps the rank uniform (Modrák et al. 2023).
//
// If the true value comes from the prior, the data from the model given it, and the draws are independent draws from
// the exact posterior of these data, the rank is uniform on 0..L. It returns ErrTooFew for no draws, ErrNotFinite for
// NaN.
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
// statistic has, if the ranks are uniform, about a χ² law with bins−1 degrees of freedom, good from five expected a
// bin; p is the probability of one at least as large. It returns ErrTooFew for no ranks or unless 2 ≤ bins ≤ draws+1,
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

// GewekeZ returns the z-score of Geweke's joint distribution test of a posterior sampler (Geweke 2004) for one test
// function of parameters and data:
//
//	z = (mean(independent) − mean(chain)) / √(se(independent)² + se(chain)²)
//
// independent holds the function over the marginal-conditional simulator: parameters from the prior, then data from the
// model. chain holds it over the successive-conditional simulator: from one such pair on, in turn a step of the sampler
// given the data, and new data given the parameters. Both have the same joint law if prior, model and sampler agree,
// and z is then about standard normal; a fault in any of the three drives |z| up with the number of draws. Use
// several test functions, second moments among them.
//
// The standard error of independent is that of a mean of independent draws; chain's is that of MonteCarloError. z is 0
// if neither varies and the means are equal, infinite if they are not. It returns ErrTooFew if independent has fewer
// than 2 values or chain fewer than 4, ErrNotFinite for NaN or infinite values.
func GewekeZ(independent, chain []float64) (float64, error) {
	if len(independent) < 2 {
		return 0, fmt.Errorf("joint distribution test of %d independent draws, need 2: %w", len(independent), ErrTooFew)
	}
	if err := allFinite(independent); err != nil {
		return 0, fmt.Errorf("joint distribution test, independent draws: %w", err)
	}
	se, err := MonteCarloError(chain)
	if err != nil {
		return 0, fmt.Errorf("joint distribution test, chain: %w", err)
	}
	mean, variance := stat.MeanVariance(independent, nil)
	diff := mean - stat.Mean(chain, nil)
	if diff == 0 {
		return 0, nil
	}
	return diff / math.Sqrt(variance/float64(len(independent))+se*se), nil
}

// MonteCarloError returns the standard error of the mean of a stationary, autocorrelated chain [M] by batch means: the
// sample standard deviation of the means of ⌊√M⌋ consecutive batches of equal length, over the root of their number
// (Flegal & Jones 2010). What does not fill a batch is left out at the start. A batch must be long against the
// autocorrelation time. It returns ErrTooFew if M < 4, ErrNotFinite for NaN or infinite values.
func MonteCarloError(chain []float64) (float64, error) {
	if len(chain) < 4 {
		return 0, fmt.Errorf("batch means of %d values, need 4: %w", len(chain), ErrTooFew)
	}
	if err := allFinite(chain); err != nil {
		return 0, err
	}
	batches := int(math.Sqrt(float64(len(chain))))
	length := len(chain) / batches
	chain = chain[len(chain)-batches*length:]
	means := make([]float64, batches)
	for b := range means {
		means[b] = stat.Mean(chain[b*length:(b+1)*length], nil)
	}
	return stat.StdDev(means, nil) / math.Sqrt(float64(batches)), nil
}

func allFinite(values []float64) error {
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("value %d is %v: %w", i, v, ErrNotFinite)
		}
	}
	return nil
}
