package mixture

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/mixture/em"
	"github.com/gfncp/gfncp/mixture/tables"
)

// sampledTable is the table that is sampled in place of the user's, and what the options say of its rows.
type sampledTable struct {
	tables.Table
	Options
	of     []int // [N], the sampled row of each row of the user's table; nil if the tables are the same
	row    []int // the row of the user's table of each sampled copy; nil unless rows are repeated
	copies int   // exact copies that are left out
}

// represent returns the table to be sampled. With weights, each row is repeated by its weight. Copies that cannot arise
// by chance (see tables.Table.HasChanceCopies) are left out.
func (o Options) represent(t tables.Table) sampledTable {
	s := sampledTable{Table: t, Options: o}
	total := floats.Sum(o.Weights)
	switch {
	case o.Weights != nil && t.HasChanceCopies(total):
		s.repeat(t)
	case o.Weights != nil:
		s.copies = int(total) - t.Rows
	case o.Together == nil && o.Apart == nil && o.Given == nil:
		s.Table, s.of = t.Distinct()
		s.copies = t.Rows - s.Rows
	}
	return s
}

// repeat fills s: it repeats each row of a table by its weight. The copies of a row in a pair are together.
func (s *sampledTable) repeat(t tables.Table) {
	for i, weight := range s.Weights {
		s.of = append(s.of, len(s.row))
		s.row = append(s.row, slices.Repeat([]int{i}, int(weight))...)
	}
	s.Table = t.Pick(s.row)
	paired := make([]bool, t.Rows)
	moved := func(pairs [][2]int) (out [][2]int) {
		for _, pair := range pairs {
			paired[pair[0]], paired[pair[1]] = true, true
			out = append(out, [2]int{s.of[pair[0]], s.of[pair[1]]})
		}
		return out
	}
	s.Together, s.Apart = moved(s.Together), moved(s.Apart)
	for at, i := range s.row {
		if first := s.of[i]; paired[i] && at > first {
			s.Together = append(s.Together, [2]int{first, at})
		}
	}
	if s.Given != nil {
		s.Given = em.Pick(s.Given, s.row)
	}
}

// answer reduces the posterior of the sampled table to the rows of the user's table.
func (s *sampledTable) answer(p *Posterior) {
	p.Copies = s.copies
	if s.of == nil {
		return
	}
	if s.row != nil {
		s.keepClusters(p.Labels)
		if p.Checks != nil {
			p.Checks.Order = 1 // copies follow each other
		}
		for at, copied := range p.Disputed {
			p.Disputed[at] = s.row[copied]
		}
		p.Disputed = slices.Compact(p.Disputed)
	}
	p.Labels = em.Pick(p.Labels, s.of)
	for i, labels := range p.Draws {
		p.Draws[i] = em.Pick(labels, s.of)
	}
}

// keepClusters changes which copy represents a row if otherwise a cluster would have no representative.
func (s *sampledTable) keepClusters(labels []int32) {
	sizes := make([]int, len(labels))
	for _, at := range s.of {
		sizes[labels[at]]++
	}
	for at, label := range labels {
		i := s.row[at]
		if now := labels[s.of[i]]; sizes[label] == 0 && sizes[now] > 1 {
			sizes[now]--
			sizes[label]++
			s.of[i] = at
		}
	}
}
