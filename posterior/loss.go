package posterior

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

// Loss is a distance between two partitions a, b of the same N points, and the loss of estimating one by the other.
// Both have the form
//
//	(Σ_i φ(a_i) + Σ_j φ(b_j) − 2·Σ_ij φ(n_ij)) / norm
//
// with the cluster sizes a_i, b_j and the shared points n_ij, both are metrics and 0 exactly for equal partitions.
type Loss uint8

const (
	// LossVI is the variation of information in nats, at most log N (Meilă 2007; see VI): φ(n) = n·log n, norm = N.
	LossVI Loss = iota
	// LossBinder is Binder's loss with equal costs (Binder 1978), as a fraction of the N² ordered pairs: φ(n) = n²,
	// norm = N². It is the probability that two points drawn with replacement are together in one partition and apart
	// in the other, at most 1 − 1/N (Wade & Ghahramani 2018, "N-invariant").
	LossBinder
)

// String returns "VI" or "Binder".
func (l Loss) String() string {
	if l == LossBinder {
		return "Binder"
	}
	return "VI"
}

// Distance returns the loss of partitions a and b [N] (any labels). It returns metrics.ErrLength if the lengths differ,
// metrics.ErrTooFew if N = 0. Time O(N).
func (l Loss) Distance(a, b []int32) (float64, error) { return l.Expected(a, [][]int32{b}) }

// Expected returns the mean loss between candidate [N] and samples [S][N]: the Monte Carlo estimate of its posterior
// expectation (Wade & Ghahramani 2018). It is no lower bound through the co-clustering matrix.
//
// It returns metrics.ErrTooFew for no samples or no points, metrics.ErrLength for unequal lengths. Time O(S·N).
func (l Loss) Expected(candidate []int32, samples [][]int32) (float64, error) {
	if err := checkSamples(len(candidate), samples); err != nil {
		return 0, err
	}
	return newScorer(l, len(candidate), samples).expected(partition.New(candidate)), nil
}

// PointEstimate returns the index of the candidate that minimizes Expected over samples, and that minimum. Ties go to
// the lower index. The usual choice of candidates is the samples themselves.
//
// candidates has shape [C][N], samples [S][N]. It returns metrics.ErrTooFew for no candidates, samples or points,
// metrics.ErrLength for unequal lengths. Time O(C·S·N), equal partitions on either side counted once.
func (l Loss) PointEstimate(candidates, samples [][]int32) (index int, expected float64, err error) {
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
	s := newScorer(l, n, samples)
	index, expected = -1, math.Inf(1)
	for _, d := range distinct(candidates) { // a later index of an equal one has the same value
		if v := s.expected(d.Partition); v < expected-s.tolerance {
			index, expected = d.first, v
		}
	}
	return index, expected, nil
}

// viTolerance is the difference in nats below which two VIs, or two means of them, count as equal. It is far above the
// rounding of a mean over samples (about 1e-15·log N) and far below the effect of moving one point (of order 1/N).
// Binder's losses are whole numbers up to the division by the norm and need none.
const viTolerance = 1e-12

// scorer holds what does not depend on the candidate.
type scorer struct {
	phi       []float64 // φ(n) for n = 0..N
	norm      float64
	tolerance float64
	samples   []weighted
	self      []float64 // Σ_j φ(b_j) of each sample
	total     int       // S
	count     []int32   // one counter a sample cluster, all 0 between calls
}

func newScorer(l Loss, n int, samples [][]int32) *scorer {
	s := &scorer{phi: make([]float64, n+1), samples: distinct(samples), total: len(samples), count: make([]int32, n)}
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

func (s *scorer) expected(candidate *partition.Partition) float64 {
	own, sum := s.sizeSum(candidate), 0.0
	for i, d := range s.samples {
		sum += float64(d.count) * s.raw(candidate, own, i)
	}
	return sum / (s.norm * float64(s.total))
}

// distances returns the loss between candidate and every different sample, in the order of s.samples.
func (s *scorer) distances(candidate *partition.Partition) []float64 {
	own, out := s.sizeSum(candidate), make([]float64, len(s.samples))
	for i := range out {
		out[i] = s.raw(candidate, own, i) / s.norm
	}
	return out
}

// raw returns the loss times the norm between the i-th different sample and a candidate whose sizeSum is own.
func (s *scorer) raw(candidate *partition.Partition, own float64, i int) float64 {
	return max(0, own+s.self[i]-2*s.cellSum(candidate, s.samples[i].Labels))
}

// cellSum returns Σ_ij φ(n_ij) of the contingency table of a and b. It goes through a cluster by cluster, counts the
// labels of b there, and collects the counters on a second visit; a counter already collected adds φ(0) = 0.
func (s *scorer) cellSum(a *partition.Partition, b []int32) float64 {
	sum := 0.0
	for _, points := range a.Clusters() {
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

// Ball is the credible ball around a point estimate (Wade & Ghahramani 2018, section 4): the partitions within Radius
// of it, the smallest radius whose ball holds the demanded share of the posterior.
//
// Its three bounds show how different partitions of the ball can be. Each holds every sampled partition that qualifies,
// canonical, in order of first appearance.
type Ball struct {
	Radius float64 // in units of the loss
	Prob   float64 // share of the samples in the ball; at least the demanded level, more if samples tie at the radius
	// Upper is the vertical upper bound: of the partitions of the ball with the fewest clusters, the most distant ones.
	Upper Bound
	// Lower is the vertical lower bound: of the partitions of the ball with the most clusters, the most distant ones.
	Lower Bound
	// Horizontal is the horizontal bound: the most distant partitions of the ball, at the radius.
	Horizontal Bound
}

// Bound holds partitions at one distance from a point estimate.
type Bound struct {
	Distance   float64   // from the point estimate, in units of the loss
	Partitions [][]int32 // [P][N], P ≥ 1
}

// CredibleBall returns the ball around estimate [N] that holds the share level of samples [S][N], such as 0.95. The
// estimate is any partition; it is usually that of Loss.PointEstimate with the same loss.
//
// It returns an error unless 0 < level ≤ 1, metrics.ErrTooFew for no samples or points, metrics.ErrLength for unequal
// lengths. Time O(S·(N + log S)).
func (l Loss) CredibleBall(estimate []int32, samples [][]int32, level float64) (*Ball, error) {
	if !(level > 0 && level <= 1) {
		return nil, usererr.New("set level to above 0 and at most 1, such as 0.95", "level is %v", level)
	}
	if err := checkSamples(len(estimate), samples); err != nil {
		return nil, err
	}
	s := newScorer(l, len(estimate), samples)
	distance := s.distances(partition.New(estimate))
	order := make([]int, len(distance))
	floats.ArgsortStable(slices.Clone(distance), order)

	need := int(math.Ceil(level*float64(s.total) - 1e-9)) // 0.95·S in floats may be just above a whole number
	inside, last := 0, -1
	for inside < max(1, need) {
		last++
		inside += s.samples[order[last]].count
	}
	ball := &Ball{Radius: distance[order[last]]}
	for last+1 < len(order) && distance[order[last+1]] <= ball.Radius+s.tolerance {
		last++
		inside += s.samples[order[last]].count
	}
	ball.Prob = float64(inside) / float64(s.total)

	members := order[:last+1]
	slices.Sort(members) // by first appearance
	few, many := len(estimate), 0
	for _, i := range members {
		few, many = min(few, len(s.samples[i].Size)), max(many, len(s.samples[i].Size))
	}
	ball.Upper = s.farthest(members, distance, func(k int) bool { return k == few })
	ball.Lower = s.farthest(members, distance, func(k int) bool { return k == many })
	ball.Horizontal = s.farthest(members, distance, func(int) bool { return true })
	return ball, nil
}

// farthest returns the most distant of the members whose number of clusters is wanted.
func (s *scorer) farthest(members []int, distance []float64, wanted func(k int) bool) Bound {
	b := Bound{Distance: -1}
	for _, i := range members {
		if wanted(len(s.samples[i].Size)) {
			b.Distance = max(b.Distance, distance[i])
		}
	}
	for _, i := range members {
		if wanted(len(s.samples[i].Size)) && distance[i] >= b.Distance-s.tolerance {
			b.Partitions = append(b.Partitions, s.samples[i].Labels)
		}
	}
	return b
}
