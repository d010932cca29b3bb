package sampling

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/gfncp/gfncp/internal/engine"
)

// runHost decodes with a loop on the host: one call of the network for each step, on exactly the candidates that exist.
// On the Go backend the sequences are split over the cores; the result does not depend on the split. Sequences that
// meet the same points in the same order are one path until their labels differ.
func (s *Sets) runHost(sequences []Sequence, policy Policy) (*Result, error) {
	all := s.start(sequences, policy)
	e, err := s.onHost()
	if err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	count := 1
	if s.Net.OnGo() {
		count = min(runtime.GOMAXPROCS(0), len(sequences))
	}
	parts := make([]*hostPart, count)
	for i := range parts {
		from, to := i*len(sequences)/count, (i+1)*len(sequences)/count
		parts[i] = s.newHostPart(all.part(from, to), e)
	}
	if err := s.eachPart(parts); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	for _, p := range parts {
		for at, st := range p.states {
			for _, i := range p.members[at] {
				all.result.LogProb[p.offset+i] = st.logProb
			}
		}
	}
	return all.result, nil
}

// eachPart takes all steps in all parts, side by side.
func (s *Sets) eachPart(parts []*hostPart) error {
	return engine.SideBySide(s.ctx, s.Net.Backend, len(parts), 1, func(i, _ int) error {
		for step := range s.N {
			if err := s.ctx.Err(); err != nil {
				return err
			}
			if err := parts[i].step(step); err != nil {
				return err
			}
			if i == 0 && s.Progress != nil { // the parts go side by side
				s.Progress(step+1, s.N)
			}
		}
		return nil
	})
}

// hostPart is some of a run's sequences, decoded in step with each other. A path is the common history of sequences of
// one set that meet its points in the same order and have the same labels so far.
type hostPart struct {
	run
	states    []*state // of each path
	members   [][]int  // its sequences, by their index in the part
	scorer    scorer
	embedding embedding
	stride    int // points of a set
}

func (s *Sets) newHostPart(r run, e embedding) *hostPart {
	p := &hostPart{run: r, scorer: scorer{net: s.Net}, embedding: e, stride: s.N}
	for i, q := range r.sequences {
		if i > 0 && p.decided == 0 && r.sequences[i-1].Set == q.Set && r.sequences[i-1].alike(q) {
			last := len(p.members) - 1
			p.members[last] = append(p.members[last], i)
			continue
		}
		st := newState(s.Net.Config)
		copy(st.ahead, e.ahead[q.Set*st.v:(q.Set+1)*st.v])
		p.states, p.members = append(p.states, st), append(p.members, []int{i})
	}
	return p
}

// step takes one point of each sequence.
func (p *hostPart) step(step int) error {
	pick := func(rows []float32, width, i int) []float32 {
		row := p.sequences[p.members[i][0]].row(step, p.stride)
		return rows[row*width : (row+1)*width]
	}
	c := p.scorer.net.Config
	h := func(i int) []float32 { return pick(p.embedding.h, c.Width(), i) }
	u := func(i int) []float32 { return pick(p.embedding.u, c.StateWidth(), i) }
	if step < p.decided {
		return p.follow(step, h, u)
	}
	if err := p.scorer.score(p.states, h, u); err != nil {
		return err
	}
	for i := range p.states {
		p.decide(i, step, h(i))
	}
	return nil
}

// follow assigns a point whose label is known, in each path's one sequence. g' of the clusters is evaluated once,
// before the first decision.
func (p *hostPart) follow(step int, h, u func(i int) []float32) error {
	for i, st := range p.states {
		sequence, point := p.offset+i, p.sequences[i].point(step)
		k := take(p.draw(sequence, step, point), nil)
		p.result.Labels[sequence][point] = int32(k)
		st.leave(u(i))
		st.join(k, h(i))
	}
	if step+1 < p.decided {
		return nil
	}
	return p.scorer.clusters(p.states)
}

// decide chooses the slot of the next point, whose h' is given, for each member of a path. Members that choose another
// slot than the first one become paths of their own.
func (p *hostPart) decide(at, step int, h []float32) {
	energies := p.scorer.energies(at, p.states[at])
	logProbs := logSoftmaxNeg(energies)
	spread, drawnBy := entropy(logProbs), p.policy.temper(logProbs)
	var branches []branch
	for _, i := range p.members[at] {
		sequence, point := p.offset+i, p.sequences[i].point(step)
		k := take(p.draw(sequence, step, point), drawnBy)
		p.result.Labels[sequence][point] = int32(k)
		p.result.Entropy[sequence][point] = spread
		p.result.Final[sequence] = float64(energies[k])
		b := slices.IndexFunc(branches, func(b branch) bool { return b.slot == k })
		if b < 0 {
			b, branches = len(branches), append(branches, branch{slot: k})
		}
		branches[b].members = append(branches[b].members, i)
	}
	for _, b := range branches[1:] {
		own := p.states[at].clone()
		p.states, p.members = append(p.states, own), append(p.members, b.members)
		p.scorer.assign(at, own, b.slot, h, logProbs[b.slot])
	}
	p.members[at] = branches[0].members
	p.scorer.assign(at, p.states[at], branches[0].slot, h, logProbs[branches[0].slot])
}

// branch holds the members of a path that choose one slot.
type branch struct {
	slot    int
	members []int
}
