package metrics

import (
	"fmt"
	"math"
)

// ReliabilityBin is one bar of a reliability diagram: the predictions in [Low, High), the last bin with High = 1.
type ReliabilityBin struct {
	Low, High float64
	Weight    float64 // number of predictions; above 0
	Predicted float64 // their mean
	Observed  float64 // the share of them that came true
}

// roundingSlack is how far outside [0, 1] a probability may be that is a sum of many; it counts as 0 or 1.
const roundingSlack = 1e-9

// Reliability sorts predicted probabilities [M] of events into bins of equal width on [0, 1] and compares each bin's
// mean with the share of its events that came true (truth [M]; DeGroot & Fienberg 1983). Empty bins are left out; the
// others come in rising order. A calibrated forecast has Predicted = Observed in every bin up to sampling error.
//
// It returns ErrTooFew for no bins or no predictions, ErrLength if the lengths differ, ErrNotFinite if a prediction is
// not in [0, 1].
func Reliability(predicted []float64, truth []bool, bins int) ([]ReliabilityBin, error) {
	if bins < 1 || len(predicted) == 0 {
		return nil, fmt.Errorf("reliability of %d predictions in %d bins: %w", len(predicted), bins, ErrTooFew)
	}
	if len(truth) != len(predicted) {
		return nil, fmt.Errorf("reliability of %d predictions, %d outcomes: %w", len(predicted), len(truth), ErrLength)
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
