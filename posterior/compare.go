package posterior

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/metrics"
)

// KL returns the Kullback-Leibler divergence KL(p‖q) = Σ p·(log p − log q) in nats of two laws on the same partitions,
// given as log-probabilities in the same order (that of Partitions, say), shape [P]. With p the exact posterior and q a
// model's it is what the model loses in expected log-probability.
//
// It is +Inf if q excludes what p does not. It returns metrics.ErrLength for unequal lengths, metrics.ErrTooFew for none,
// metrics.ErrNotFinite for NaN or +Inf, ErrMass if the probabilities do not sum to 1 within 1e-3: the sum over fewer
// partitions than all, or over scores that are no law, is no divergence (see Normalize).
func KL(p, q []float64) (float64, error) {
	if err := checkPair(p, q); err != nil {
		return 0, fmt.Errorf("KL divergence: %w", err)
	}
	sum := 0.0
	for i, v := range p {
		if prob := math.Exp(v); prob > 0 {
			sum += prob * (v - q[i])
		}
	}
	return sum, nil
}

// TotalVariation returns ½·Σ|p − q|, in [0, 1], of two laws on the same partitions: the largest difference in the
// probability of any event. Arguments and errors are those of KL.
func TotalVariation(p, q []float64) (float64, error) {
	if err := checkPair(p, q); err != nil {
		return 0, fmt.Errorf("total variation: %w", err)
	}
	sum := 0.0
	for i, v := range p {
		sum += math.Abs(math.Exp(v) - math.Exp(q[i]))
	}
	return sum / 2, nil
}

func checkPair(p, q []float64) error {
	if len(p) != len(q) {
		return fmt.Errorf("%d log-probabilities against %d: %w", len(p), len(q), metrics.ErrLength)
	}
	return cmp.Or(checkMass(p), checkMass(q))
}

// Comparison says how far a model's law on the partitions of a set is from the exact one.
type Comparison struct {
	KL             float64 // KL(exact‖model) in nats
	TotalVariation float64 // in [0, 1]
	ExactK         float64 // expected number of clusters
	ModelK         float64
	CoClustering   float64 // mean over the pairs i < j of |difference of P(i and j share a cluster)|; 0 for N = 1
}

// Compare compares the law d with a model's log-probabilities in nats in the order of d.Labels. Errors are those of
// NewDistribution.
func (d *Distribution) Compare(model []float64) (Comparison, error) {
	m, err := NewDistribution(len(d.Labels[0]), model)
	if err != nil {
		return Comparison{}, fmt.Errorf("compare: %w", err)
	}
	c := Comparison{ExactK: d.ExpectedK(), ModelK: m.ExpectedK()}
	if c.KL, err = KL(d.LogProb, model); err != nil {
		return Comparison{}, err
	}
	if c.TotalVariation, err = TotalVariation(d.LogProb, model); err != nil {
		return Comparison{}, err
	}
	c.CoClustering, _, err = CoClusteringError(d.CoClustering(), m.CoClustering())
	return c, err
}

// CoClusteringError returns the mean and the largest |a − b| over the pairs i < j of two co-clustering matrices [N, N]; 0
// for N = 1, where there are no pairs. It returns metrics.ErrLength if the sizes differ.
func CoClusteringError(a, b mat.Symmetric) (mean, largest float64, err error) {
	n := a.SymmetricDim()
	if m := b.SymmetricDim(); m != n {
		return 0, 0, fmt.Errorf("co-clustering of %d points against %d: %w", n, m, metrics.ErrLength)
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			diff := math.Abs(a.At(i, j) - b.At(i, j))
			mean += diff
			largest = max(largest, diff)
		}
	}
	return mean / max(1, float64(n*(n-1)/2)), largest, nil
}

// KTotalVariation returns ½·Σ_K |P_a(K) − P_b(K)|, in [0, 1], of two laws of the number of clusters, such as those of
// KPosterior. A K that a law does not list has probability 0 in it.
func KTotalVariation(a, b []KProb) float64 {
	diff := map[int]float64{}
	for _, p := range a {
		diff[p.K] += p.P
	}
	for _, p := range b {
		diff[p.K] -= p.P
	}
	sum := 0.0
	for _, k := range slices.Sorted(maps.Keys(diff)) { // a fixed order of the sum
		sum += math.Abs(diff[k])
	}
	return sum / 2
}
