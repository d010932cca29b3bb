package sampling

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
)

// Policy chooses the slot of a sequence's next point.
type Policy struct {
	draws       func() draws // the draws of a new run
	keep        int          // known labels of a sequence: decisions count after them
	temperature float64      // see Tempered; 0 for 1
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
func Greedy() Policy { return stateless(func(_, _, _ int) float64 { return takeBest }) }

func stateless(d draws) Policy { return Policy{draws: func() draws { return d }} }

// Ancestral draws each label from the policy P_F by inversion. It draws the uniforms of S sequences of N steps from rng
// at once, on the host, so that every backend sees the same.
func Ancestral(rng *rand.Rand, sequences, steps int) Policy {
	uniforms := make([]float64, sequences*steps)
	for i := range uniforms {
		uniforms[i] = rng.Float64()
	}
	return stateless(func(sequence, step, _ int) float64 { return uniforms[sequence*steps+step] })
}

// Tempered draws each label as p does, but from P_F to the power of 1/temperature, normalized. Temperatures 0 and 1
// change nothing; near 0 it approaches Greedy. A run's log-probabilities are still under P_F. Only the host loop
// supports it.
func (p Policy) Tempered(temperature float64) Policy {
	if temperature != 1 {
		p.temperature = temperature
	}
	return p
}

// temper returns the log-probabilities by which labels are drawn.
func (p Policy) temper(logProbs []float64) []float64 {
	if p.temperature == 0 {
		return logProbs
	}
	tempered := slices.Clone(logProbs)
	floats.Scale(1/p.temperature, tempered)
	floats.AddConst(-floats.LogSumExp(tempered), tempered)
	return tempered
}

// Given follows known labels, so that a run returns their log-probability. Labels [S][N] belong to the points of each
// sequence's set, in the set's own order. They need not be canonical: each sequence renumbers them as it meets them.
func Given(labels [][]int32) Policy {
	return Policy{draws: func() draws { return following(labels) }}
}

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
		r, err := s.Run(again, Redraw(labels, int(share*float64(s.N)), Ancestral(rng, len(again), s.N)))
		if err != nil {
			return nil, err
		}
		labels = r.Labels
	}
	return labels, nil
}

// Redraw keeps labels [S][N], of any numbering, for the first keep points that a sequence meets, and draws the others
// again as p does: a step of a Markov chain that leaves the policy's law invariant if it does not depend on the order.
// So early decisions are made again with most points in place. The result's log-probability covers only the drawn
// decisions.
func Redraw(labels [][]int32, keep int, p Policy) Policy {
	begin := p.draws
	p.keep, p.draws = keep, func() draws {
		kept, drawn := following(labels), begin()
		return func(sequence, step, point int) float64 {
			if step >= keep {
				return drawn(sequence, step, point)
			}
			return kept(sequence, step, point)
		}
	}
	return p
}
