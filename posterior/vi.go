package posterior

import (
	"fmt"
	"math"

	"github.com/gfncp/gfncp/metrics"
)

// VI returns the variation of information of two partitions of the same N points, in nats (Meilă 2007).
//
//	VI(a, b) = H(a) + H(b) − 2·I(a; b) = (1/N)·(Σ_i φ(a_i) + Σ_j φ(b_j) − 2·Σ_ij φ(n_ij)),   φ(n) = n·log n
//
// It is a metric on partitions: 0 exactly for equal ones, symmetric, at most log N. a and b have shape [N] and may hold
// any labels. It returns metrics.ErrLength if the lengths differ, metrics.ErrTooFew if N = 0. Time O(N).
func VI(a, b []int32) (float64, error) {
	return ExpectedVI(a, [][]int32{b})
}

// ExpectedVI returns the mean variation of information in nats between candidate [N] and samples [S][N]: the Monte
// Carlo estimate of its posterior expectation (Wade & Ghahramani 2018). No lower bound through the co-clustering matrix
// is used. Equal samples are counted once with their weight.
//
// It returns metrics.ErrTooFew for no samples or no points, metrics.ErrLength for unequal lengths. Time O(S·N).
func ExpectedVI(candidate []int32, samples [][]int32) (float64, error) {
	if err := checkSamples(len(candidate), samples); err != nil {
		return 0, err
	}
	return newVIScorer(len(candidate), samples).expected(newPartition(candidate)), nil
}

// tieTolerance is the difference in nats below which two expected VIs count as equal. It is far above the rounding of a
// mean over samples (about 1e-15·log N) and far below the effect of moving one point (of order 1/N).
const tieTolerance = 1e-12

// PointEstimate returns the index of the candidate that minimizes ExpectedVI over samples, and that minimum in nats.
// Ties go to the lower index. The usual choice of candidates is the samples themselves.
//
// candidates has shape [C][N], samples [S][N]. It returns metrics.ErrTooFew for no candidates, samples or points,
// metrics.ErrLength for unequal lengths. Time O(C·S·N), equal partitions on either side counted once.
func PointEstimate(candidates, samples [][]int32) (index int, expectedVI float64, err error) {
	if len(candidates) == 0 {
		return 0, 0, fmt.Errorf("no candidates for a point estimate: %w", metrics.ErrTooFew)
	}
	n := len(candidates[0])
	if err := checkSamples(n, candidates); err != nil {
		return 0, 0, fmt.Errorf("candidates: %w", err)
	}
	if err := checkSamples(n, samples); err != nil {
		return 0, 0, err
	}
	scorer := newVIScorer(n, samples)
	index, expectedVI = -1, math.Inf(1)
	seen := make(map[string]bool, len(candidates))
	for i, labels := range candidates {
		p := newPartition(labels)
		k := key(p.labels)
		if seen[k] {
			continue // an earlier index has the same value
		}
		seen[k] = true
		if v := scorer.expected(p); v < expectedVI-tieTolerance {
			index, expectedVI = i, v
		}
	}
	return index, expectedVI, nil
}

// viScorer holds what does not depend on the candidate.
type viScorer struct {
	phi     []float64 // φ(n) for n = 0..N
	samples []weighted
	self    []float64 // Σ_j φ(b_j) of each sample
	total   int       // S
	count   []int32   // one counter a sample cluster, all 0 between calls
}

func newVIScorer(n int, samples [][]int32) *viScorer {
	s := &viScorer{phi: make([]float64, n+1), samples: distinct(samples), total: len(samples), count: make([]int32, n)}
	for i := 2; i <= n; i++ {
		s.phi[i] = float64(i) * math.Log(float64(i))
	}
	for _, d := range s.samples {
		s.self = append(s.self, s.sizeSum(d.partition))
	}
	return s
}

// sizeSum returns Σ_k φ(n_k) over the clusters of p.
func (s *viScorer) sizeSum(p *partition) float64 {
	sum := 0.0
	for _, size := range p.size {
		sum += s.phi[size]
	}
	return sum
}

func (s *viScorer) expected(candidate *partition) float64 {
	own, sum := s.sizeSum(candidate), 0.0
	for i, d := range s.samples {
		vi := (own + s.self[i] - 2*s.cellSum(candidate, d.labels)) / float64(len(d.labels))
		sum += float64(d.count) * max(0, vi)
	}
	return sum / float64(s.total)
}

// cellSum returns Σ_ij φ(n_ij) of the contingency table of a and b. It goes through a cluster by cluster, counts the
// labels of b there, and collects the counters on a second visit; a counter already collected adds φ(0) = 0.
func (s *viScorer) cellSum(a *partition, b []int32) float64 {
	sum, start := 0.0, 0
	for _, size := range a.size {
		points := a.order[start : start+size]
		start += size
		for _, p := range points {
			s.count[b[p]]++
		}
		for _, p := range points {
			j := b[p]
			sum += s.phi[s.count[j]]
			s.count[j] = 0
		}
	}
	return sum
}
