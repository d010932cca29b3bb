package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

// markup is how a format writes a table.
type markup struct {
	words, number     func(string) string // escape a text, and a formatted number
	best, other, mark string              // formats of the best value and of a note's letter; a sign after other data
	note              string              // format of the letter before a note
	columns           int                 // models that become columns, at most
}

// layout is a table in the paper's layout, written in a markup: our numbers with the paper's in brackets.
type layout struct {
	markup
	title, caption string
	heads          []string   // two for the names of a row, then one for each column of numbers
	rows           [][]string // a metric of a data set in all models, or a model in all metrics
	notes          []string   // of cells, not escaped
	below          []string   // the notes, and the remarks
}

const (
	longestInlineNote = 19 // runes that a note may have to stand in place of a missing value
	mostColumns       = 10 // models that become columns of a file
)

// layout lays the cells out. The columns are models or, if there are more models than the markup takes and fewer
// metrics, metrics.
func (t *Table) layout(m markup) *layout {
	clean := func(s string) string { return m.words(text.Clean(s)) }
	named := func(metric string) string {
		return m.words(strings.TrimSpace(text.Clean(metric) + " " + arrow(metric)))
	}
	l := &layout{markup: m, title: clean(t.Title), caption: clean(t.Caption), heads: []string{"Data", "Metric"}}
	cells := t.Ordered()
	best, models := bestCells(cells), modelsOf(cells)
	var metrics []string
	for i := range cells {
		metrics = text.AppendNew(metrics, cells[i].Metric)
	}
	columns, head := models, clean
	turned := len(models) > m.columns && len(metrics) < len(models)
	if turned {
		l.heads[1], columns, head = "Model", metrics, named
	}
	for _, column := range columns {
		l.heads = append(l.heads, head(column))
	}
	for i := range cells {
		c := &cells[i]
		name, column := named(c.Metric), c.Model
		if turned {
			name, column = clean(c.Model), c.Metric
		}
		l.row(clean(c.Data), name)[2+slices.Index(columns, column)] = l.field(c, best[c])
	}
	for i, note := range l.notes {
		l.below = append(l.below, fmt.Sprintf(m.note, letter(i))+m.words(note))
	}
	for _, remark := range t.remarks() {
		l.below = append(l.below, m.words(remark))
	}
	return l
}

// row returns the row with a name of a data set. It adds a missing row.
func (l *layout) row(data, name string) []string {
	i := slices.IndexFunc(l.rows, func(row []string) bool { return row[0] == data && row[1] == name })
	if i < 0 {
		i = len(l.rows)
		l.rows = append(l.rows, append([]string{data, name}, make([]string, len(l.heads)-2)...))
	}
	return l.rows[i]
}

// begins reports whether the i-th row is the first of its data set.
func (l *layout) begins(i int) bool { return i == 0 || l.rows[i][0] != l.rows[i-1][0] }

// field writes a cell: "mean ± deviation", or a word or a dash in its place, and the paper's mean in brackets.
func (l *layout) field(c *Cell, best bool) string {
	s, note := l.words(text.Dash), text.Clean(c.Note)
	switch {
	case c.Ours != nil:
		s = l.number(formatProperty(c.Metric, c.Ours, false))
	case note != "" && len([]rune(note)) <= longestInlineNote:
		s, note = l.words(note), ""
	}
	if best {
		s = fmt.Sprintf(l.best, s)
	}
	if c.otherData() {
		s += l.other
	}
	if note != "" {
		l.notes = text.AppendNew(l.notes, note)
		s += fmt.Sprintf(l.mark, letter(slices.Index(l.notes, note)))
	}
	if c.Paper != nil {
		mean, _, _ := strings.Cut(formatProperty(c.Metric, c.Paper, true), " ± ")
		s += " (" + l.number(mean) + ")"
	}
	return s
}

// otherData reports whether ours and the paper's number are of different data.
func (c *Cell) otherData() bool { return c.Incomparable && c.Ours != nil && c.Paper != nil }

// letter returns a, b, … z, aa, bb, …
func letter(i int) string { return strings.Repeat(string(rune('a'+i%26)), i/26+1) }

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

// remarks are the lines below a table: the meaning of its signs, the footnotes, ways of training, and the provenance.
func (t *Table) remarks() []string {
	var spread, paper, other bool
	for _, c := range t.Cells {
		spread = spread || c.Ours != nil && c.Ours.Std != nil
		paper = paper || c.Paper != nil
		other = other || c.otherData()
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
