package table

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gfncp/gfncp/internal/text"
)

// TextOptions says how Text prints. The zero value is plain text, 108 columns wide.
type TextOptions struct {
	Color bool // ANSI colours: bold heads, dim gaps, green where ours is at least as good as the paper's, yellow where not
	Width int  // columns of the terminal; 0 means 108
}

// ANSI select-graphic-rendition codes.
const (
	ansiBold   = "1"
	ansiDim    = "2"
	ansiGreen  = "32"
	ansiYellow = "33"
)

// Text prints t for a terminal: aligned columns, then notes and remarks. Columns for which there is no room stand below
// the others, beside the names again; names are shortened with "…" if one column beside them is too wide. Numbers never
// are.
func (t *Table) Text(w io.Writer, o TextOptions) error {
	if o.Width <= 0 {
		o.Width = 108
	}
	pivot, ways := t.Pivot(), t.Ways()
	p := &textPrinter{opts: o}
	p.heading(text.Clean(t.Title), ansiBold)
	p.heading(text.Clean(t.Caption), "")
	p.b.WriteByte('\n')
	p.grid(pivotGrid(pivot))
	for i, n := range pivot.Notes {
		p.paragraph("["+MarkLetter(i)+"] ", n)
	}
	for _, s := range pivot.signs(ways) {
		p.paragraph("", s)
	}
	if len(ways.Rows) > 0 {
		p.b.WriteByte('\n')
		p.grid(waysGrid(ways))
	}
	for _, r := range t.remarks() {
		p.paragraph("", r)
	}
	_, err := io.WriteString(w, strings.TrimRight(p.b.String(), "\n")+"\n")
	return err
}

type textPrinter struct {
	opts TextOptions
	b    strings.Builder
}

func (p *textPrinter) heading(s, code string) {
	for _, line := range text.Wrap(s, p.opts.Width, utf8.RuneCountInString) {
		p.b.WriteString(p.paint(line, code) + "\n")
	}
}

// paragraph prints s after a lead, with a hanging indent.
func (p *textPrinter) paragraph(lead, s string) {
	n := utf8.RuneCountInString(lead)
	for i, line := range text.Wrap(s, p.opts.Width-n, utf8.RuneCountInString) {
		if i > 0 {
			lead = strings.Repeat(" ", n)
		}
		p.b.WriteString(lead + line + "\n")
	}
}

func (p *textPrinter) paint(s, code string) string {
	if !p.opts.Color || code == "" || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// textGrid is what the printer aligns: the first columns hold names, which begin at the left.
type textGrid struct {
	heads []string
	names int
	left  []bool // [heads] columns beyond the names that begin at the left too
	rows  [][]textField
	ruled []bool // [rows] a rule stands above
}

type textField struct{ text, code string }

// pivotGrid writes ours with the paper's number in brackets, those of a column below one another. Names are not
// repeated.
func pivotGrid(p *Pivot) textGrid {
	g := textGrid{heads: []string{"Data", p.Corner}, names: 2}
	for _, b := range p.Blocks {
		for i, r := range b.Rows {
			row := []textField{{text: b.Name}, {text: strings.TrimSpace(r.Name + " " + r.Arrow)}}
			if i > 0 {
				row[0].text = ""
			}
			g.rows, g.ruled = append(g.rows, row), append(g.ruled, i == 0 && (!p.Flat || len(g.rows) == 0))
		}
	}
	for j, h := range p.Heads {
		g.heads = append(g.heads, strings.TrimSpace(h.Name+" "+h.Arrow))
		var entries []Entry
		for _, b := range p.Blocks {
			for _, r := range b.Rows {
				entries = append(entries, r.Entries[j])
			}
		}
		for i, s := range entryTexts(entries) {
			g.rows[i] = append(g.rows[i], textField{s, entries[i].code()})
		}
	}
	g.left = make([]bool, len(g.heads))
	return g
}

// entryTexts aligns ours and the paper's numbers of one column.
func entryTexts(entries []Entry) []string {
	parts := make([][2]string, len(entries))
	var widths [2]int
	for i, e := range entries {
		if parts[i][0] = e.marked(); e.Paper != "" {
			parts[i][1] = " (" + e.PaperMean() + ")"
		}
		for k, s := range parts[i] {
			widths[k] = max(widths[k], utf8.RuneCountInString(s))
		}
	}
	texts := make([]string, len(entries))
	for i, e := range entries {
		if e.Cell != nil {
			texts[i] = pad(parts[i][0], widths[0], true) + pad(parts[i][1], widths[1], true)
		}
	}
	return texts
}

// marked is ours with the signs of its remarks.
func (e Entry) marked() string {
	s := e.Ours
	if e.Apart {
		s += "*"
	}
	if e.Mark != "" {
		s += "[" + e.Mark + "]"
	}
	return s
}

// code is the ANSI code of an entry.
func (e Entry) code() string {
	switch {
	case e.Missing:
		return ansiDim
	case e.Good:
		return ansiGreen
	case e.Bad:
		return ansiYellow
	}
	return ""
}

func waysGrid(w WayTable) textGrid {
	g := textGrid{names: 1, ruled: make([]bool, len(w.Rows))}
	g.ruled[0] = true
	for _, h := range w.Heads {
		g.heads, g.left = append(g.heads, h.Name), append(g.left, !h.Number)
	}
	for _, row := range w.Rows {
		var fields []textField
		for _, s := range row {
			fields = append(fields, textField{text: s})
		}
		g.rows = append(g.rows, fields)
	}
	return g
}

const columnGap = 2

// grid prints as many columns beside one another as fit, the others below.
func (p *textPrinter) grid(g textGrid) {
	if len(g.rows) == 0 {
		return
	}
	widths := g.widths(p.opts.Width)
	names := 0
	for _, w := range widths[:g.names] {
		names += w + columnGap
	}
	for from := g.names; from < len(widths); {
		to, total := from+1, names+widths[from]
		for to < len(widths) && total+columnGap+widths[to] <= p.opts.Width {
			total += columnGap + widths[to]
			to++
		}
		p.part(g, widths, from, to, total)
		from = to
	}
}

// widths are those of the columns: wide enough for each field and each word of a head, the names shorter if need be.
func (g textGrid) widths(room int) []int {
	widths := make([]int, len(g.heads))
	widest := 0
	for j, head := range g.heads {
		for _, word := range strings.Fields(head) {
			widths[j] = max(widths[j], utf8.RuneCountInString(word))
		}
		for _, row := range g.rows {
			widths[j] = max(widths[j], utf8.RuneCountInString(row[j].text))
		}
		if j >= g.names {
			widest = max(widest, widths[j])
		}
	}
	const shortest = 5
	for {
		total := widest
		for _, w := range widths[:g.names] {
			total += w + columnGap
		}
		j := slices.Index(widths[:g.names], slices.Max(widths[:g.names]))
		if total <= room || widths[j] <= shortest {
			return widths
		}
		widths[j]--
	}
}

// part prints the names and the columns from … to. Rows that have nothing there are left out, with their name if it is
// one of several parts.
func (p *textPrinter) part(g textGrid, widths []int, from, to, total int) {
	columns := make([]int, 0, g.names+to-from)
	for j := range g.heads {
		if j < g.names || j >= from && j < to {
			columns = append(columns, j)
		}
	}
	heads := make([][]string, len(g.heads))
	lines := 0
	for _, j := range columns {
		heads[j] = text.Wrap(g.heads[j], widths[j], utf8.RuneCountInString)
		lines = max(lines, len(heads[j]))
	}
	for i := range lines {
		p.line(g, widths, columns, func(j int) textField {
			if k := i - lines + len(heads[j]); k >= 0 {
				return textField{heads[j][k], ansiBold}
			}
			return textField{}
		})
	}
	name, ruled := "", false
	for i, row := range g.rows {
		if row[0].text != "" {
			name = row[0].text
		}
		ruled = ruled || g.ruled[i]
		if !slices.ContainsFunc(row[from:to], func(f textField) bool { return f.text != "" }) {
			continue
		}
		if ruled {
			p.b.WriteString(p.paint(strings.Repeat("-", total), ansiDim) + "\n")
		}
		p.line(g, widths, columns, func(j int) textField {
			if j == 0 && g.names > 1 {
				return textField{text: name}
			}
			return row[j]
		})
		if g.names > 1 {
			name = ""
		}
		ruled = false
	}
	p.b.WriteByte('\n')
}

func (p *textPrinter) line(g textGrid, widths, columns []int, field func(j int) textField) {
	var line strings.Builder
	for i, j := range columns {
		if i > 0 {
			line.WriteString(strings.Repeat(" ", columnGap))
		}
		f := field(j)
		f.text = pad(text.Shorten(f.text, widths[j]), widths[j], j >= g.names && !g.left[j])
		line.WriteString(p.paint(f.text, f.code))
	}
	p.b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

func pad(s string, n int, right bool) string {
	fill := strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
	if right {
		return fill + s
	}
	return s + fill
}
