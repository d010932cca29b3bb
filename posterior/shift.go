package posterior

import (
	"fmt"
	"math"

	"github.com/gfncp/gfncp/metrics"
)

// LogLikelihoodCentred returns, in nats and up to a constant that no partition changes, log p(x | partition) of points
// x [N·D] of which only the differences are known: ∫ p(x + s | partition) ds over all shifts s.
//
// It is what a network can know of sets whose median has been subtracted: such a set is its points up to a shift. With
// v_k = τ² + σ²/n_k, w_k = 1/v_k, W = Σ w_k and m = Σ w_k x̄_k / W the integral multiplies the likelihood, in each coordinate, by
// √(2π/W) · exp(W m²/2).
//
// Errors are those of LogLikelihood; the prior's spread τ must be above 0.
func (g Gaussian) LogLikelihoodCentred(x []float64, labels []int32) (float64, error) {
	if g.Tau <= 0 {
		return 0, fmt.Errorf("likelihood of a centred set: tau is %v, but must be above 0", g.Tau)
	}
	total, err := g.LogLikelihood(x, labels)
	if err != nil {
		return 0, err
	}
	canonical, k := metrics.Canonical(labels)
	size, sum := make([]float64, k), make([]float64, k*g.Dim)
	for i, c := range canonical {
		size[c]++
		for j := range g.Dim {
			sum[int(c)*g.Dim+j] += x[i*g.Dim+j]
		}
	}
	for j := range g.Dim {
		var all, mean float64 // W and W·m
		for c, n := range size {
			w := 1 / (g.Tau*g.Tau + g.Sigma*g.Sigma/n)
			all += w
			mean += w * sum[c*g.Dim+j] / n
		}
		total += math.Log(2*math.Pi/all)/2 + mean*mean/(2*all)
	}
	return total, nil
}

// EnumerateCentred returns the exact posterior of the partition of points x [N·D] (row-major, data units), N ≤ MaxEnumerated, of
// which only the differences are known (LogLikelihoodCentred). prior is a law over partitions of N points, such as that of
// CRP.Prior. Time O(Bell(N)·N).
//
// It returns the faults of g, metrics.ErrLength, metrics.ErrTooFew and metrics.ErrNotFinite for points that are none, and
// metrics.ErrNotFinite if the prior excludes every partition.
func EnumerateCentred(g Gaussian, prior Prior, x []float64) (*Distribution, error) {
	n, err := g.points(x)
	if err != nil {
		return nil, fmt.Errorf("enumerate partitions: %w", err)
	}
	parts, err := Partitions(n)
	if err != nil {
		return nil, err
	}
	logProb := make([]float64, len(parts))
	for i, labels := range parts {
		if logProb[i] = prior(newPartition(labels).size); math.IsInf(logProb[i], -1) {
			continue
		}
		fit, err := g.LogLikelihoodCentred(x, labels)
		if err != nil {
			return nil, err
		}
		logProb[i] += fit
	}
	if _, err := Normalize(logProb); err != nil {
		return nil, err
	}
	return &Distribution{Labels: parts, LogProb: logProb}, nil
}
