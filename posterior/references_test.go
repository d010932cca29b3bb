package posterior

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/metrics"
)

// What the package is held against: closed forms, and the posterior of uncentred points by a walk over all partitions.

// Stats are the sufficient statistics of the points of one cluster.
type Stats struct {
	N       int       // number of points
	Sum     []float64 // [D], Σ x
	Squares float64   // Σ |x|²
}

// NewStats returns the statistics of a cluster without points.
func (g Gaussian) NewStats() *Stats { return &Stats{Sum: make([]float64, g.Dim)} }

// Add takes point x [D] into the cluster.
func (s *Stats) Add(x []float64) {
	s.N++
	floats.Add(s.Sum, x)
	s.Squares += floats.Dot(x, x)
}

// Remove takes a point x [D] that was added out of the cluster. Rounding stays in the sums until the cluster is empty.
func (s *Stats) Remove(x []float64) {
	s.N--
	if s.N == 0 {
		clear(s.Sum)
		s.Squares = 0
		return
	}
	floats.Sub(s.Sum, x)
	s.Squares -= floats.Dot(x, x)
}

// LogMarginal returns the log-density in nats of all points of a cluster, its mean integrated out:
//
//	log p(x_1..n) = −½nD·log(2πσ²) − ½D·log(1 + nτ²/σ²) − (Σ|x|² − τ²/(σ²+nτ²)·|Σx|²) / (2σ²)
//
// An empty cluster gives 0. The last difference loses digits when the points are many σ away from 0; sums of
// LogPredictive do not.
func (g Gaussian) LogMarginal(s *Stats) float64 {
	n, d, s2 := float64(s.N), float64(g.Dim), g.Sigma*g.Sigma
	spread := s.Squares - g.meanWeight(s.N)*floats.Dot(s.Sum, s.Sum)
	return -n*d/2*math.Log(2*math.Pi*s2) - d/2*math.Log1p(n*g.Tau*g.Tau/s2) - spread/(2*s2)
}

// LogPredictive returns the log-density in nats of a further point x [D] of a cluster with statistics s:
//
//	x | x_1..n ~ N(w·Σx, σ²(1+w)·I_D),   w = τ²/(σ² + nτ²)
//
// It is the difference of LogMarginal with and without x.
func (g Gaussian) LogPredictive(s *Stats, x []float64) float64 {
	return newPredictive(g, s.N+1).logProb(s.N, s.Sum, x)
}

// Enumerate returns the exact posterior of the partition of points x [N·D] (row-major, data units), N ≤ MaxEnumerated,
// and the log-evidence log p(x) = log Σ_c p(c)·p(x|c) in nats.
//
// prior is a law over partitions of N points, such as that of CRP.Prior; one that does not sum to 1 gives the same
// posterior and an evidence off by its mass. Sums over the points are kept along the tree of restricted growth strings,
// so that a partition costs O(D): milliseconds for N = 9.
//
// It returns the faults of g, metrics.ErrLength, metrics.ErrTooFew and metrics.ErrNotFinite for points that are none,
// and metrics.ErrNotFinite if the prior excludes every partition.
func Enumerate(g Gaussian, prior Prior, x []float64) (d *Distribution, logEvidence float64, err error) {
	n, err := g.points(x)
	if err != nil {
		return nil, 0, fmt.Errorf("enumerate partitions: %w", err)
	}
	parts, err := Partitions(n)
	if err != nil {
		return nil, 0, err
	}
	t := tree{
		table: newPredictive(g, n), prior: prior, x: x, n: n, dim: g.Dim,
		sum: make([]float64, n*g.Dim), saved: make([]float64, n*g.Dim), out: make([]float64, 0, len(parts)),
	}
	t.visit(0, 0)
	logEvidence = floats.LogSumExp(t.out)
	if math.IsInf(logEvidence, 0) || math.IsNaN(logEvidence) {
		return nil, 0, fmt.Errorf("enumerate partitions: log-evidence is %v: %w", logEvidence, metrics.ErrNotFinite)
	}
	floats.AddConst(-logEvidence, t.out)
	return &Distribution{Labels: parts, LogProb: t.out}, logEvidence, nil
}

// tree walks over the partitions in the order of Partitions.
type tree struct {
	table      predictive
	prior      Prior
	x          []float64 // [N·D]
	n, dim     int
	size       []int     // [K so far]
	sum, saved []float64 // [K·D]; saved[i] is the sum that point i was added to, so that going back does not round
	out        []float64
}

func (t *tree) visit(i int, logLikelihood float64) {
	if i == t.n {
		t.out = append(t.out, t.prior(t.size)+logLikelihood)
		return
	}
	point, saved := t.x[i*t.dim:(i+1)*t.dim], t.saved[i*t.dim:(i+1)*t.dim]
	k := len(t.size)
	for c := range k + 1 {
		if c == k {
			t.size = append(t.size, 0)
		}
		sum := t.sum[c*t.dim : (c+1)*t.dim]
		gain := t.table.logProb(t.size[c], sum, point)
		copy(saved, sum)
		floats.Add(sum, point)
		t.size[c]++
		t.visit(i+1, logLikelihood+gain)
		t.size[c]--
		copy(sum, saved)
	}
	t.size = t.size[:k]
}

// OneCluster returns the labels [n] of the partition with one cluster.
func OneCluster(n int) []int32 { return make([]int32, n) }

// LogProbOf returns the log-probability in nats of the partition with these labels [N] (of any values). It returns
// metrics.ErrLength if N is not that of d.
func (d *Distribution) LogProbOf(labels []int32) (float64, error) {
	if len(labels) != len(d.Labels[0]) {
		return 0, fmt.Errorf("%d labels, want %d: %w", len(labels), len(d.Labels[0]), metrics.ErrLength)
	}
	at, err := PartitionIndex(labels)
	if err != nil {
		return 0, err
	}
	return d.LogProb[at], nil
}

// VI returns the variation of information of two partitions of the same N points, in nats (Meilă 2007).
//
//	VI(a, b) = H(a) + H(b) − 2·I(a; b) = (1/N)·(Σ_i φ(a_i) + Σ_j φ(b_j) − 2·Σ_ij φ(n_ij)),   φ(n) = n·log n
//
// It is a metric on partitions: 0 exactly for equal ones, symmetric, at most log N. a and b have shape [N] and may hold
// any labels. It returns metrics.ErrLength if the lengths differ, metrics.ErrTooFew if N = 0. Time O(N).
func VI(a, b []int32) (float64, error) { return LossVI.Distance(a, b) }

// ExpectedVI returns the mean variation of information in nats between candidate [N] and samples [S][N]; see
// Loss.Expected.
func ExpectedVI(candidate []int32, samples [][]int32) (float64, error) {
	return LossVI.Expected(candidate, samples)
}

// PointEstimate returns the index of the candidate that minimizes ExpectedVI over samples, and that minimum in nats;
// see Loss.PointEstimate.
func PointEstimate(candidates, samples [][]int32) (index int, expectedVI float64, err error) {
	return LossVI.PointEstimate(candidates, samples)
}
