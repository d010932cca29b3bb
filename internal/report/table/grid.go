package table

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gfncp/gfncp/internal/text"
)

// Grid is a table as the paper sets it: a block of rows for each data set, in it a row for each metric, and a column for each
// model. With many models they are the rows and the metrics the columns.
type Grid struct {
	Corner string // head of the column that names the rows
	Heads  []GridHead
	Blocks []gridBlock
	Flat   bool // every block is one row
}

type GridHead struct {
	Name, Arrow string
	Reference   bool
}

type gridBlock struct {
	Name string
	Rows []gridRow
	key  string
}

type gridRow struct {
	Name, Arrow string
	Cells       []GridCell
	key         string
}

// GridCell is a number of ours with the paper's. The zero value is a place for which the table has no cell.
type GridCell struct {
	Known      bool
	Ours       string
	Missing    bool   // Ours is a word or a dash
	Best       bool   // of its metric on its data
	Paper      string // "" if the paper has none
	Difference string // "" if unknown
	Apart      bool   // ours is on other data than the paper's, so the two do not compare
	Good, Bad  bool   // beside the paper's; neither: unknown, or no question of better
	Mark       string // letter of its note
	Tip        string
}

// Mean is ours without its deviation.
func (c GridCell) Mean() string {
	mean, _, _ := strings.Cut(c.Ours, " ± ")
	return mean
}

// Deviation is that of ours, "" if unknown.
func (c GridCell) Deviation() string {
	_, std, _ := strings.Cut(c.Ours, " ± ")
	return std
}

// mostColumns is the largest number of models that become columns.
const mostColumns = 9

// Grid lays the cells out. Notes that do not stand in the place of a number go to notes.
func (t *Table) Grid(notes *Layout) Grid {
	cells := t.Ordered()
	best := bestCells(cells)
	var models, metrics []string
	for i := range cells {
		models, metrics = text.AppendNew(models, cells[i].Model), text.AppendNew(metrics, cells[i].Metric)
	}
	turned := len(models) > mostColumns && len(metrics) < len(models)
	g := Grid{Corner: "Metric", Heads: GridHeads(models, metrics, turned)}
	if turned {
		g.Corner = "Model"
	}
	for i := range cells {
		c := &cells[i]
		row, column := gridRow{Name: text.Clean(c.Metric), Arrow: arrow(c.Metric), key: c.Metric}, slices.Index(models, c.Model)
		if turned {
			row, column = gridRow{Name: text.Clean(c.Model), key: c.Model}, slices.Index(metrics, c.Metric)
		}
		g.place(c.Data, row, column, NewGridCell(c, best[i], notes))
	}
	if g.Flat = len(g.Blocks) > 1 && !slices.ContainsFunc(g.Blocks, func(b gridBlock) bool { return len(b.Rows) > 1 }); g.Flat {
		g.Corner = "Data"
	}
	return g
}

// Columns counts the columns, that of the names included.
func (g Grid) Columns() int { return 1 + len(g.Heads) }

// Words are the places where a name may be broken: at blanks, not at a hyphen.
func (h GridHead) Words() []string { return strings.Fields(h.Name) }

func GridHeads(models, metrics []string, turned bool) (heads []GridHead) {
	if turned {
		for _, m := range metrics {
			heads = append(heads, GridHead{Name: text.Clean(m), Arrow: arrow(m)})
		}
		return heads
	}
	for _, m := range models {
		heads = append(heads, GridHead{Name: text.Clean(m), Reference: isReference(m)})
	}
	return heads
}

// place puts a cell where it belongs, opening its block and row when they are new.
func (g *Grid) place(data string, row gridRow, column int, c GridCell) {
	if n := len(g.Blocks); n == 0 || g.Blocks[n-1].key != data {
		g.Blocks = append(g.Blocks, gridBlock{Name: text.Clean(data), key: data})
	}
	b := &g.Blocks[len(g.Blocks)-1]
	i := slices.IndexFunc(b.Rows, func(r gridRow) bool { return r.key == row.key })
	if i < 0 {
		i = len(b.Rows)
		row.Cells = make([]GridCell, len(g.Heads))
		b.Rows = append(b.Rows, row)
	}
	b.Rows[i].Cells[column] = c
}

func NewGridCell(c *Cell, best bool, notes *Layout) GridCell {
	g := GridCell{
		Known: true, Missing: c.Ours == nil, Best: best, Tip: c.Tip(), Apart: c.Apart(),
		Ours: formatGrid(c.Metric, c.Ours, false), Difference: FormatDifference(c),
	}
	if c.Paper != nil {
		g.Paper = formatGrid(c.Metric, c.Paper, true)
		if c.Metric == propertyMetric {
			g.Paper = "paper " + g.Paper
		}
	}
	if good, known := AtLeastAsGood(c); known && Direction(c.Metric) != 0 {
		g.Good, g.Bad = good, !good
	}
	switch {
	case g.Difference == text.Dash || c.Metric == propertyMetric && isZero(g.Difference):
		g.Difference = ""
	case c.Metric == propertyMetric:
		g.Difference = "differs"
	}
	switch note := text.Clean(c.Note); {
	case g.Missing && note == "":
		g.Ours = "not computed"
	case g.Missing && utf8.RuneCountInString(note) <= longestInlineNote:
		g.Ours = note
	default:
		g.Mark = notes.markOf(note)
	}
	return g
}

// propertyMetric is 1 for a property that a method has and 0 for one that it lacks.
const propertyMetric = "holds"

// formatGrid is FormatValue with check marks for properties, as the paper prints them.
func formatGrid(metric string, v *Value, paper bool) string {
	if metric == propertyMetric && v != nil {
		switch v.Mean {
		case 1:
			return "✓"
		case 0:
			return "✗"
		}
	}
	return FormatValue(metric, v, paper)
}

// Apart reports whether ours and the paper's number are both there, but on different data.
func (c *Cell) Apart() bool { return c.Incomparable && c.Ours != nil && c.Paper != nil }

// Tip says in one line which cell this is and how it came about.
func (c *Cell) Tip() string {
	parts := []string{text.Clean(c.Data + ", " + c.Model + ", " + c.Metric)}
	add := func(known bool, format string, args ...any) {
		if known {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	if c.Ours != nil {
		add(text.Clean(c.Scale) != "", "scale %s", text.Clean(c.Scale))
		add(c.Steps > 0, "%s steps", text.Number(c.Steps))
		add(c.Seconds > 0, "%s s of training a seed", formatSeconds(c.Seconds))
		add(c.way() != "", "%s", c.way())
	}
	add(c.Apart(), "ours is on other data than the paper's number")
	add(text.Clean(c.Note) != "", "%s", text.Clean(c.Note))
	return strings.Join(parts, "; ")
}
