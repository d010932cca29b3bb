package sampling

import (
	"cmp"
	"fmt"
	"slices"
)

// Beam searches for the most probable labellings of a sequence's set: at each step the width most probable of all
// extensions survive. It returns up to width different labellings with their log-probabilities, the most probable
// first; width 1 is greedy decoding. The search runs on the host loop and costs width·(K+1) network rows a step.
func (s *Sets) Beam(q Sequence, width int) (*Result, error) {
	e, err := s.onHost()
	if err != nil {
		return nil, fmt.Errorf("beam search: %w", err)
	}
	wide, narrow := s.Net.Config.Width(), s.Net.Config.StateWidth()
	start := newState(s.Net.Config)
	copy(start.ahead, e.ahead[q.Set*narrow:(q.Set+1)*narrow])
	b := &beam{scorer{net: s.Net}, []*state{start}, [][]int32{make([]int32, s.N)}}
	for step := range s.N {
		row := q.row(step, s.N)
		err := s.ctx.Err()
		if err == nil {
			err = b.step(width, q.point(step), e.h[row*wide:(row+1)*wide], e.u[row*narrow:(row+1)*narrow])
		}
		if err != nil {
			return nil, fmt.Errorf("beam search: %w", err)
		}
	}
	r := &Result{Labels: b.labels}
	for _, st := range b.states {
		r.LogProb = append(r.LogProb, st.logProb)
	}
	return r, nil
}

// beam holds the surviving paths, the most probable first: their states, and their labels so far, by point.
type beam struct {
	scorer scorer
	states []*state
	labels [][]int32 // [≤ width][N]
}

// step extends every path by the next point, given by its h' [W] and u' [V].
func (b *beam) step(width, point int, h, u []float32) error {
	err := b.scorer.score(b.states, func(int) []float32 { return h }, func(int) []float32 { return u })
	if err != nil {
		return err
	}
	type move struct {
		parent, slot   int
		logProb, whole float64 // of the decision, and of the path
	}
	var all []move
	for i, st := range b.states {
		for k, p := range logSoftmaxNeg(b.scorer.energies(i, st)) {
			all = append(all, move{i, k, p, st.logProb + p})
		}
	}
	slices.SortStableFunc(all, func(a, b move) int { return cmp.Compare(b.whole, a.whole) })
	var states []*state
	var labels [][]int32
	for _, m := range all[:min(width, len(all))] {
		st, own := b.states[m.parent].clone(), slices.Clone(b.labels[m.parent])
		b.scorer.assign(m.parent, st, m.slot, h, m.logProb)
		own[point] = int32(m.slot)
		states, labels = append(states, st), append(labels, own)
	}
	b.states, b.labels = states, labels
	return nil
}
