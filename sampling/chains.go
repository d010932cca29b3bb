package sampling

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/gfncp/gfncp/metrics"
)

// chains are one for each sequence, at its labels; rng may be nil for chains that draw nothing.
func (s *Sets) chains(rng *rand.Rand, sequences []Sequence, labels [][]int32) ([]*chain, error) {
	if len(labels) != len(sequences) {
		return nil, fmt.Errorf("%d labellings for %d chains: %w", len(labels), len(sequences), metrics.ErrLength)
	}
	e, err := s.all()
	if err != nil {
		return nil, err
	}
	chains := make([]*chain, len(sequences))
	for i, q := range sequences {
		if q.Set < 0 || q.Set >= s.B || len(labels[i]) != s.N {
			return nil, fmt.Errorf("chain %d: set %d of %d, %d labels for %d points: %w",
				i, q.Set, s.B, len(labels[i]), s.N, metrics.ErrLength)
		}
		size := s.N * s.Net.Config.Width()
		chains[i] = &chain{
			state: newState(s.Net.Config), labels: canonical(labels[i]), h: e.h[q.Set*size : (q.Set+1)*size],
		}
		if rng != nil {
			chains[i].rng = rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))
		}
	}
	return chains, nil
}

// inParts works on chains in parts, on the Go backend one a core; first is the number of a part's first chain.
func (s *Sets) inParts(chains []*chain, work func(p *chainPart, first int) error) error {
	count := 1
	if s.Net.OnGo() {
		count = min(runtime.GOMAXPROCS(0), len(chains))
	}
	errs := make([]error, count)
	var wg sync.WaitGroup
	for i := range count {
		from, to := i*len(chains)/count, (i+1)*len(chains)/count
		part := &chainPart{scorer: scorer{net: s.Net, settled: true}, chains: chains[from:to]}
		wg.Go(func() { errs[i] = work(part, from) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
