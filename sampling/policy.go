package sampling

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
)

// Policy chooses the slot of a sequence's next point. Only this package can implement it.
type Policy interface {
	// draws returns the draws of a new run.
	draws() draws
}

// draws tells a loop how to choose (see take) for the sequence, the step (0-based position in the sequence's order) and
// the point's index in its set. For each sequence it is called once a step, in order.
type draws func(sequence, step, point int) float64

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

func (Greedy) draws() draws { return func(_, _, _ int) float64 { return takeBest } }

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

func (a Ancestral) draws() draws {
	return func(sequence, step, _ int) float64 { return a.Uniforms[sequence*a.Steps+step] }
}

// Tempered draws each label from P_F to the power of 1/Temperature, normalized. Temperature 1 is Ancestral, and near 0
// it approaches Greedy. A run's log-probabilities are still under P_F. Only the host loop supports it.
type Tempered struct {
	Ancestral
	Temperature float64 // above 0
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
type Given struct{ Labels [][]int32 }

func (g *Given) draws() draws { return following(g.Labels) }

// following numbers each point's label by first appearance in its sequence: it is never above K_n.
func following(labels [][]int32) draws {
	slots := make([]map[int32]int, len(labels)) // per sequence: the slot of each label met so far
	for i := range slots {
		slots[i] = map[int32]int{}
	}
	return func(sequence, _, point int) float64 {
		seen, label := slots[sequence], labels[sequence][point]
		slot, met := seen[label]
		if !met {
			slot = len(seen)
			seen[label] = slot
		}
		return drawnSlot(slot)
	}
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
}

func (r *Redraw) draws() draws {
	kept, drawn := following(r.Labels), r.Ancestral.draws()
	return func(sequence, step, point int) float64 {
		if step >= r.Keep {
			return drawn(sequence, step, point)
		}
		return kept(sequence, step, point)
	}
}

// decidedFrom returns the first step of a policy whose decision counts: the labels before it are known. The last
// decision always counts, because it gives the energy of the whole.
func decidedFrom(policy Policy, steps int) int {
	if r, ok := policy.(*Redraw); ok {
		return min(r.Keep, steps-1)
	}
	return 0
}
