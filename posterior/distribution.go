package posterior

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
)

// Distribution is a probability distribution on all partitions of N ≤ 9 points.
type Distribution struct {
	Labels  [][]int32 // [P][N], the partitions in the order of Partitions(N), P = Bell(N)
	LogProb []float64 // [P] in nats; −Inf for probability 0
}

// ErrMass marks probabilities that do not sum to 1.
var ErrMass = errors.New("probabilities do not sum to 1")

// NewDistribution returns the distribution on the partitions of n ≤ 9 points with the given log-probabilities in nats,
// in the order of Partitions(n). It keeps the slice. It returns ErrMass if the probabilities do not sum to 1 within
// 1e-3: networks add up float32 logarithms, and a missing partition that matters is far above it.
func NewDistribution(n int, logProb []float64) (*Distribution, error) {
	mass := 0.0
	for _, v := range logProb {
		mass += math.Exp(v)
	}
	if !(math.Abs(mass-1) <= 1e-3) {
		return nil, fmt.Errorf("%d probabilities sum to %g: %w", len(logProb), mass, ErrMass)
	}
	return &Distribution{Labels: Partitions(n), LogProb: logProb}, nil
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

// KL returns the Kullback-Leibler divergence KL(d‖other) = Σ p·(log p − log q) in nats. It is +Inf if other gives
// probability 0 to a partition that d allows. Both are of the same number of points.
func (d *Distribution) KL(other *Distribution) (sum float64) {
	for i, v := range d.LogProb {
		if p := math.Exp(v); p > 0 {
			sum += p * (v - other.LogProb[i])
		}
	}
	return sum
}

// TotalVariation returns ½·Σ|p − q|, in [0, 1]: the largest difference in the probability of any event.
func (d *Distribution) TotalVariation(other *Distribution) (sum float64) {
	for i, v := range d.LogProb {
		sum += math.Abs(math.Exp(v)-math.Exp(other.LogProb[i])) / 2
	}
	return sum
}

// CoClusteringError returns the mean |a − b| over the pairs i < j of two co-clustering matrices [N, N]; 0 for N = 1,
// where there are no pairs.
func CoClusteringError(a, b mat.Symmetric) (mean float64) {
	n := a.SymmetricDim()
	for i := range n {
		for j := i + 1; j < n; j++ {
			mean += math.Abs(a.At(i, j) - b.At(i, j))
		}
	}
	return mean / max(1, float64(n*(n-1)/2))
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

// Partitions returns the canonical labels [N] of every partition of n points, Bell(n) of them, in lexicographic order:
// the restricted growth strings (Knuth, The Art of Computer Programming 4A, 7.2.1.5). There are 21,147 for nine points.
func Partitions(n int) (parts [][]int32) {
	labels := make([]int32, n)
	var visit func(i int, k int32)
	visit = func(i int, k int32) {
		if i == n {
			parts = append(parts, slices.Clone(labels))
			return
		}
		for c := range k + 1 {
			labels[i] = c
			visit(i+1, max(k, c+1))
		}
	}
	visit(0, 0)
	return parts
}

// PartitionIndex returns the place of the partition with these labels [N] (of any values) in Partitions(N).
func PartitionIndex(partitions [][]int32, labels []int32) int {
	canonical, _ := metrics.Canonical(labels)
	at, _ := slices.BinarySearchFunc(partitions, canonical, slices.Compare)
	return at
}

// EnumerateCentred returns the exact posterior of the partition of points x [N·D] (row-major, data units), N ≤ 9, given
// only their differences (LogLikelihoodCentred). The prior must allow some partition. Time O(Bell(N)·N).
func EnumerateCentred(g Gaussian, prior Prior, x []float64) *Distribution {
	d := &Distribution{Labels: Partitions(len(x) / g.Dim)}
	for _, labels := range d.Labels {
		d.LogProb = append(d.LogProb, prior(partition.New(labels).Size)+g.LogLikelihoodCentred(x, labels))
	}
	floats.AddConst(-floats.LogSumExp(d.LogProb), d.LogProb)
	return d
}
