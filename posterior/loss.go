package posterior

import (
	"math"

	"github.com/gfncp/gfncp/internal/partition"
)

// Loss is a distance between two partitions a, b of the same N points, and the loss of estimating one by the other.
// Both have the form
//
//	(Σ_i φ(a_i) + Σ_j φ(b_j) − 2·Σ_ij φ(n_ij)) / norm
//
// with the cluster sizes a_i, b_j and the shared points n_ij, both are metrics and 0 exactly for equal partitions.
type Loss uint8

const (
	// LossVI is the variation of information in nats, at most log N (Meilă 2007): φ(n) = n·log n, norm = N.
	LossVI Loss = iota
	// LossBinder is Binder's loss with equal costs (Binder 1978), as a fraction of the N² ordered pairs: φ(n) = n²,
	// norm = N². It is the probability that two points drawn with replacement are together in one partition and apart
	// in the other, at most 1 − 1/N (Wade & Ghahramani 2018, "N-invariant").
	LossBinder
)

// Expected returns the mean loss between candidate [N] and samples [S][N]: the Monte Carlo estimate of its posterior
// expectation (Wade & Ghahramani 2018), no lower bound through the co-clustering matrix. Time O(S·N).
func (l Loss) Expected(candidate []int32, samples [][]int32) float64 {
	return newScorer(l, len(candidate), samples).expected(partition.New(candidate))
}

// PointEstimate returns the index of the candidate [C][N] that minimizes Expected over samples [S][N], and that
// minimum. Ties go to the lower index. The usual choice of candidates is the samples themselves. Time O(C·S·N), equal
// partitions on either side counted once.
func (l Loss) PointEstimate(candidates, samples [][]int32) (index int, expected float64) {
	s := newScorer(l, len(candidates[0]), samples)
	index, expected = -1, math.Inf(1)
	for _, d := range distinct(candidates) { // a later index of an equal one has the same value
		if v := s.expected(d.Partition); v < expected-s.tolerance {
			index, expected = d.first, v
		}
	}
	return index, expected
}

// viTolerance is the difference in nats below which two VIs, or two means of them, count as equal. It is far above the
// rounding of a mean over samples (about 1e-15·log N) and far below the effect of moving one point (of order 1/N).
// Binder's losses are whole numbers up to the division by the norm and need no tolerance.
const viTolerance = 1e-12

// scorer holds the values that do not depend on the candidate.
type scorer struct {
	phi       []float64 // φ(n) for n = 0..N
	norm      float64
	tolerance float64
	samples   []weighted
	self      []float64 // Σ_j φ(b_j) of each sample
	total     int       // S
}

func newScorer(l Loss, n int, samples [][]int32) *scorer {
	s := &scorer{phi: make([]float64, n+1), samples: distinct(samples), total: len(samples)}
	phi := func(v float64) float64 { return v * math.Log(v) }
	s.norm, s.tolerance = float64(n), viTolerance
	if l == LossBinder {
		phi = func(v float64) float64 { return v * v }
		s.norm, s.tolerance = float64(n)*float64(n), 0
	}
	for i := 1; i <= n; i++ {
		s.phi[i] = phi(float64(i))
	}
	for _, d := range s.samples {
		s.self = append(s.self, s.sizeSum(d.Partition))
	}
	return s
}

// sizeSum returns Σ_k φ(n_k) over the clusters of p.
func (s *scorer) sizeSum(p *partition.Partition) float64 {
	sum := 0.0
	for _, size := range p.Size {
		sum += s.phi[size]
	}
	return sum
}

// expected is Loss.Expected of a candidate.
func (s *scorer) expected(candidate *partition.Partition) float64 {
	own, sum := s.sizeSum(candidate), 0.0
	for i, d := range s.samples {
		shared := 0.0
		for cell := range candidate.Cells(d.Partition) {
			shared += s.phi[cell.Count]
		}
		sum += float64(d.count) * max(0, own+s.self[i]-2*shared)
	}
	return sum / (s.norm * float64(s.total))
}
