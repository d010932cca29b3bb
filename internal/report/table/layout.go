package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gfncp/gfncp/internal/text"
)

// columns are the heads of the shown columns. The note's mark follows Ours's row as a last, headless column.
var columns = []string{"Data", "Metric", "Model", "Paper", "Ours", "Difference", "Scale", "Seeds", "Steps", "Seconds"}

// Indices into columns and row.fields.
const (
	colData = iota
	colMetric
	colModel
	colPaper
	colOurs
	colDifference
	colScale
	colSeeds
	colSteps
	colSeconds
)

// row is one cell ready to print.
type row struct {
	fields    []string // one for each of columns
	mark      string   // letter of its note, "" when there is none
	newData   bool     // first row of its data set
	newMetric bool     // first row of its metric within the data set
	missing   bool     // Ours is absent
	better    bool     // ours is at least as good as the paper's
	known     bool     // the difference is known
}

// Layout is what text, Markdown and LaTeX print.
type Layout struct {
	rows    []row
	Notes   []string // marked notes: the i-th has markLetter(i)
	remarks []string // unmarked lines: how ours was computed, footnotes, provenance
}

// longestInlineNote is the most runes a note may have to stand in place of a missing value.
const longestInlineNote = 19

func (t *Table) layout() Layout {
	var l Layout
	cells := t.Ordered()
	for i := range cells {
		c := &cells[i]
		r := row{newData: i == 0 || cells[i-1].Data != c.Data}
		r.newMetric = r.newData || cells[i-1].Metric != c.Metric
		r.missing = c.Ours == nil
		r.better, r.known = AtLeastAsGood(c)
		ours, note := FormatValue(c.Metric, c.Ours, false), text.Clean(c.Note)
		if r.missing && note != "" && utf8.RuneCountInString(note) <= longestInlineNote {
			ours, note = note, ""
		}
		r.mark = l.markOf(note)
		r.fields = []string{
			text.Clean(c.Data), text.Clean(c.Metric), text.Clean(c.Model), FormatValue(c.Metric, c.Paper, true), ours,
			FormatDifference(c), orDash(text.Clean(c.Scale)), text.Number(c.seedCount()), text.Number(c.Steps), formatSeconds(c.Seconds),
		}
		l.rows = append(l.rows, r)
	}
	l.remarks = append(conditions(cells), text.CleanAll(t.Footnotes)...)
	if p := t.Provenance.Line(); p != "" {
		l.remarks = append(l.remarks, p)
	}
	return l
}

// markOf returns the letter of a note, entering the note when it is new.
func (l *Layout) markOf(note string) string {
	if note == "" {
		return ""
	}
	i := slices.Index(l.Notes, note)
	if i < 0 {
		i = len(l.Notes)
		l.Notes = append(l.Notes, note)
	}
	return MarkLetter(i)
}

// MarkLetter returns a, b, … z, aa, bb, …
func MarkLetter(i int) string {
	return strings.Repeat(string(rune('a'+i%26)), i/26+1)
}

// AtLeastAsGood compares means as far as they are printed: MC and SDPP are errors (lower is better), all other metrics
// are scores.
func AtLeastAsGood(c *Cell) (better, known bool) {
	d, ok := c.Difference()
	if strings.HasPrefix(c.Metric, "MC") || strings.HasPrefix(c.Metric, "SDPP") {
		d = -d
	}
	return d >= 0 || isZero(FormatDifference(c)), ok
}

// conditions says how our values came about, one line for each distinct way.
func conditions(cells []Cell) []string {
	var ways []string
	where := map[string][]Cell{} // by way
	spread := map[string]int{}   // number of ways by data and model
	for i := range cells {
		c := &cells[i]
		way := c.way()
		if c.Ours == nil || way == "" {
			continue
		}
		if where[way] == nil {
			ways = append(ways, way)
		}
		if !slices.ContainsFunc(where[way], func(o Cell) bool { return o.Data == c.Data && o.Model == c.Model }) {
			spread[c.Data+" "+c.Model]++
		}
		where[way] = append(where[way], *c)
	}
	if len(ways) == 1 {
		return []string{"Ours: " + ways[0] + "."}
	}
	lines := make([]string, len(ways))
	for i, way := range ways {
		var names []string
		for _, c := range where[way] {
			name := c.Data + " " + c.Model
			if spread[name] > 1 {
				name += " " + c.Metric
			}
			if name = text.Clean(name); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		lines[i] = "Ours, " + strings.Join(names, ", ") + ": " + way + "."
	}
	return lines
}

// way describes backend, seeds, test sets and selection of a cell, "" when none is known.
func (c *Cell) way() string {
	var parts []string
	if c.Backend != "" {
		parts = append(parts, "backend "+text.Clean(c.Backend))
	}
	if len(c.Seeds) > 0 {
		words := make([]string, len(c.Seeds))
		for i, s := range c.Seeds {
			words[i] = strconv.FormatUint(s, 10)
		}
		word := "seeds "
		if len(words) == 1 {
			word = "seed "
		}
		parts = append(parts, word+strings.Join(words, ", "))
	}
	if c.TestSets > 0 {
		parts = append(parts, text.Number(c.TestSets)+" test sets a seed")
	}
	if c.Selection != "" {
		parts = append(parts, "weights of "+text.Clean(c.Selection))
	}
	return strings.Join(parts, "; ")
}

// Line is the provenance in one line, "" when nothing is known.
func (p Provenance) Line() string {
	var parts []string
	for _, f := range [][2]string{{"created", p.Created}, {"commit", p.Commit}, {"machine", p.Machine}} {
		if s := text.Clean(f[1]); s != "" {
			parts = append(parts, fmt.Sprintf("%s %s", f[0], s))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	s := strings.Join(parts, "; ") + "."
	return strings.ToUpper(s[:1]) + s[1:]
}

func orDash(s string) string {
	if s == "" {
		return text.Dash
	}
	return s
}
