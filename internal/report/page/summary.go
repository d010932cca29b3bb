package page

import (
	"fmt"
	"math"
	"slices"

	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
)

// summary sets the key numbers beside the paper's: a row for each data set and metric, a column for each model.
type summary struct {
	Heads  []table.Head
	Tables []summaryTable
	Counts string
}

type summaryTable struct {
	ID, Label, Title string
	Absent           string // said in place of the rows
	Blocks           []table.Block
}

// summary gathers the cells of the key metrics that the paper has; nil if no section has key metrics.
func (p *Page) summary() *summary {
	var models []string
	var cells []table.Cell
	sections := 0
	for i := range p.Sections {
		for _, c := range p.Sections[i].keyCells() {
			models = text.AppendNew(models, c.Model)
			cells = append(cells, c)
		}
		sections += min(1, len(p.Sections[i].KeyMetrics))
	}
	if sections == 0 {
		return nil
	}
	s := &summary{Counts: counts(cells)}
	for i := range p.Sections {
		section := &p.Sections[i]
		if len(section.KeyMetrics) == 0 {
			continue
		}
		t := summaryTable{ID: section.ID, Label: sectionLabel(section.ID), Title: section.title()}
		if section.Table == nil {
			t.Absent = section.Absent
		}
		pivot := (&table.Table{Cells: section.keyCells()}).Pivot(models...)
		s.Heads, t.Blocks = pivot.Heads, pivot.Blocks
		s.Tables = append(s.Tables, t)
	}
	return s
}

// counts says in a sentence how cells with a number of the paper compare; "" when none is computed.
func counts(cells []table.Cell) string {
	var good, close, lower, apart, missing int
	for i := range cells {
		c := &cells[i]
		better, known := c.Better()
		d, _ := c.Difference()
		switch {
		case c.Incomparable && c.Ours != nil:
			apart++
		case !known:
			missing++
		case better:
			good++
		case c.Paper.Std != nil && math.Abs(d) <= *c.Paper.Std:
			close++
		default:
			lower++
		}
	}
	n := good + close + lower
	if n+apart == 0 {
		return ""
	}
	words := fmt.Sprintf(
		"%s: %d at least as good as printed in the paper, %d lower by at most its standard deviation, %d lower by more",
		text.Plural(n, "comparison"), good, close, lower)
	if apart > 0 {
		words += fmt.Sprintf("; %d on other data, not compared", apart)
	}
	if missing > 0 {
		words += fmt.Sprintf("; %d not computed", missing)
	}
	return words + "."
}

// Columns counts the columns, that of the names included.
func (s *summary) Columns() int { return 1 + len(s.Heads) }

// keyCells lists the cells of the key metrics that the paper has, in reading order.
func (s *Section) keyCells() (cells []table.Cell) {
	if s.Table == nil {
		return nil
	}
	for _, c := range s.Table.Ordered() {
		if c.Paper != nil && slices.Contains(s.KeyMetrics, c.Metric) {
			cells = append(cells, c)
		}
	}
	return cells
}

// bar is a number of ours from 0 to 1 as the width of a bar, and the paper's as a place beside it, in percent.
type bar struct{ Width, Place int }

// barOf is the bar of a score that compares with the paper's, else nil.
func barOf(e table.Entry) *bar {
	if _, known := e.Cell.Difference(); !known || table.Direction(e.Cell.Metric) <= 0 {
		return nil
	}
	percent := func(x float64) int { return int(math.Round(100 * min(max(x, 0), 1))) }
	return &bar{percent(e.Cell.Ours.Mean), percent(e.Cell.Paper.Mean)}
}
