package posterior

import (
	"fmt"
	"math"

	"github.com/gfncp/gfncp/metrics"
)

// OracleLabels labels points x [N·D] (row-major) by the component with the highest responsibility when everything about
// the mixture is known: means [K·D], weights [K] (any positive scale) and g.Sigma.
//
//	argmax_k  log w_k − |x − μ_k|² / (2σ²)
//
// Each point is labeled by itself; ties go to the lowest k, weight 0 excludes a component. The labels are the indices of
// the components, not canonical. It returns the faults of g, metrics.ErrLength, metrics.ErrTooFew (no points, no
// components) or metrics.ErrNotFinite (x, means, or a weight that is no finite number of at least 0, or all weights 0).
func (g Gaussian) OracleLabels(x, means, weights []float64) ([]int32, error) {
	n, err := g.points(x)
	if err != nil {
		return nil, fmt.Errorf("oracle: %w", err)
	}
	k, err := g.points(means)
	if err != nil {
		return nil, fmt.Errorf("oracle: means: %w", err)
	}
	if len(weights) != k {
		return nil, fmt.Errorf("oracle: %d weights for %d means: %w", len(weights), k, metrics.ErrLength)
	}
	logWeight := make([]float64, k)
	positive := false
	for c, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return nil, fmt.Errorf("oracle: weight %d is %v: %w", c, w, metrics.ErrNotFinite)
		}
		positive = positive || w > 0
		logWeight[c] = math.Log(w)
	}
	if !positive {
		return nil, fmt.Errorf("oracle: all weights are 0: %w", metrics.ErrNotFinite)
	}
	labels := make([]int32, n)
	for i := range labels {
		highest := math.Inf(-1)
		for c, score := range logWeight {
			for j, v := range x[i*g.Dim : (i+1)*g.Dim] {
				diff := (v - means[c*g.Dim+j]) / g.Sigma
				score -= diff * diff / 2
			}
			if score > highest {
				highest, labels[i] = score, int32(c)
			}
		}
	}
	return labels, nil
}
