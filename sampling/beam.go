package sampling

import (
	"cmp"
	"fmt"
	"slices"
)

// move is one survivor of a beam step: it extends a path of the step before, its parent, by a slot.
type move struct {
	parent  int
	slot    int32
	logProb float64 // of the whole path
	energy  float64
	entropy float64
}

// Beam searches for the most probable labellings of a sequence's set: at each step the width most probable of all
// extensions survive. It returns up to width different labellings, the most probable first; width 1 is greedy decoding.
// The search runs on the host loop and costs width·(K+1) network rows a step.
func (s *Sets) Beam(q Sequence, width int) (*Result, error) {
	e, err := s.onHost()
	if err != nil {
		return nil, fmt.Errorf("beam search: %w", err)
	}
	b := &beam{width: width, scorer: scorer{net: s.Net}, states: []*state{newState(s.Net.Config)}}
	wide, narrow := s.Net.Config.Width(), s.Net.Config.StateWidth()
	copy(b.states[0].ahead, e.ahead[q.Set*narrow:(q.Set+1)*narrow])
	for step := range s.N {
		if err := s.ctx.Err(); err != nil {
			return nil, fmt.Errorf("beam search: %w", err)
		}
		row := q.row(step, s.N)
		if err := b.step(e.h[row*wide:(row+1)*wide], e.u[row*narrow:(row+1)*narrow]); err != nil {
			return nil, fmt.Errorf("beam search: %w", err)
		}
	}
	return b.result(q), nil
}

// beam holds the surviving paths and the moves that led to them.
type beam struct {
	width  int
	scorer scorer
	states []*state // of the surviving paths, the most probable first
	moves  [][]move // [N][≤ width]
}

// step extends every path by the next point, given by its h' [W] and u' [V].
func (b *beam) step(h, u []float32) error {
	err := b.scorer.score(b.states, func(int) []float32 { return h }, func(int) []float32 { return u })
	if err != nil {
		return err
	}
	var all []move
	for i, st := range b.states {
		energies := b.scorer.energies(i, st)
		logProbs := logSoftmaxNeg(energies)
		spread := entropy(logProbs)
		for k, p := range logProbs {
			all = append(all, move{i, int32(k), st.logProb + p, float64(energies[k]), spread})
		}
	}
	slices.SortStableFunc(all, func(a, b move) int { return cmp.Compare(b.logProb, a.logProb) })
	survivors := slices.Clone(all[:min(b.width, len(all))])
	states := make([]*state, len(survivors))
	for i, m := range survivors {
		states[i] = b.states[m.parent].clone()
		states[i].assign(int(m.slot), h, b.scorer.gamma(m.parent, int(m.slot)))
		states[i].logProb = m.logProb
	}
	b.states, b.moves = states, append(b.moves, survivors)
	return nil
}

// result traces the surviving paths back to their first points.
func (b *beam) result(q Sequence) *Result {
	n, last := len(b.moves), b.moves[len(b.moves)-1]
	r := &Result{}
	for i, end := range last {
		labels, entropies := make([]int32, n), make([]float64, n)
		for step, at := n-1, i; step >= 0; step-- {
			m := b.moves[step][at]
			labels[q.point(step)], entropies[q.point(step)] = m.slot, m.entropy
			at = m.parent
		}
		r.Labels, r.Entropy = append(r.Labels, labels), append(r.Entropy, entropies)
		r.LogProb, r.Final = append(r.LogProb, end.logProb), append(r.Final, end.energy)
	}
	return r
}
