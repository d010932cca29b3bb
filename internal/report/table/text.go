package table

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gfncp/gfncp/internal/text"
)

// TextOptions says how Text prints. The zero value is plain text, 108 columns wide.
type TextOptions struct {
	// ANSI colours: bold heads, dim gaps, green where ours is at least as good as the paper's, yellow where not
	Color bool
	Width int // columns of the terminal; 0 means 108
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
	d := t.document(plain)
	p := &textPrinter{opts: o}
	p.heading(d.Title, ansiBold)
	p.heading(d.Caption, "")
	p.b.WriteByte('\n')
	p.grid(d.Pivot)
	for i, n := range d.Notes {
		p.paragraph("["+MarkLetter(i)+"] ", n)
	}
	for _, s := range d.Signs {
		p.paragraph("", s)
	}
	if len(d.Ways.Rows) > 0 {
		p.b.WriteByte('\n')
		p.grid(d.Ways)
	}
	for _, r := range d.Remarks {
		p.paragraph("", r)
	}
	_, err := io.WriteString(w, strings.TrimRight(p.b.String(), "\n")+"\n")
	return err
}

func unchanged(s string) string { return s }

var plain = markup{text: unchanged, number: unchanged, best: "%s", apart: "*", mark: "[%s]"}

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

// align puts ours below one another in each column, and the paper's numbers too.
func (g grid) align() {
	for j := g.names; j < len(g.Heads); j++ {
		ours, paper := 0, 0
		for _, row := range g.Rows {
			ours = max(ours, utf8.RuneCountInString(row[j].text))
			paper = max(paper, utf8.RuneCountInString(row[j].beside))
		}
		for _, row := range g.Rows {
			if f := &row[j]; f.entry.Cell != nil {
				f.text, f.beside = fmt.Sprintf("%*s%*s", ours, f.text, paper, f.beside), ""
			}
		}
	}
}

const columnGap = 2

// grid prints as many columns beside one another as fit, the others below.
func (p *textPrinter) grid(g grid) {
	if len(g.Rows) == 0 {
		return
	}
	g.align()
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
func (g grid) widths(room int) []int {
	widths := make([]int, len(g.Heads))
	widest := 0
	for j, head := range g.Heads {
		for _, word := range strings.Fields(head.Name) {
			widths[j] = max(widths[j], utf8.RuneCountInString(word))
		}
		for _, row := range g.Rows {
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
func (p *textPrinter) part(g grid, widths []int, from, to, total int) {
	columns := make([]int, 0, g.names+to-from)
	for j := range g.Heads {
		if j < g.names || j >= from && j < to {
			columns = append(columns, j)
		}
	}
	heads := make([][]string, len(g.Heads))
	lines := 0
	for _, j := range columns {
		heads[j] = text.Wrap(g.Heads[j].Name, widths[j], utf8.RuneCountInString)
		lines = max(lines, len(heads[j]))
	}
	for i := range lines {
		p.line(g, widths, columns, func(j int) (words, code string) {
			if k := i - lines + len(heads[j]); k >= 0 {
				return heads[j][k], ansiBold
			}
			return "", ""
		})
	}
	name, ruled := "", false
	for i, row := range g.Rows {
		if row[0].text != "" {
			name = row[0].text
		}
		ruled = ruled || g.Ruled[i]
		if !slices.ContainsFunc(row[from:to], func(f field) bool { return f.text != "" }) {
			continue
		}
		if ruled {
			p.b.WriteString(p.paint(strings.Repeat("-", total), ansiDim) + "\n")
		}
		p.line(g, widths, columns, func(j int) (words, code string) {
			if j == 0 && g.names > 1 {
				return name, ""
			}
			return row[j].text, row[j].entry.code()
		})
		if g.names > 1 {
			name = ""
		}
		ruled = false
	}
	p.b.WriteByte('\n')
}

func (p *textPrinter) line(g grid, widths, columns []int, field func(j int) (words, code string)) {
	var line strings.Builder
	for i, j := range columns {
		if i > 0 {
			line.WriteString(strings.Repeat(" ", columnGap))
		}
		words, code := field(j)
		width := -widths[j] // to the left
		if g.Heads[j].Number {
			width = widths[j]
		}
		line.WriteString(p.paint(fmt.Sprintf("%*s", width, text.Shorten(words, widths[j])), code))
	}
	p.b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}
