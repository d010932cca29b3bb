package posterior

import (
	"math"
	"math/rand/v2"
	"slices"
)

// selecting is a chain's state of its Selection.
type selecting struct {
	*evidence
	given        []float64   // [N·P], the points at hand
	rows         []float64   // [N·F], in all directions
	chosen       []int       // rising
	shape        Shape       // given which, and what law says of it, the partition is drawn
	directions   [][]float64 // [q][P] of the chain's points
	terms, other []float64   // room for the weights of shapes
	known        *float64    // log weight of what is chosen; nil if points moved since
}

// Proposals of other directions in a sweep.
const (
	flips = 24 // at most, with one more or one less
	jumps = 6  // to others, of all directions or of a group
)

// newSelectingChain is NewChain on what the start of a Selection shows of points x [N·P].
func newSelectingChain(e *evidence, prior CRP, x, rows []float64, start []int32) (*Chain, error) {
	s := &selecting{
		evidence: e.copies(), given: x, rows: rows, chosen: slices.Clone(e.Start), shape: e.Shapes[0],
		terms: make([]float64, len(e.Shapes)), other: make([]float64, len(e.Shapes)),
	}
	s.clusters = []moments{e.all} // a shape that is shared starts as that of one cluster
	law, directions := s.law(rand.New(rand.NewPCG(0, 0)))
	c, err := NewChain(law, prior, project(x, directions), start)
	if err != nil {
		return nil, err
	}
	s.clusters, s.directions, c.selecting = nil, directions, s
	return c, nil
}

// reselect draws directions and shape given the partition. The directions are drawn with the shape summed out, so that
// a change of both at once finds its way; a covariance that clusters share is drawn last, given all else.
func (c *Chain) reselect(rng *rand.Rand) {
	s := c.selecting
	if s == nil {
		return
	}
	s.gather(s.rows, c.cluster, len(c.size))
	before, shape := slices.Clone(s.chosen), s.shape
	s.choose(rng)
	same := s.shape == shape && slices.Equal(before, s.chosen)
	if same && (shape == ShapeFull || shape == ShapeAxes) {
		return
	}
	c.model, s.directions = s.law(rng)
	c.x, c.dim = project(s.given, s.directions), len(s.directions)
	c.open = c.model.Clusters(len(c.cluster))
	c.none, c.spare = c.open(), nil
	for k := range c.stats {
		c.stats[k] = c.open()
	}
	for i, k := range c.cluster {
		c.stats[k].Add(c.point(i))
	}
}

// choose draws directions, by steps of Metropolis, then the shape.
func (s *selecting) choose(rng *rand.Rand) {
	f := len(s.Directions)
	now := s.log(s.chosen, s.terms)
	for range min(flips, f) {
		now = s.propose(rng, s.flipped(rng.IntN(f)), now, 0)
	}
	for range s.chosen {
		now = s.propose(rng, s.swapped(rng), now, 0)
	}
	for range jumps {
		if other := s.jumped(rng); other != nil {
			now = s.propose(rng, other, now, s.logJump(s.chosen)-s.logJump(other))
		}
	}
	s.shape = s.Shapes[drawLog(rng, s.terms)]
	s.known = &now
}

// propose takes other directions, or not, and returns the log weight of those that are chosen then; back is the
// log-probability to propose these from the others, less that of this proposal.
func (s *selecting) propose(rng *rand.Rand, other []int, now, back float64) float64 {
	if len(other) == 0 || len(other) > s.Most {
		return now
	}
	then := s.log(other, s.other)
	if !(math.Log(rng.Float64()) < then-now+back) {
		return now
	}
	s.chosen = other
	s.terms, s.other = s.other, s.terms
	return then
}

// logChosen is the log weight of what a chain has chosen, given its partition.
func (s *selecting) logChosen(c *Chain) float64 {
	if s.known == nil {
		s.gather(s.rows, c.cluster, len(c.size))
		known := s.log(s.chosen, s.terms)
		s.known = &known
	}
	return *s.known
}

// flipped are the chosen directions with one more or one less.
func (s *selecting) flipped(i int) []int {
	at, in := slices.BinarySearch(s.chosen, i)
	if in {
		return slices.Delete(slices.Clone(s.chosen), at, at+1)
	}
	return slices.Insert(slices.Clone(s.chosen), at, i)
}

// swapped are the chosen directions with one of them changed for another; nil if there is none.
func (s *selecting) swapped(rng *rand.Rand) []int {
	rest := len(s.Directions) - len(s.chosen)
	if rest == 0 {
		return nil
	}
	out, in := rng.IntN(len(s.chosen)), rng.IntN(rest)
	for _, i := range s.chosen {
		if in >= i {
			in++
		}
	}
	other := slices.Delete(slices.Clone(s.chosen), out, out+1)
	at, _ := slices.BinarySearch(other, in)
	return slices.Insert(other, at, in)
}

// groups are places from..to of directions that a jump leads to: all, the axes, or the others.
func (s *selecting) groups() [3][2]int {
	f := len(s.Directions)
	return [3][2]int{{0, f}, {0, s.Axes}, {s.Axes, f}}
}

// jumped are random directions of a group, any number of them; nil if there are none.
func (s *selecting) jumped(rng *rand.Rand) []int {
	g := s.groups()[rng.IntN(3)]
	most := min(s.Most, g[1]-g[0])
	if most == 0 {
		return nil
	}
	other := rng.Perm(g[1] - g[0])[:1+rng.IntN(most)]
	for a := range other {
		other[a] += g[0]
	}
	slices.Sort(other)
	return other
}

// logJump is the log-probability, but for a constant, of a jump to some directions.
func (s *selecting) logJump(chosen []int) float64 {
	p := 0.0
	for _, g := range s.groups() {
		if chosen[0] >= g[0] && chosen[len(chosen)-1] < g[1] {
			size := g[1] - g[0]
			p += math.Exp(-logChoose(size, len(chosen))) / float64(min(s.Most, size))
		}
	}
	return math.Log(p)
}

// state is the chain's partition with its law.
func (c *Chain) state() State {
	s := State{Labels: c.Labels(), Model: c.model}
	if c.selecting != nil {
		s.Directions = c.selecting.directions
	}
	return s
}
