package metrics

import (
	"fmt"
	"math"
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

// Reliability sorts predicted probabilities [M] of events into bins of equal width on [0, 1] and compares each bin's mean
// with the share of its events that came true (truth [M]; DeGroot & Fienberg 1983). weight [M] may be nil: all 1.
//
// A calibrated forecast has Predicted = Observed in every bin up to sampling error. Bins without weight are left out; the
// others come in rising order. For co-clustering the events are "points i and j share a cluster" over pairs i < j of many
// sets; with a weight of one over the number of pairs every set counts the same.
//
// It returns ErrTooFew if bins < 1 or the weights sum to 0, ErrLength if the lengths differ, ErrNotFinite if a prediction
// is not in [0, 1] or a weight is not a finite number of at least 0.
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
		return fmt.Errorf("%d predictions, %d outcomes, %d weights: %w", len(predicted), len(truth), len(weight), ErrLength)
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

// ECE returns the expected calibration error of a reliability diagram, in [0, 1] (Naeini, Cooper & Hauskrecht 2015; Guo
// et al. 2017):
//
//	ECE = Σ_b w_b·|Predicted_b − Observed_b| / Σ_b w_b
//
// It is 0 for a calibrated forecast in the limit of many predictions and above 0 by sampling error before. No bins give NaN.
func ECE(bins []ReliabilityBin) float64 {
	sum, total := 0.0, 0.0
	for _, b := range bins {
		sum += b.Weight * math.Abs(b.Predicted-b.Observed)
		total += b.Weight
	}
	return sum / total
}
