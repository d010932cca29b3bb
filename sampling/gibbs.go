package sampling

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
)

// Gibbs runs Markov chains over the partitions of whole sets: in a sweep every point in turn, in a random order,
// draws its cluster given those of all others from the network's last decision,
//
//	p(c_i = k | c_{−i}, x) ∝ exp(−E[c_{−i}, c_i = k])
//
// Nothing has to be foreseen there, so that sweeps mend what early decisions of an ancestral sample got wrong, as far
// as the final energy is right: they leave exp(−E[c_{1:N}]) invariant, which free flows make the posterior.
//
// Chain i starts at labels [N] of the set sequences[i].Set (Order is not read) and takes its random numbers from a
// stream of its own, seeded by rng. It returns the chains' labels, numbered by first appearance, and their final
// energies.
func (s *Sets) Gibbs(rng *rand.Rand, sequences []Sequence, labels [][]int32, sweeps int) ([][]int32, []float64, error) {
	if len(labels) != len(sequences) {
		return nil, nil, fmt.Errorf("gibbs sweeps: %d labellings for %d chains: %w",
			len(labels), len(sequences), metrics.ErrLength)
	}
	e, err := s.all()
	if err != nil {
		return nil, nil, fmt.Errorf("gibbs sweeps: %w", err)
	}
	chains := make([]*chain, len(sequences))
	for i, q := range sequences {
		if q.Set < 0 || q.Set >= s.B || len(labels[i]) != s.N {
			return nil, nil, fmt.Errorf("gibbs sweeps: chain %d: set %d of %d, %d labels for %d points: %w",
				i, q.Set, s.B, len(labels[i]), s.N, metrics.ErrLength)
		}
		size := s.N * s.Net.Config.Width()
		chains[i] = &chain{
			state: newState(s.Net.Config.Width()), labels: canonical(labels[i]),
			h: e.h[q.Set*size : (q.Set+1)*size], rng: rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())),
		}
	}
	count := 1
	if s.Net.OnGo() {
		count = min(runtime.GOMAXPROCS(0), len(chains))
	}
	errs := make([]error, count)
	var wg sync.WaitGroup
	for i := range count {
		part := &chainPart{scorer: scorer{net: s.Net}, chains: chains[i*len(chains)/count : (i+1)*len(chains)/count]}
		wg.Go(func() { errs[i] = part.run(s, sweeps) })
	}
	wg.Wait()
	out, final := make([][]int32, len(chains)), make([]float64, len(chains))
	for i, c := range chains {
		out[i], final[i] = canonical(c.labels), c.final
	}
	for _, err := range errs {
		if err != nil {
			return nil, nil, fmt.Errorf("gibbs sweeps: %w", err)
		}
	}
	return out, final, nil
}

// canonical is a copy of labels, numbered by first appearance.
func canonical(labels []int32) []int32 {
	labels = slices.Clone(labels)
	partition.Renumber(labels)
	return labels
}

// chain is a Markov chain over the partitions of a set; labels [N] are slots of its state.
type chain struct {
	*state
	labels []int32
	sizes  []int
	h      []float32 // [N,W]
	rng    *rand.Rand
	order  []int // of the present sweep
	final  float64
}

// row is h' of point i.
func (c *chain) row(i int) []float32 { return c.h[i*c.width() : (i+1)*c.width()] }

func (c *chain) width() int { return c.state.h }

// chainPart are chains that are advanced in step with each other.
type chainPart struct {
	scorer scorer
	chains []*chain
}

func (p *chainPart) run(s *Sets, sweeps int) error {
	if err := p.start(); err != nil {
		return err
	}
	for range sweeps {
		for _, c := range p.chains {
			c.order = c.rng.Perm(s.N)
		}
		for step := range s.N {
			if err := s.ctx.Err(); err != nil {
				return err
			}
			if err := p.remove(step); err != nil {
				return err
			}
			if err := p.draw(step); err != nil {
				return err
			}
		}
	}
	return p.finals()
}

// finals evaluates the chains' final energies.
func (p *chainPart) finals() error {
	width := p.scorer.net.Config.Width()
	padded := p.scorer.net.Buckets.Rows(len(p.chains))
	p.scorer.grow(padded, width)
	for r, c := range p.chains {
		for j := range width {
			p.scorer.sums[r*width+j] = float32(c.sums[j])
			p.scorer.rest[r*width+j] = float32(c.total[j] - float64(c.gammas[j]))
		}
	}
	if err := p.scorer.evaluate(padded, len(p.chains)); err != nil {
		return err
	}
	for r, c := range p.chains {
		c.final = float64(p.scorer.energy[r])
	}
	return nil
}

// start fills the chains' states from their labels.
func (p *chainPart) start() error {
	for _, c := range p.chains {
		k := int(slices.Max(c.labels)) + 1
		width := c.width()
		c.k, c.sizes = k, make([]int, k)
		c.sums, c.gammas = make([]float64, k*width), make([]float32, k*width)
		for i, l := range c.labels {
			c.sizes[l]++
			for j, v := range c.row(i) {
				c.sums[int(l)*width+j] += float64(v)
			}
		}
	}
	for slot := 0; ; slot++ {
		var rows []clusterRow
		for _, c := range p.chains {
			if slot < c.k {
				rows = append(rows, clusterRow{c, slot})
			}
		}
		if len(rows) == 0 {
			return nil
		}
		if err := p.refresh(rows); err != nil {
			return err
		}
	}
}

// clusterRow names a slot of a chain.
type clusterRow struct {
	*chain
	slot int
}

// refresh evaluates g' of clusters whose sums have changed, at most one a chain.
func (p *chainPart) refresh(rows []clusterRow) error {
	if len(rows) == 0 {
		return nil
	}
	width := rows[0].width()
	padded := p.scorer.net.Buckets.Rows(len(rows))
	p.scorer.grow(padded, width)
	for r, at := range rows {
		for j, v := range at.sums[at.slot*width : (at.slot+1)*width] {
			p.scorer.sums[r*width+j] = float32(v)
		}
	}
	clear(p.scorer.rest[:padded*width])
	if err := p.scorer.evaluate(padded, 0); err != nil {
		return err
	}
	for r, at := range rows {
		gamma := at.gammas[at.slot*width : (at.slot+1)*width]
		for j, v := range p.scorer.cluster[r*width : (r+1)*width] {
			at.total[j] += float64(v) - float64(gamma[j])
			gamma[j] = v
		}
	}
	return nil
}

// remove takes the step's point out of its cluster in every chain.
func (p *chainPart) remove(step int) error {
	var rows []clusterRow
	for _, c := range p.chains {
		i := c.order[step]
		slot, width := int(c.labels[i]), c.width()
		if c.sizes[slot]--; c.sizes[slot] == 0 {
			c.drop(slot)
			continue
		}
		for j, v := range c.row(i) {
			c.sums[slot*width+j] -= float64(v)
		}
		rows = append(rows, clusterRow{c, slot})
	}
	return p.refresh(rows)
}

// drop removes an empty slot; the last one takes its place.
func (c *chain) drop(slot int) {
	width, last := c.width(), c.k-1
	for j, v := range c.gammas[slot*width : (slot+1)*width] {
		c.total[j] -= float64(v)
	}
	copy(c.sums[slot*width:(slot+1)*width], c.sums[last*width:])
	copy(c.gammas[slot*width:(slot+1)*width], c.gammas[last*width:])
	c.sums, c.gammas, c.k = c.sums[:last*width], c.gammas[:last*width], last
	c.sizes[slot] = c.sizes[last]
	c.sizes = c.sizes[:last]
	for i, l := range c.labels {
		if int(l) == last {
			c.labels[i] = int32(slot)
		}
	}
}

// draw lets the step's point draw its cluster in every chain.
func (p *chainPart) draw(step int) error {
	states := make([]*state, len(p.chains))
	for i, c := range p.chains {
		states[i] = c.state
	}
	h := func(i int) []float32 { return p.chains[i].row(p.chains[i].order[step]) }
	if err := p.scorer.score(states, h, func(int) []float32 { return nil }); err != nil {
		return err
	}
	for i, c := range p.chains {
		energies := p.scorer.energies(i, c.state)
		k := invert(logSoftmaxNeg(energies), c.rng.Float64())
		c.assign(k, h(i), p.scorer.gamma(i, k))
		if k == len(c.sizes) {
			c.sizes = append(c.sizes, 0)
		}
		c.sizes[k]++
		c.labels[c.order[step]] = int32(k)
	}
	return nil
}
