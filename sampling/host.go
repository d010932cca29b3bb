package sampling

import (
	"fmt"
	"runtime"
	"sync"
)

// RunHost decodes with a loop on the host: one call of the network a step, on exactly the candidates that exist. On the
// Go backend the sequences are split over the cores; the result does not depend on the split.
func (s *Sets) RunHost(sequences []Sequence, policy Policy) (*Result, error) {
	policy, result, err := s.start(sequences, policy)
	if err != nil {
		return nil, err
	}
	u0, err := s.u0()
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
		parts[i] = s.newHostPart(sequences[from:to], from, policy, result, u0)
	}
	err = s.windows(sequences, func(w window) error { return s.eachPart(parts, w) })
	if err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	for _, p := range parts {
		for i, st := range p.states {
			result.LogProb[p.offset+i] = st.logProb
		}
	}
	return result, nil
}

// eachPart takes the steps of a window in all parts, side by side.
func (s *Sets) eachPart(parts []*hostPart, w window) error {
	errs := make([]error, len(parts))
	var wg sync.WaitGroup
	for i, p := range parts {
		wg.Go(func() {
			for step := w.from; step < w.to && errs[i] == nil; step++ {
				if errs[i] = s.ctx.Err(); errs[i] == nil {
					errs[i] = p.step(w, step)
				}
				if i == 0 && s.Progress != nil { // the parts go side by side
					s.Progress(step+1, s.N)
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// hostPart is some of a run's sequences, decoded in step with each other.
type hostPart struct {
	sequences []Sequence
	offset    int // the first one's index in the run
	states    []*state
	scorer    scorer
	policy    Policy
	result    *Result
}

func (s *Sets) newHostPart(
	sequences []Sequence, offset int, policy Policy, result *Result, u0 []float64,
) *hostPart {
	p := &hostPart{sequences: sequences, offset: offset, scorer: scorer{net: s.Net}, policy: policy, result: result}
	for _, q := range sequences {
		st := newState(s.Net.Config)
		copy(st.ahead, u0[q.Set*st.v:(q.Set+1)*st.v])
		p.states = append(p.states, st)
	}
	return p
}

// step decides one point of each sequence.
func (p *hostPart) step(w window, step int) error {
	pick := func(rows []float32, width, i int) []float32 {
		row := w.row(p.sequences[i], step)
		return rows[row*width : (row+1)*width]
	}
	c := p.scorer.net.Config
	h := func(i int) []float32 { return pick(w.h, c.Width(), i) }
	u := func(i int) []float32 { return pick(w.u, c.StateWidth(), i) }
	if err := p.scorer.score(p.states, h, u); err != nil {
		return err
	}
	for i, st := range p.states {
		sequence, point := p.offset+i, p.sequences[i].point(step)
		energies := p.scorer.energies(i, st)
		logProbs := logSoftmaxNeg(energies)
		k := p.policy.choose(sequence, step, point, logProbs)
		p.result.Labels[sequence][point] = int32(k)
		p.result.Entropy[sequence][point] = entropy(logProbs)
		p.result.Final[sequence] = float64(energies[k])
		st.assign(k, h(i), p.scorer.gamma(i, k))
		st.logProb += logProbs[k]
	}
	return nil
}
