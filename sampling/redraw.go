package sampling

import (
	"fmt"
	"math/rand/v2"
)

// DefaultRedraws are the passes of Redraws that correct most early decisions of a network with free flows
// (docs/objective.md).
var DefaultRedraws = []float64{0.25, 0.25, 0.5, 0.5, 0.75, 0.75}

// Redraws improves samples of whole sets. For each share in keep, all sequences meet their points in a new random
// order, keep the labels of that share of them, and draw the other labels again (see Redraw). labels [S][N] are those
// of each sequence's set; its Order is not read. The resulting labels are numbered as the last pass met them. Without
// keep the labels stay.
func (s *Sets) Redraws(rng *rand.Rand, sequences []Sequence, labels [][]int32, keep ...float64) ([][]int32, error) {
	for _, share := range keep {
		again := make([]Sequence, len(sequences))
		for i, q := range sequences {
			again[i] = Sequence{Set: q.Set, Order: make([]int32, s.N)}
			for step, point := range rng.Perm(s.N) {
				again[i].Order[step] = int32(point)
			}
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

// Redraw keeps the labels of the first Keep points that a sequence meets and draws the others again, as Ancestral does.
// This is a step of a Markov chain that leaves the policy's law invariant if it does not depend on the order. So early
// decisions, made before a cluster can be seen, are made again with most points in place. The result's log-probability
// and entropies are those of the drawn decisions.
type Redraw struct {
	Labels [][]int32 // [S][N] of each sequence's set, in the set's own order; any numbering
	Keep   int       // 0..N
	Ancestral
	known
}

func (r *Redraw) bind(s *Sets, sequences []Sequence) (Policy, error) {
	if len(r.Labels) != len(sequences) || r.Keep < 0 || r.Keep > s.N {
		return nil, fmt.Errorf("redraw: %d labellings of %d sequences, %d of %d points kept",
			len(r.Labels), len(sequences), r.Keep, s.N)
	}
	for i, labels := range r.Labels {
		if len(labels) != s.N {
			return nil, fmt.Errorf("redraw: %d labels for the %d points of sequence %d", len(labels), s.N, i)
		}
	}
	if _, err := r.Ancestral.bind(s, sequences); err != nil {
		return nil, fmt.Errorf("redraw: %w", err)
	}
	return &Redraw{Keep: r.Keep, Ancestral: r.Ancestral, known: newKnown(r.Labels)}, nil
}

func (r *Redraw) choose(sequence, step, point int, logProbs []float64) int {
	if step >= r.Keep {
		return r.Ancestral.choose(sequence, step, point, logProbs)
	}
	return r.slot(sequence, point)
}

// decidedFrom returns the first step of a policy whose decision counts: the labels before it are known. The last
// decision always counts, because it gives the energy of the whole.
func decidedFrom(policy Policy, steps int) int {
	if r, ok := policy.(*Redraw); ok {
		return min(r.Keep, steps-1)
	}
	return 0
}

// draw is a kept slot, or the uniform number.
func (r *Redraw) draw(sequence, step, point int) float32 {
	if step >= r.Keep {
		return r.Ancestral.draw(sequence, step, point)
	}
	return drawnSlot(r.slot(sequence, point))
}
