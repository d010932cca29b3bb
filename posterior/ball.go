package posterior

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Ball is the credible ball around a point estimate (Wade & Ghahramani 2018, section 4): the partitions within Radius of
// it, the smallest radius whose ball holds the demanded share of the posterior.
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
