package table

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

// Pivot is a table as the paper sets it: a block of rows for each data set, in it a row for each metric, and a column
// for each model. With many models they are the rows and the metrics the columns. All renderings but CSV and JSON show
// it.
type Pivot struct {
	Corner string // head of the column that names the rows
	Heads  []Head
	Blocks []Block
	Flat   bool     // every block is one row
	Notes  []string // the i-th is marked with MarkLetter(i)
	spread string   // what stands behind ±
}

// Head is the head of a column: a model, or a metric with its better side.
type Head struct {
	Name, Arrow string
	Reference   bool // it knows the mixture that the data come from
}

// Block is the rows of a data set.
type Block struct {
	Name string
	Rows []Row
	key  string
}

// Row is a metric of a data set in all models, or a model in all metrics.
type Row struct {
	Name, Arrow string
	Entries     []Entry // one for each of Heads
	key         string
}

// Entry is a number of ours with the paper's. The zero value is a place for which the table has no cell.
type Entry struct {
	Cell       *Cell  // nil: the table has no such cell
	Ours       string // "mean ± deviation", or a word or a dash in its place
	Missing    bool   // Ours is a word or a dash
	Best       bool   // of its metric on its data
	Paper      string // as Ours; "" if the paper has none
	Difference string // "" if unknown
	Apart      bool   // ours is on other data than the paper's, so the two do not compare
	Good, Bad  bool   // beside the paper's; neither: unknown, or no question of better
	Mark       string // letter of its note
}

// Mean is ours without its deviation.
func (e Entry) Mean() string { return meanOf(e.Ours) }

// Deviation is that of ours, "" if unknown.
func (e Entry) Deviation() string {
	_, std, _ := strings.Cut(e.Ours, " ± ")
	return std
}

// PaperMean is the paper's number without its deviation, "" if there is none.
func (e Entry) PaperMean() string { return meanOf(e.Paper) }

func meanOf(value string) string {
	mean, _, _ := strings.Cut(value, " ± ")
	return mean
}

// longestInlineNote is the most runes a note may have to stand in place of a missing value.
const longestInlineNote = 19

// mostColumns is the largest number of models that become columns.
const mostColumns = 10

// Pivot lays the cells out. The models become the columns in the given order, or in that of the table if none is given.
func (t *Table) Pivot(models ...string) *Pivot {
	cells := t.Ordered()
	best := bestCells(cells)
	var metrics []string
	fixed := len(models) > 0
	for i := range cells {
		metrics = text.AppendNew(metrics, cells[i].Metric)
	}
	if !fixed {
		models = modelsOf(cells)
	}
	p := &Pivot{Corner: "Metric", spread: cmp.Or(t.Spread, "standard deviation over seeds")}
	turned := !fixed && len(models) > mostColumns && len(metrics) < len(models)
	if turned {
		p.Corner = "Model"
		for _, m := range metrics {
			p.Heads = append(p.Heads, Head{Name: text.Clean(m), Arrow: arrow(m)})
		}
	} else {
		for _, m := range models {
			p.Heads = append(p.Heads, Head{Name: text.Clean(m), Reference: isReference(m)})
		}
	}
	for i := range cells {
		c := &cells[i]
		row, column := Row{Name: text.Clean(c.Metric), Arrow: arrow(c.Metric), key: c.Metric},
			slices.Index(models, c.Model)
		if turned {
			row, column = Row{Name: text.Clean(c.Model), key: c.Model}, slices.Index(metrics, c.Metric)
		}
		p.place(c.Data, row, column, p.entry(c, best[i]))
	}
	p.Flat = len(p.Blocks) > 1 && !slices.ContainsFunc(p.Blocks, func(b Block) bool { return len(b.Rows) > 1 })
	return p
}

// Columns counts the columns, that of the names included.
func (p *Pivot) Columns() int { return 1 + len(p.Heads) }

// Words are the places where a name may be broken: at blanks, not at a hyphen.
func (h Head) Words() []string { return strings.Fields(h.Name) }

// place puts an entry where it belongs, opening its block and row when they are new.
func (p *Pivot) place(data string, row Row, column int, e Entry) {
	if n := len(p.Blocks); n == 0 || p.Blocks[n-1].key != data {
		p.Blocks = append(p.Blocks, Block{Name: text.Clean(data), key: data})
	}
	b := &p.Blocks[len(p.Blocks)-1]
	i := slices.IndexFunc(b.Rows, func(r Row) bool { return r.key == row.key })
	if i < 0 {
		i = len(b.Rows)
		row.Entries = make([]Entry, len(p.Heads))
		b.Rows = append(b.Rows, row)
	}
	b.Rows[i].Entries[column] = e
}

func (p *Pivot) entry(c *Cell, best bool) Entry {
	e := Entry{
		Cell: c, Missing: c.Ours == nil, Best: best, Apart: c.apart(),
		Ours: formatProperty(c.Metric, c.Ours, false), Difference: FormatDifference(c),
	}
	if c.Paper != nil {
		e.Paper = formatProperty(c.Metric, c.Paper, true)
	}
	if good, known := c.Better(); known {
		e.Good, e.Bad = good, !good
	}
	switch {
	case e.Difference == text.Dash || c.Metric == propertyMetric && isZero(e.Difference):
		e.Difference = ""
	case c.Metric == propertyMetric:
		e.Difference = "differs"
	}
	note := text.Clean(c.Note)
	if e.Missing && note != "" && len([]rune(note)) <= longestInlineNote {
		e.Ours, note = note, ""
	}
	e.Mark = p.markOf(note)
	return e
}

// markOf returns the letter of a note, entering the note when it is new.
func (p *Pivot) markOf(note string) string {
	if note == "" {
		return ""
	}
	i := slices.Index(p.Notes, note)
	if i < 0 {
		i = len(p.Notes)
		p.Notes = append(p.Notes, note)
	}
	return MarkLetter(i)
}

// MarkLetter returns a, b, … z, aa, bb, …
func MarkLetter(i int) string {
	return strings.Repeat(string(rune('a'+i%26)), i/26+1)
}

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

// apart reports whether ours and the paper's number are both there, but on different data.
func (c *Cell) apart() bool { return c.Incomparable && c.Ours != nil && c.Paper != nil }

// Tip says in one line which cell this is and how it came about.
func (c *Cell) Tip() string {
	parts := []string{text.Clean(c.Data + ", " + c.Model + ", " + c.Metric)}
	if c.Ours != nil {
		for j, field := range c.wayFields() {
			if j > wayData && field != text.Dash {
				parts = append(parts, strings.ToLower(wayHeads[j].Name)+" "+field)
			}
		}
	}
	if c.apart() {
		parts = append(parts, "ours is on other data than the paper's number")
	}
	return strings.Join(append(parts, text.CleanAll([]string{c.Note})...), "; ")
}

// signs says what the signs of a rendering mean, and how ours came about as far as that is the same for all.
func (p *Pivot) signs(ways WayTable) []string {
	var spread, paper, apart bool
	for _, b := range p.Blocks {
		for _, r := range b.Rows {
			for _, e := range r.Entries {
				spread = spread || e.Deviation() != ""
				paper = paper || e.Paper != ""
				apart = apart || e.Apart
			}
		}
	}
	var signs, lines []string
	if paper {
		signs = append(signs, "In brackets: the paper's number.")
	}
	if spread {
		signs = append(signs, "±: "+p.spread+".")
	}
	if apart {
		signs = append(signs, "*: on other data than the paper's number, so the two do not compare.")
	}
	if len(signs) > 0 {
		lines = []string{strings.Join(signs, " ")}
	}
	switch {
	case len(ways.Rows) == 0 && ways.Common != "":
		lines = append(lines, "Ours: "+ways.Common+".")
	case len(ways.Rows) > 0 && ways.Common != "":
		lines = append(lines, "Ours: "+ways.Common+"; by model:")
	case len(ways.Rows) > 0:
		lines = append(lines, "Ours, by model:")
	}
	return lines
}

// remarks are the last lines of a rendering: the footnotes, how the weights were trained, and the provenance.
func (t *Table) remarks() []string {
	return text.CleanAll(slices.Concat(t.Footnotes, t.trainings(), []string{t.Provenance.Line()}))
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
