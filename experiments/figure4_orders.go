package experiments

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

// twoOrdersSet is a model's most likely clustering of a set in two orders. A is the set's own, B is Order.
type twoOrdersSet struct {
	Index      []int32 `json:"index"` // [N] places in the pool
	Order      []int32 `json:"order"` // [N] the points as order B meets them
	A          []int32 `json:"a"`     // [N] canonical labels, most likely in order A
	B          []int32 `json:"b"`
	PA         float64 `json:"p_a"` // p(c|x) of A in order A
	PB         float64 `json:"p_b"` // of B in order B
	GreedySame bool    `json:"greedy_same"`
	ARI        float64 `json:"ari"`   // of A and B
	Moved      int     `json:"moved"` // points in another cluster, see aligned

	// Others and Last are gallerySet.undecided along A in order A.
	Others float64 `json:"others"`
	Last   float64 `json:"last"`
}

// same reports whether both orders have one most likely clustering.
func (s twoOrdersSet) same() bool { return slices.Equal(s.A, s.B) }

// sameBefore reports whether A and B agree on the points but the two that are met last.
func (s twoOrdersSet) sameBefore() bool {
	ends := []int{len(s.A) - 1, int(s.Order[len(s.Order)-1])}
	var kept [2][]int32
	for i := range s.A {
		if !slices.Contains(ends, i) {
			kept[0], kept[1] = append(kept[0], s.A[i]), append(kept[1], s.B[i])
		}
	}
	a, _ := metrics.Canonical(kept[0])
	b, _ := metrics.Canonical(kept[1])
	return slices.Equal(a, b)
}

// inTwoOrders finds a method's clusterings of all sets, or what an earlier call found.
func inTwoOrders(s *sheet, m method) found[[]twoOrdersSet] {
	c, sets, samples := s.Scale.twoOrdersData(), s.Scale.twoOrdersSets(), s.Scale.twoOrdersSamples()
	key := []any{"figure4", c, sets, samples, beamWidth, shortlist}
	return measured(s, mnistData, m, key, func(w weights) (all []twoOrdersSet, err error) {
		s.say("figure 4: %d sets in two orders under %s", sets, m.Name)
		err = s.gallerySets(w, c, sets, func(g gallerySet) error {
			one, err := g.inTwoOrders(samples)
			all = append(all, one)
			return err
		})
		return all, err
	})
}

// inTwoOrders finds the most likely clustering in the set's own order and in a random one, among the candidates of both.
func (g gallerySet) inTwoOrders(samples int) (s twoOrdersSet, err error) {
	s.Index = g.Index
	s.Order = evaluation.RandomOrder(data.Rand(testSeed, "figure4/order", g.Number), g.N)
	orders := [][]int32{nil, s.Order}
	var candidates []posterior.Sample
	var greedy [2][]int32
	for i, order := range orders {
		some, first, err := g.likely(order, samples, []string{"figure4/a", "figure4/b"}[i])
		if err != nil {
			return s, err
		}
		greedy[i], _ = metrics.Canonical(first)
		candidates = append(candidates, some...)
	}
	s.GreedySame = slices.Equal(greedy[0], greedy[1])
	var labels [][]int32
	for _, d := range posterior.Collapse(candidates) {
		labels = append(labels, d.Labels)
	}
	for i, order := range orders {
		logs, err := g.logProbsOf(order, labels)
		if err != nil {
			return s, err
		}
		best := floats.MaxIdx(logs)
		if i == 0 {
			s.A, s.PA = labels[best], math.Exp(logs[best])
		} else {
			s.B, s.PB = labels[best], math.Exp(logs[best])
		}
	}
	if s.Others, s.Last, err = g.undecided(s.A); err != nil {
		return s, err
	}
	return s, s.compare()
}

const (
	// beamWidth is how many labellings a beam search keeps: where no clustering has much weight, samples alone miss the best one.
	beamWidth = 16
	// shortlist is how many labellings of an order are weighed in both.
	shortlist = 40
)

// likely lists the most probable of some samples, a beam and the greedy labels in an order (nil: the set's own), and the last.
func (g gallerySet) likely(order []int32, samples int, stream string) (best []posterior.Sample, greedy []int32, err error) {
	all, err := g.samples(order, samples, stream)
	if err != nil {
		return nil, nil, err
	}
	set, err := g.Decoding(1)
	if err != nil {
		return nil, nil, err
	}
	beam, err := set.Beam(sampling.Sequence{Order: order}, beamWidth)
	if err != nil {
		return nil, nil, err
	}
	first, err := g.Run(order, 1, sampling.Greedy{})
	if err != nil {
		return nil, nil, err
	}
	distinct := posterior.Collapse(slices.Concat(all, samplesOf(beam), samplesOf(first)))
	for _, d := range distinct[:min(len(distinct), shortlist)] {
		best = append(best, posterior.Sample{Labels: d.Labels, LogProb: d.LogProb})
	}
	return best, first.Labels[0], nil
}

// compare fills in how far A and B are apart.
func (s *twoOrdersSet) compare() (err error) {
	if s.ARI, err = metrics.ARI(s.A, s.B); err != nil {
		return err
	}
	marks, err := orderMarks(s.A, s.B)
	for _, mark := range marks {
		if mark == markMoved {
			s.Moved++
		}
	}
	return err
}

// The marks of a point, places in the gallery's marks counted from 1.
const (
	markSame    = 1 + iota // with the same companions in both orders
	markRegroup            // in a pair that is together in one order only
	markMoved              // and itself the one that left its cluster
)

// orderMarks compares two clusterings a and b [N] point by point.
func orderMarks(a, b []int32) ([]int, error) {
	names, err := aligned(a, b)
	if err != nil {
		return nil, err
	}
	marks := make([]int, len(a))
	for i := range a {
		marks[i] = markSame
		for k := range a {
			if (a[i] == a[k]) != (b[i] == b[k]) {
				marks[i] = markRegroup
			}
		}
		if names[i] != a[i] {
			marks[i] = markMoved
		}
	}
	return marks, nil
}
