package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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

// layout is what text, Markdown and LaTeX print.
type layout struct {
	rows    []row
	notes   []string // marked notes: the i-th has markLetter(i)
	remarks []string // unmarked lines: how ours was computed, footnotes, provenance
}

// longestInlineNote is the most runes a note may have to stand in place of a missing value.
const longestInlineNote = 19

func (t *Table) layout() layout {
	var l layout
	cells := t.ordered()
	for i := range cells {
		c := &cells[i]
		r := row{newData: i == 0 || cells[i-1].Data != c.Data}
		r.newMetric = r.newData || cells[i-1].Metric != c.Metric
		r.missing = c.Ours == nil
		r.better, r.known = atLeastAsGood(c)
		ours, note := FormatValue(c.Metric, c.Ours, false), clean(c.Note)
		if r.missing && note != "" && utf8.RuneCountInString(note) <= longestInlineNote {
			ours, note = note, ""
		}
		r.mark = l.markOf(note)
		r.fields = []string{
			clean(c.Data), clean(c.Metric), clean(c.Model), FormatValue(c.Metric, c.Paper, true), ours,
			FormatDifference(c), orDash(clean(c.Scale)), formatCount(c.seedCount()), formatCount(c.Steps), formatSeconds(c.Seconds),
		}
		l.rows = append(l.rows, r)
	}
	l.remarks = append(conditions(cells), cleanAll(t.Footnotes)...)
	if p := t.Provenance.line(); p != "" {
		l.remarks = append(l.remarks, p)
	}
	return l
}

// markOf returns the letter of a note, entering the note when it is new.
func (l *layout) markOf(note string) string {
	if note == "" {
		return ""
	}
	i := slices.Index(l.notes, note)
	if i < 0 {
		i = len(l.notes)
		l.notes = append(l.notes, note)
	}
	return markLetter(i)
}

// markLetter returns a, b, … z, aa, bb, …
func markLetter(i int) string {
	return strings.Repeat(string(rune('a'+i%26)), i/26+1)
}

// atLeastAsGood compares means as far as they are printed: MC and SDPP are errors (lower is better), all other metrics
// are scores.
func atLeastAsGood(c *Cell) (better, known bool) {
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
			if name = clean(name); !slices.Contains(names, name) {
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
		parts = append(parts, "backend "+clean(c.Backend))
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
		parts = append(parts, formatCount(c.TestSets)+" test sets a seed")
	}
	if c.Selection != "" {
		parts = append(parts, "weights of "+clean(c.Selection))
	}
	return strings.Join(parts, "; ")
}

// line is the provenance in one line, "" when nothing is known.
func (p Provenance) line() string {
	var parts []string
	for _, f := range [][2]string{{"created", p.Created}, {"commit", p.Commit}, {"machine", p.Machine}} {
		if s := clean(f[1]); s != "" {
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
		return dash
	}
	return s
}

// clean makes one line of s: runs of white space become a blank, control characters vanish (a name from a file must
// not move the cursor or break a table).
func clean(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
}

func cleanAll(ss []string) []string {
	out := make([]string, 0, len(ss))
	for _, s := range ss {
		if s = clean(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}
