package mixture

import (
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
)

// sampledTable is the table that is sampled in place of the user's, and what the options say of its rows.
type sampledTable struct {
	Table
	Options
	of     []int // [N], the sampled row of each row of the user's table; nil if the tables are the same
	copies int   // exact copies that are left out
}

// roomy is the number of places on the lattice of rounded numbers for each row from which on equal rows do not come by
// chance. Further copies of such a row would be clusters without a width.
const roomy = 100

// represent returns the table to be sampled: with weights each row occurs as often as it counts. Copies of rows that do
// not come by chance are left out.
func (o Options) represent(t Table) sampledTable {
	s := sampledTable{Table: t, Options: o}
	total := floats.Sum(o.Weights)
	switch {
	case o.Weights != nil && t.places() < roomy*total:
		s.repeat(t)
	case o.Weights != nil:
		s.copies = int(total) - t.Rows
	case o.Together == nil && o.Apart == nil && o.Given == nil:
		s.Table, s.of = t.distinct()
		s.copies = t.Rows - s.Rows
	}
	return s
}

// repeat fills s with each row of a table as often as its weight says. All copies of a row of which the options know
// something are together.
func (s *sampledTable) repeat(t Table) {
	s.Table = Table{Categories: make([]Category, len(t.Categories))}
	var given []int32
	var further [][2]int // copies, each with the first one of its row
	for i, weight := range s.Weights {
		first := s.Rows
		s.of = append(s.of, first)
		for range int(weight) {
			if s.Rows > first {
				further = append(further, [2]int{first, s.Rows})
			}
			s.Table.append(t.part(i, i+1))
			if s.Given != nil {
				given = append(given, s.Given[i])
			}
		}
	}
	known := map[int]bool{} // first copies of the rows in pairs
	moved := func(pairs [][2]int) (out [][2]int) {
		for _, pair := range pairs {
			a, b := s.of[pair[0]], s.of[pair[1]]
			known[a], known[b] = true, true
			out = append(out, [2]int{a, b})
		}
		return out
	}
	s.Given, s.Together, s.Apart = given, moved(s.Together), moved(s.Apart)
	for _, pair := range further {
		if known[pair[0]] {
			s.Together = append(s.Together, pair)
		}
	}
}

// answer turns the posterior of the sampled table into that of the user's.
func (s *sampledTable) answer(p *Posterior) {
	p.Copies = s.copies
	if s.of == nil {
		return
	}
	if s.Weights != nil {
		s.keepClusters(p.Labels)
		if p.Checks != nil {
			p.Checks.Order = 1 // copies follow each other
		}
		for at, copied := range p.Disputed {
			p.Disputed[at] = s.rowOf(copied)
		}
		p.Disputed = slices.Compact(p.Disputed)
	}
	chosen := func(labels []int32) []int32 {
		all := make([]int32, len(s.of))
		for i, at := range s.of {
			all[i] = labels[at]
		}
		return all
	}
	p.Labels = chosen(p.Labels)
	for i, labels := range p.Draws {
		p.Draws[i] = chosen(labels)
	}
}

// rowOf returns the user's row of a copy.
func (s *sampledTable) rowOf(copied int) int { return sort.SearchInts(s.of, copied+1) - 1 }

// keepClusters lets another copy stand for a row if a cluster has no first copy of any row.
func (s *sampledTable) keepClusters(labels []int32) {
	sizes := make([]int, len(labels))
	for _, at := range s.of {
		sizes[labels[at]]++
	}
	firsts := slices.Clone(s.of)
	for at, label := range labels {
		i := sort.SearchInts(firsts, at+1) - 1
		if now := labels[s.of[i]]; sizes[label] == 0 && sizes[now] > 1 {
			sizes[now]--
			sizes[label]++
			s.of[i] = at
		}
	}
}
