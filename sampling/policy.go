package sampling

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
)

// Policy chooses the slot of a sequence's next point. Only this package can implement it.
type Policy interface {
	// bind checks that the policy fits a run. It returns the policy with its state for the run's sequences.
	bind(s *Sets, sequences []Sequence) (Policy, error)
	// draw tells a loop how to choose (see take) for the sequence, the step (0-based position in the sequence's order)
	// and the point's index in its set. For each sequence it is called once a step, in order.
	draw(sequence, step, point int) float64
}

// takeBest is the draw that takes the most probable slot.
const takeBest = 2

// drawnSlot is the draw that takes a slot.
func drawnSlot(k int) float64 { return float64(-1 - k) }

// take returns the slot for a draw, given the log-probabilities of the K_n+1 candidates: a uniform number in 0..1
// samples a slot, takeBest takes the most probable slot, the lowest among equals, and −1 − k takes slot k.
func take(draw float64, logProbs []float64) int {
	switch {
	case draw < 0:
		return int(-1 - draw)
	case draw >= takeBest:
		return floats.MaxIdx(logProbs)
	}
	return invert(logProbs, draw)
}

// invert returns the first candidate whose cumulative probability exceeds u, the last if rounding left a sliver above
// it.
func invert(logProbs []float64, u float64) int {
	for k, p := range logProbs {
		if u -= math.Exp(p); u < 0 {
			return k
		}
	}
	return len(logProbs) - 1
}

// Greedy takes the most probable candidate at each step, the lowest slot among equals.
type Greedy struct{}

func (g Greedy) bind(*Sets, []Sequence) (Policy, error) { return g, nil }
func (Greedy) draw(_, _, _ int) float64                 { return takeBest }

// Ancestral draws each label from the policy P_F by inversion.
type Ancestral struct {
	// Uniforms holds one number in [0,1) a sequence and step, [S,N].
	Uniforms []float64
	Steps    int // N
}

// NewAncestral draws the uniforms of S sequences of N steps from rng, on the host, so that every backend sees the same.
func NewAncestral(rng *rand.Rand, sequences, steps int) Ancestral {
	uniforms := make([]float64, sequences*steps)
	for i := range uniforms {
		uniforms[i] = rng.Float64()
	}
	return Ancestral{Uniforms: uniforms, Steps: steps}
}

func (a Ancestral) bind(s *Sets, sequences []Sequence) (Policy, error) {
	if a.Steps != s.N || len(a.Uniforms) != len(sequences)*s.N {
		return nil, fmt.Errorf("%d uniforms in steps of %d for %d sequences of %d points",
			len(a.Uniforms), a.Steps, len(sequences), s.N)
	}
	return a, nil
}

func (a Ancestral) draw(sequence, step, _ int) float64 { return a.Uniforms[sequence*a.Steps+step] }

// Tempered draws each label from P_F to the power of 1/Temperature, normalized. Temperature 1 is Ancestral, and near 0
// it approaches Greedy. A run's log-probabilities are still under P_F. Only the host loop supports it.
type Tempered struct {
	Ancestral
	Temperature float64 // above 0
}

func (t Tempered) bind(s *Sets, sequences []Sequence) (Policy, error) {
	if !(t.Temperature > 0) || math.IsInf(t.Temperature, 1) {
		return nil, fmt.Errorf("temperature %g: it must be a finite number above 0", t.Temperature)
	}
	_, err := t.Ancestral.bind(s, sequences)
	return t, err
}

// temper returns the log-probabilities by which labels are drawn.
func (t Tempered) temper(logProbs []float64) []float64 {
	tempered := slices.Clone(logProbs)
	floats.Scale(1/t.Temperature, tempered)
	floats.AddConst(-floats.LogSumExp(tempered), tempered)
	return tempered
}

// Given follows known labels, so that a run returns their log-probability. Labels [S][N] belong to the points of each
// sequence's set, in the set's own order. They need not be canonical: each sequence renumbers them as it meets them.
type Given struct {
	Labels [][]int32
	known
}

func (g *Given) bind(s *Sets, sequences []Sequence) (Policy, error) {
	k, err := newKnown(g.Labels, sequences, s.N)
	return &Given{known: k}, err
}

func (g *Given) draw(sequence, _, point int) float64 { return drawnSlot(g.slot(sequence, point)) }

// known are labels that sequences follow.
type known struct {
	labels [][]int32       // [S][N]
	slots  []map[int32]int // per sequence: the slot of each label met so far
}

func newKnown(labels [][]int32, sequences []Sequence, steps int) (known, error) {
	k := known{labels, make([]map[int32]int, len(labels))}
	if len(labels) != len(sequences) {
		return k, fmt.Errorf("given labels of %d sequences for %d", len(labels), len(sequences))
	}
	for i, l := range labels {
		if len(l) != steps {
			return k, fmt.Errorf("%d given labels for the %d points of sequence %d", len(l), steps, i)
		}
		k.slots[i] = map[int32]int{}
	}
	return k, nil
}

// slot numbers a point's label by first appearance in the sequence: it is never above K_n.
func (k known) slot(sequence, point int) int {
	seen, label := k.slots[sequence], k.labels[sequence][point]
	slot, met := seen[label]
	if !met {
		slot = len(seen)
		seen[label] = slot
	}
	return slot
}

// DefaultRedraws are the shares for Redraws that correct most early decisions of a network with free flows
// (docs/objective.md).
var DefaultRedraws = []float64{0.25, 0.25, 0.5, 0.5, 0.75, 0.75}

// Redraws improves samples of whole sets. For each share in keep, all sequences meet their points in a new random
// order, keep the labels of that share of them, and draw the other labels again (see Redraw). labels [S][N] belong to
// each sequence's set. The resulting labels are numbered as the last pass met them.
func (s *Sets) Redraws(rng *rand.Rand, sequences []Sequence, labels [][]int32, keep ...float64) ([][]int32, error) {
	for _, share := range keep {
		again := make([]Sequence, len(sequences))
		for i, q := range sequences {
			again[i] = Sequence{Set: q.Set, Order: data.Order(rng, s.N)}
		}
		r, err := s.Run(again, &Redraw{
			Labels: labels, Keep: int(share * float64(s.N)), Ancestral: NewAncestral(rng, len(again), s.N),
		})
		if err != nil {
			return nil, err
		}
		labels = r.Labels
	}
	return labels, nil
}

// Redraw keeps the labels of the first Keep points that a sequence meets and draws the others again, as Ancestral does:
// a step of a Markov chain that leaves the policy's law invariant if it does not depend on the order. So early
// decisions are made again with most points in place. The result's log-probability covers only the drawn decisions.
type Redraw struct {
	Labels [][]int32 // [S][N] of each sequence's set, in the set's own order; any numbering
	Keep   int       // 0..N
	Ancestral
	known
}

func (r *Redraw) bind(s *Sets, sequences []Sequence) (Policy, error) {
	if r.Keep < 0 || r.Keep > s.N {
		return nil, fmt.Errorf("redraw: %d of %d points kept", r.Keep, s.N)
	}
	if _, err := r.Ancestral.bind(s, sequences); err != nil {
		return nil, fmt.Errorf("redraw: %w", err)
	}
	k, err := newKnown(r.Labels, sequences, s.N)
	return &Redraw{Keep: r.Keep, Ancestral: r.Ancestral, known: k}, err
}

// decidedFrom returns the first step of a policy whose decision counts: the labels before it are known. The last
// decision always counts, because it gives the energy of the whole.
func decidedFrom(policy Policy, steps int) int {
	if r, ok := policy.(*Redraw); ok {
		return min(r.Keep, steps-1)
	}
	return 0
}

// draw returns a kept slot, or the uniform number.
func (r *Redraw) draw(sequence, step, point int) float64 {
	if step >= r.Keep {
		return r.Ancestral.draw(sequence, step, point)
	}
	return drawnSlot(r.slot(sequence, point))
}
