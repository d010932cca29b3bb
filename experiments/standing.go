package experiments

import (
	"math"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/report/table"
)

// Standing counts the paper's cells of NMI and ARI by how our best value compares with each. Table 5 has the better of
// two temperatures. Numbers that the paper prints in another table are left out there: greedy decoding in table 5, and
// the primary mode in table 6.
type Standing struct {
	Reached int // at or above the paper
	Within  int // below it by at most its standard deviation
	Below   int
	Missing int // not computed
}

// paperCell identifies a cell of the paper, which several of our cells may share.
type paperCell struct{ table, data, metric, model string }

// StandingOf counts the comparable cells of tables, by the best of our rows, or by the given row if it is not empty.
// The scores are of independent sets, or with published by the published code's evaluation, which few rows have.
func StandingOf(row string, published bool, tables ...*table.Table) (s Standing) {
	best := map[paperCell]*table.Cell{}
	for _, t := range tables {
		for i := range t.Cells {
			c := &t.Cells[i]
			if !compares(c) || strings.HasSuffix(c.Metric, byPublished) != published || row != "" && c.Model != row {
				continue
			}
			metric, _, _ := strings.Cut(c.Metric, " at ")
			key := paperCell{t.ID, c.Data, metric, paperModel(c.Model)}
			if best[key] == nil || oursOf(c) > oursOf(best[key]) {
				best[key] = c
			}
		}
	}
	for _, c := range best {
		s.count(oursOf(c), *c.Paper)
	}
	return s
}

// oursOf returns the value of a cell, or −∞ if the cell has no value.
func oursOf(c *table.Cell) float64 {
	if c.Ours == nil || math.IsNaN(c.Ours.Mean) {
		return math.Inf(-1)
	}
	return c.Ours.Mean
}

// compares reports whether a cell has an NMI or ARI of the paper to compare with.
func compares(c *table.Cell) bool {
	isScore := strings.HasPrefix(c.Metric, "NMI") || strings.HasPrefix(c.Metric, "ARI")
	repeats := strings.HasSuffix(c.Metric, greedy) || paperModel(c.Model) == "primary"
	return c.Paper != nil && !c.Incomparable && isScore && !repeats
}

func (s *Standing) count(ours float64, paper table.Value) {
	const sliver = 1e-9 // tolerance for paper.Mean − paper.Std
	switch {
	case math.IsInf(ours, -1):
		s.Missing++
	case ours >= paper.Mean-sliver:
		s.Reached++
	case paper.Std != nil && ours >= paper.Mean-*paper.Std-sliver:
		s.Within++
	default:
		s.Below++
	}
}

// paperModel returns the paper's name of one of our rows, or the row's own name if the paper has no such row.
func paperModel(name string) string {
	for _, m := range slices.Concat(tableMethods, modes) {
		if m.Name == name && m.Paper != "" {
			return m.Paper
		}
	}
	return name
}

// Cells is the number of the paper's cells.
func (s Standing) Cells() int { return s.Reached + s.Within + s.Below + s.Missing }

// RowStanding is the standing of one of our rows, or of the best of them.
type RowStanding struct {
	Row       string
	Published bool // by the published code's evaluation
	Standing
}

// Standings returns how tables compare with the paper's NMI and ARI: GFNCP with only the paper's objective and NCP by
// both evaluations, and the best of our rows. Rows without a cell that compares are left out.
func Standings(tables ...*table.Table) (all []RowStanding) {
	rows := []RowStanding{{"the best of our rows", false, StandingOf("", false, tables...)}}
	for _, published := range []bool{false, true} {
		for _, m := range []method{coldGFNCP, codeGFNCP, extendedGFNCP, ncp, extendedNCP} {
			rows = append(rows, RowStanding{m.Name, published, StandingOf(m.Name, published, tables...)})
		}
	}
	return slices.DeleteFunc(rows, func(r RowStanding) bool { return r.Cells() == 0 })
}
