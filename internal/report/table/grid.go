package table

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

// Grid is a table in the paper's layout: our numbers with the paper's; the columns are models, or metrics.
type Grid struct {
	Heads []string // two for the names of a row, then one for each column of numbers
	Rows  []Row
	Notes []string // the i-th is marked with MarkLetter(i)
}

// Row is a metric of a data set in all models, or a model in all metrics.
type Row struct {
	Data, Name string
	First      bool    // of its data set
	Fields     []Field // one for each column of numbers
}

// Field is a number of ours with the paper's. The zero value is a field without a cell.
type Field struct {
	Ours    string // "mean ± deviation", or a word or a dash in its place
	Missing bool   // Ours is a word or a dash
	Best    bool   // of its metric on its data
	Paper   string // mean of the paper; "" without one
	Other   bool   // ours is on other data than the paper's, so the two do not compare
	Mark    string // letter of its note
}

const (
	longestInlineNote = 19 // runes that a note may have to stand in place of a missing value
	mostColumns       = 10 // models that become columns
)

// Grid lays the cells out. Up to mostColumns models are columns; more are rows if there are fewer metrics.
func (t *Table) Grid() *Grid { return t.grid(mostColumns) }

// grid lays the cells out with at most `most` models as columns.
func (t *Table) grid(most int) *Grid {
	cells := t.Ordered()
	best := bestCells(cells)
	var metrics []string
	for i := range cells {
		metrics = text.AppendNew(metrics, cells[i].Metric)
	}
	models := modelsOf(cells)
	g := &Grid{Heads: []string{"Data", "Metric"}}
	turned := len(models) > most && len(metrics) < len(models)
	if turned {
		g.Heads[1] = "Model"
		for _, m := range metrics {
			g.Heads = append(g.Heads, named(m))
		}
	} else {
		g.Heads = append(g.Heads, text.CleanAll(models)...)
	}
	for i := range cells {
		c := &cells[i]
		name, column := named(c.Metric), slices.Index(models, c.Model)
		if turned {
			name, column = text.Clean(c.Model), slices.Index(metrics, c.Metric)
		}
		g.row(text.Clean(c.Data), name).Fields[column] = g.field(c, best[c])
	}
	return g
}

// named is a metric with its better side.
func named(metric string) string { return strings.TrimSpace(text.Clean(metric) + " " + arrow(metric)) }

// row returns the row of a name among the last rows, if they are of this data set, or else a new row.
func (g *Grid) row(data, name string) *Row {
	first := true
	for i := len(g.Rows) - 1; i >= 0 && g.Rows[i].Data == data; i-- {
		if first = false; g.Rows[i].Name == name {
			return &g.Rows[i]
		}
	}
	g.Rows = append(g.Rows, Row{Data: data, Name: name, First: first, Fields: make([]Field, len(g.Heads)-2)})
	return &g.Rows[len(g.Rows)-1]
}

func (g *Grid) field(c *Cell, best bool) Field {
	f := Field{
		Ours: formatProperty(c.Metric, c.Ours, false), Missing: c.Ours == nil, Best: best,
		Other: c.Incomparable && c.Ours != nil && c.Paper != nil,
	}
	if c.Paper != nil {
		f.Paper, _, _ = strings.Cut(formatProperty(c.Metric, c.Paper, true), " ± ")
	}
	note := text.Clean(c.Note)
	if f.Missing && note != "" && len([]rune(note)) <= longestInlineNote {
		f.Ours, note = note, ""
	}
	if note == "" {
		return f
	}
	i := slices.Index(g.Notes, note)
	if i < 0 {
		i, g.Notes = len(g.Notes), append(g.Notes, note)
	}
	f.Mark = MarkLetter(i)
	return f
}

// MarkLetter returns a, b, … z, aa, bb, …
func MarkLetter(i int) string { return strings.Repeat(string(rune('a'+i%26)), i/26+1) }

// propertyMetric is 1 for a property that a method has and 0 for one that it lacks.
const propertyMetric = "holds"

// formatProperty is FormatValue with check marks for properties, as the paper prints them.
func formatProperty(metric string, v *Value, paper bool) string {
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

// Remarks are the lines below a table: the meaning of its signs, the footnotes, ways of training, and the provenance.
func (t *Table) Remarks() []string {
	var spread, paper, other bool
	for _, c := range t.Cells {
		spread = spread || c.Ours != nil && c.Ours.Std != nil
		paper = paper || c.Paper != nil
		other = other || c.Incomparable && c.Ours != nil && c.Paper != nil
	}
	var signs []string
	if paper {
		signs = append(signs, "In brackets: the paper's number.")
	}
	if spread {
		signs = append(signs, "±: "+cmp.Or(t.Spread, "standard deviation over seeds")+".")
	}
	if other {
		signs = append(signs, "*: on other data than the paper's number, so the two do not compare.")
	}
	lines := text.CleanAll(slices.Concat(
		[]string{strings.Join(signs, " ")}, t.Footnotes, t.trainings(), []string{t.Provenance.Line()}))
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// trainings says for each way of training that differs from the paper's which cells have it.
func (t *Table) trainings() (lines []string) {
	type trained struct{ way, model string }
	models, sets := map[string][]string{}, map[trained][]string{}
	var ways []string
	for _, c := range t.Ordered() {
		if c.Trained != "" && c.Ours != nil {
			ways = text.AppendNew(ways, c.Trained)
			models[c.Trained] = text.AppendNew(models[c.Trained], c.Model)
			of := trained{c.Trained, c.Model}
			sets[of] = text.AppendNew(sets[of], c.Data)
		}
	}
	for _, way := range ways {
		var cells []string
		for _, model := range models[way] {
			cells = append(cells, model+" on "+strings.Join(sets[trained{way, model}], ", "))
		}
		lines = append(lines, strings.Join(cells, "; ")+": "+way+".")
	}
	if len(lines) > 0 {
		lines = slices.Insert(lines, 0, "Trained otherwise than the paper says, by the configs:")
	}
	return lines
}

// Line is the provenance in one line, "" when nothing is known.
func (p Provenance) Line() string {
	var parts []string
	for _, f := range [][2]string{{"Created", p.Created}, {"commit", p.Commit}, {"machine", p.Machine}} {
		if s := text.Clean(f[1]); s != "" {
			parts = append(parts, f[0]+" "+s)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	line := strings.Join(parts, "; ") + "."
	return strings.ToUpper(line[:1]) + line[1:]
}
