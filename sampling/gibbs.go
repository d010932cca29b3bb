package sampling

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gfncp/gfncp/internal/partition"
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
	chains, err := s.chains(rng, sequences, labels)
	if err != nil {
		return nil, nil, fmt.Errorf("gibbs sweeps: %w", err)
	}
	err = s.inParts(chains, func(p *chainPart, _ int) error { return p.run(s, sweeps) })
	if err != nil {
		return nil, nil, fmt.Errorf("gibbs sweeps: %w", err)
	}
	out, final := make([][]int32, len(chains)), make([]float64, len(chains))
	for i, c := range chains {
		out[i], final[i] = canonical(c.labels), c.final
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
func (c *chain) row(i int) []float32 { return c.h[i*c.w : (i+1)*c.w] }

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
	padded := p.scorer.net.Buckets.Rows(len(p.chains))
	p.scorer.grow(padded)
	for r, c := range p.chains {
		for j := range c.w {
			p.scorer.sums[r*c.w+j] = float32(c.sums[j])
		}
		for j := range c.v {
			p.scorer.rest[r*c.v+j] = float32(c.total[j] - float64(c.gammas[j]))
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
		c.k, c.sizes = k, make([]int, k)
		c.sums, c.gammas = make([]float64, k*c.w), make([]float32, k*c.v)
		for i, l := range c.labels {
			c.sizes[l]++
			for j, v := range c.row(i) {
				c.sums[int(l)*c.w+j] += float64(v)
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
	padded, w, v := p.scorer.net.Buckets.Rows(len(rows)), rows[0].w, rows[0].v
	p.scorer.grow(padded)
	for r, at := range rows {
		for j, sum := range at.sums[at.slot*w : (at.slot+1)*w] {
			p.scorer.sums[r*w+j] = float32(sum)
		}
	}
	clear(p.scorer.rest[:padded*v])
	if err := p.scorer.evaluate(padded, 0); err != nil {
		return err
	}
	for r, at := range rows {
		gamma := at.gammas[at.slot*v : (at.slot+1)*v]
		for j, value := range p.scorer.cluster[r*v : (r+1)*v] {
			at.total[j] += float64(value) - float64(gamma[j])
			gamma[j] = value
		}
	}
	return nil
}

// remove takes the step's point out of its cluster in every chain.
func (p *chainPart) remove(step int) error {
	var rows []clusterRow
	for _, c := range p.chains {
		i := c.order[step]
		slot := int(c.labels[i])
		if c.sizes[slot]--; c.sizes[slot] == 0 {
			c.drop(slot)
			continue
		}
		for j, v := range c.row(i) {
			c.sums[slot*c.w+j] -= float64(v)
		}
		rows = append(rows, clusterRow{c, slot})
	}
	return p.refresh(rows)
}

// drop removes an empty slot; the last one takes its place.
func (c *chain) drop(slot int) {
	w, v, last := c.w, c.v, c.k-1
	for j, value := range c.gammas[slot*v : (slot+1)*v] {
		c.total[j] -= float64(value)
	}
	copy(c.sums[slot*w:(slot+1)*w], c.sums[last*w:])
	copy(c.gammas[slot*v:(slot+1)*v], c.gammas[last*v:])
	c.sums, c.gammas, c.k = c.sums[:last*w], c.gammas[:last*v], last
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
