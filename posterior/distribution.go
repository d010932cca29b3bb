package posterior

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
)

// Distribution is a probability distribution on all partitions of N ≤ MaxEnumerated points.
type Distribution struct {
	Labels  [][]int32 // [P][N], the partitions in the order of Partitions(N), P = Bell(N)
	LogProb []float64 // [P] in nats; −Inf for probability 0
}

// massTolerance is how far the total probability of a Distribution may be from 1. Networks add up float32 logarithms;
// a missing partition that matters is far above it.
const massTolerance = 1e-3

// ErrMass marks probabilities that do not sum to 1.
var ErrMass = errors.New("probabilities do not sum to 1")

// NewDistribution returns the distribution on the partitions of n ≤ MaxEnumerated points with the given
// log-probabilities in nats, in the order of Partitions(n). It keeps the slice. It returns the errors of KL.
func NewDistribution(n int, logProb []float64) (*Distribution, error) {
	parts, err := Partitions(n)
	if err != nil {
		return nil, err
	}
	if len(logProb) != len(parts) {
		return nil, fmt.Errorf("%d log-probabilities for %d partitions: %w",
			len(logProb), len(parts), metrics.ErrLength)
	}
	if err := checkMass(logProb); err != nil {
		return nil, err
	}
	return &Distribution{Labels: parts, LogProb: logProb}, nil
}

func checkMass(logProb []float64) error {
	if len(logProb) == 0 {
		return fmt.Errorf("no probabilities: %w", metrics.ErrTooFew)
	}
	mass := 0.0
	for i, v := range logProb {
		if math.IsNaN(v) || math.IsInf(v, 1) {
			return fmt.Errorf("log-probability %d is %v: %w", i, v, metrics.ErrNotFinite)
		}
		mass += math.Exp(v)
	}
	if !(math.Abs(mass-1) <= massTolerance) {
		return fmt.Errorf("%d probabilities sum to %g: %w", len(logProb), mass, ErrMass)
	}
	return nil
}

// KPosterior returns the probability of each number of clusters K = 1..N.
func (d *Distribution) KPosterior() []KProb {
	out := make([]KProb, len(d.Labels[0]))
	for k := range out {
		out[k].K = k + 1
	}
	for i, labels := range d.Labels {
		out[metrics.Clusters(labels)-1].P += math.Exp(d.LogProb[i])
	}
	return out
}

// ExpectedK returns the expected number of clusters.
func (d *Distribution) ExpectedK() float64 { return ExpectedK(d.KPosterior()) }

// CoClustering returns the posterior similarity matrix [N, N]: the probability of each pair to share a cluster.
func (d *Distribution) CoClustering() *mat.SymDense {
	matrix := mat.NewSymDense(len(d.Labels[0]), nil)
	for i, labels := range d.Labels {
		addPairs(matrix, partition.New(labels), math.Exp(d.LogProb[i]))
	}
	return matrix
}

// ExpectedK returns Σ K·P(K), the expected number of clusters of a law such as KPosterior returns.
func ExpectedK(law []KProb) float64 {
	sum := 0.0
	for _, p := range law {
		sum += float64(p.K) * p.P
	}
	return sum
}

// KL returns the Kullback-Leibler divergence KL(p‖q) = Σ p·(log p − log q) in nats of two laws on the same partitions,
// given as log-probabilities [P] in the same order. It is +Inf if q gives probability 0 to a partition that p allows.
//
// It returns metrics.ErrLength for unequal lengths, metrics.ErrTooFew for empty slices, metrics.ErrNotFinite for NaN or
// +Inf, ErrMass if the probabilities do not sum to 1 within 1e-3.
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
// probability of any event. Arguments and errors are as for KL.
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

// CoClusteringError returns the mean |a − b| over the pairs i < j of two co-clustering matrices [N, N]; 0 for N = 1,
// where there are no pairs. It returns metrics.ErrLength if the sizes differ.
func CoClusteringError(a, b mat.Symmetric) (mean float64, err error) {
	n := a.SymmetricDim()
	if m := b.SymmetricDim(); m != n {
		return 0, fmt.Errorf("co-clustering of %d points against %d: %w", n, m, metrics.ErrLength)
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			mean += math.Abs(a.At(i, j) - b.At(i, j))
		}
	}
	return mean / max(1, float64(n*(n-1)/2)), nil
}

// KTotalVariation returns ½·Σ_K |P_a(K) − P_b(K)|, in [0, 1], of two laws of the number of clusters, such as KPosterior
// returns. A K that a law does not list has probability 0 in it.
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
