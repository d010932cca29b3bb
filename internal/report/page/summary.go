package page

import (
	"fmt"
	"math"
	"slices"

	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
)

// pageSummary sets the key numbers beside the paper's: a row for each data set and metric, a column for each model.
type pageSummary struct {
	Heads  []table.GridHead
	Tables []summaryTable
	Counts string
}

type summaryTable struct {
	ID, Label, Title string
	Absent           string // said in place of the rows
	Rows             []summaryRow
}

type summaryRow struct {
	Data, Metric string
	Cells        []summaryCell
	key          [2]string
}

// summaryCell is a grid cell with a bar from 0 to 1.
type summaryCell struct {
	table.GridCell
	Bar        bool
	OursWidth  int // of the bar, in percent
	PaperPlace int
}

// summary gathers the cells of the key metrics that the paper has; nil if no section has key metrics.
func (p *Page) summary() *pageSummary {
	var keys []*Section
	var models []string
	for i := range p.Sections {
		if section := &p.Sections[i]; len(section.KeyMetrics) > 0 {
			keys = append(keys, section)
			for _, c := range section.keyCells() {
				models = text.AppendNew(models, c.Model)
			}
		}
	}
	if len(keys) == 0 {
		return nil
	}
	s := &pageSummary{Heads: table.GridHeads(models, nil, false)}
	var cells []table.Cell
	for _, section := range keys {
		t := summaryTable{ID: section.ID, Label: sectionLabel(section.ID), Title: section.title()}
		if section.Table == nil {
			t.Absent = text.Clean(section.Absent)
		}
		for _, c := range section.keyCells() {
			t.place(&c, slices.Index(models, c.Model), len(models))
			cells = append(cells, c)
		}
		s.Tables = append(s.Tables, t)
	}
	s.Counts = counts(cells)
	return s
}

// counts says in a sentence how cells with a number of the paper compare; "" when none is computed.
func counts(cells []table.Cell) string {
	var good, close, lower, apart, missing int
	for i := range cells {
		c := &cells[i]
		better, known := table.AtLeastAsGood(c)
		d, _ := c.Difference()
		switch {
		case c.Apart():
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
	text := fmt.Sprintf("%s: %d at least as good as printed in the paper, %d lower by at most its standard deviation, %d lower by more",
		text.Plural(n, "comparison"), good, close, lower)
	if apart > 0 {
		text += fmt.Sprintf("; %d on other data, not compared", apart)
	}
	if missing > 0 {
		text += fmt.Sprintf("; %d not computed", missing)
	}
	return text + "."
}

// Columns counts the columns, that of the names included.
func (s *pageSummary) Columns() int { return 1 + len(s.Heads) }

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

// place puts a cell into the row of its data set and metric.
func (t *summaryTable) place(c *table.Cell, column, columns int) {
	key := [2]string{c.Data, c.Metric}
	i := slices.IndexFunc(t.Rows, func(r summaryRow) bool { return r.key == key })
	if i < 0 {
		i = len(t.Rows)
		t.Rows = append(t.Rows, summaryRow{text.Clean(c.Data), text.Clean(c.Metric), make([]summaryCell, columns), key})
	}
	cell := summaryCell{GridCell: table.NewGridCell(c, false, &table.Layout{})} // its section has the notes
	if cell.Paper = table.FormatValue(c.Metric, &table.Value{Mean: c.Paper.Mean}, true); cell.Apart {
		cell.Paper = "(" + cell.Paper + ")"
	}
	if _, known := c.Difference(); known && table.Direction(c.Metric) > 0 {
		cell.Bar, cell.OursWidth, cell.PaperPlace = true, percent(c.Ours.Mean), percent(c.Paper.Mean)
	}
	t.Rows[i].Cells[column] = cell
}

// percent is x in 0..1 as a whole percentage.
func percent(x float64) int { return int(math.Round(100 * min(max(x, 0), 1))) }
