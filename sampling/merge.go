package sampling

import (
	"fmt"
	"slices"
)

// Merged takes partitions of whole sets with too many clusters down to one, at each step by the pair of clusters whose
// union has the least energy E[c_{1:N}] (as Bayesian hierarchical clustering does with marginal likelihoods: Heller and
// Ghahramani 2005), and returns of each the partition with the least energy on the way, numbered by first appearance,
// and that energy.
//
// Item i starts at labels [N] of the set sequences[i].Set (Order is not read). It takes K(K−1)/2 network rows a step.
func (s *Sets) Merged(sequences []Sequence, labels [][]int32) ([][]int32, []float64, error) {
	chains, err := s.chains(nil, sequences, labels)
	if err != nil {
		return nil, nil, fmt.Errorf("merge clusters: %w", err)
	}
	out, energies := make([][]int32, len(chains)), make([]float64, len(chains))
	err = s.inParts(chains, func(p *chainPart, first int) error {
		if err := p.start(); err != nil {
			return err
		}
		for i, c := range p.chains {
			m := merging{chainPart: p, chain: c}
			if err := m.run(s); err != nil {
				return err
			}
			out[first+i], energies[first+i] = canonical(m.best), m.least
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("merge clusters: %w", err)
	}
	return out, energies, nil
}

// merging is a chain on its way to one cluster.
type merging struct {
	*chainPart
	chain *chain
	best  []int32
	least float64
}

func (m *merging) run(s *Sets) error {
	c := m.chain
	alone := &chainPart{scorer: m.scorer, chains: []*chain{c}}
	if err := alone.finals(); err != nil {
		return err
	}
	m.best, m.least = slices.Clone(c.labels), c.final
	for c.k > 1 {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if err := m.step(); err != nil {
			return err
		}
	}
	return nil
}

// step melts the pair whose union has the least energy.
func (m *merging) step() error {
	c, w, v := m.chain, m.chain.w, m.chain.v
	rows := c.k * (c.k - 1) / 2
	padded := m.scorer.net.Buckets.Rows(rows)
	m.scorer.grow(padded)
	row := 0
	for a := range c.k {
		for b := range a {
			for j := range w {
				m.scorer.sums[row*w+j] = float32(c.sums[a*w+j] + c.sums[b*w+j])
			}
			for j := range v {
				m.scorer.rest[row*v+j] = float32(c.total[j] - float64(c.gammas[a*v+j]) - float64(c.gammas[b*v+j]))
			}
			row++
		}
	}
	if err := m.scorer.evaluate(padded, rows); err != nil {
		return err
	}
	least := 0
	for i, e := range m.scorer.energy[:rows] {
		if e < m.scorer.energy[least] {
			least = i
		}
	}
	a := 1
	for a*(a+1)/2 <= least {
		a++
	}
	b := least - a*(a-1)/2
	c.melt(b, a, m.scorer.cluster[least*v:(least+1)*v])
	if e := float64(m.scorer.energy[least]); e < m.least {
		m.best, m.least = slices.Clone(c.labels), e
	}
	return nil
}

// melt moves the points of slot b into slot a < b, whose g' with them is gamma.
func (c *chain) melt(a, b int, gamma []float32) {
	w, v := c.w, c.v
	for j := range w {
		c.sums[a*w+j] += c.sums[b*w+j]
	}
	for j := range v {
		c.total[j] += float64(gamma[j]) - float64(c.gammas[a*v+j])
		c.gammas[a*v+j] = gamma[j]
	}
	c.sizes[a] += c.sizes[b]
	for i, l := range c.labels {
		if int(l) == b {
			c.labels[i] = int32(a)
		}
	}
	c.drop(b)
}
