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
	Width int  // columns of the terminal; 0 means 108. Below 80 the table may be wider than that.
}

// ANSI select-graphic-rendition codes.
const (
	ansiBold   = "1"
	ansiDim    = "2"
	ansiGreen  = "32"
	ansiYellow = "33"
)

// Text prints t for a terminal: aligned columns, then notes and remarks. Names are shortened with "…" when the table
// would be wider than the terminal; numbers never are.
func (t *Table) Text(w io.Writer, o TextOptions) error {
	if o.Width <= 0 {
		o.Width = 108
	}
	l := t.layout()
	p := &textPrinter{opts: o}
	p.heading(text.Clean(t.Title), ansiBold)
	p.heading(text.Clean(t.Caption), "")
	p.b.WriteByte('\n')
	p.table(l)
	p.b.WriteByte('\n')
	for i, n := range l.Notes {
		p.paragraph(MarkLetter(i)+"  ", n)
	}
	for _, r := range l.remarks {
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

// table prints head, rule and rows.
func (p *textPrinter) table(l Layout) {
	grid := textGrid(l)
	widths, gap := fit(grid, p.opts.Width)
	total := -gap
	for _, w := range widths {
		total += w + gap
	}
	for i, fields := range grid {
		if i == 1 || i > 1 && l.rows[i-1].newData {
			p.b.WriteString(p.paint(strings.Repeat("-", total), ansiDim) + "\n")
		}
		var line strings.Builder
		for j, s := range fields {
			s = pad(text.Fit(s, widths[j], utf8.RuneCountInString), widths[j], j >= colPaper && j != colScale && j <= colSeconds)
			code := ansiBold
			if i > 0 {
				code = l.rows[i-1].color(j)
			}
			line.WriteString(p.paint(s, code))
			if j < len(fields)-1 {
				line.WriteString(strings.Repeat(" ", gap))
			}
		}
		p.b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// color is the ANSI code of column j in a row.
func (r *row) color(j int) string {
	switch {
	case j == colOurs && r.missing:
		return ansiDim
	case j == colDifference && r.known && r.better:
		return ansiGreen
	case j == colDifference && r.known:
		return ansiYellow
	default:
		return ""
	}
}

// textGrid returns head and rows as strings, with repeated group names blanked and values aligned at "±". A last
// column holds the marks when there are notes.
func textGrid(l Layout) [][]string {
	grid := [][]string{slices.Clone(columns)}
	for _, r := range l.rows {
		f := slices.Clone(r.fields)
		if !r.newMetric {
			f[colMetric] = ""
		}
		if !r.newData {
			f[colData] = ""
		}
		grid = append(grid, f)
	}
	alignPlusMinus(grid[1:], colPaper)
	alignPlusMinus(grid[1:], colOurs)
	if len(l.Notes) > 0 {
		grid[0] = append(grid[0], "")
		for i, r := range l.rows {
			grid[i+1] = append(grid[i+1], r.mark)
		}
	}
	return grid
}

// alignPlusMinus pads column j so that the "±" of all its values stand below one another. Words stay as they are.
func alignPlusMinus(rows [][]string, j int) {
	tail := 0
	for _, f := range rows {
		if _, std, ok := strings.Cut(f[j], " ± "); ok {
			tail = max(tail, utf8.RuneCountInString(std))
		}
	}
	if tail == 0 {
		return
	}
	for _, f := range rows {
		mean, std, ok := strings.Cut(f[j], " ± ")
		switch {
		case ok:
			f[j] = mean + " ± " + pad(std, tail, false)
		case isNumber(mean):
			f[j] = mean + strings.Repeat(" ", tail+utf8.RuneCountInString(" ± "))
		}
	}
}

// isNumber tells a formatted value from a note that stands in its place.
func isNumber(s string) bool {
	return s == text.Dash || strings.ContainsAny(s[:min(1, len(s))], "0123456789-") || s == "inf"
}

// fit returns column widths and the gap between columns such that the grid is at most width wide, if names can be
// shortened that far.
func fit(grid [][]string, width int) (widths []int, gap int) {
	widths = make([]int, len(grid[0]))
	for _, f := range grid {
		for j, s := range f {
			widths[j] = max(widths[j], utf8.RuneCountInString(s))
		}
	}
	total := func() int {
		sum := gap * (len(widths) - 1)
		for _, w := range widths {
			sum += w
		}
		return sum
	}
	if gap = 2; total() > width {
		gap = 1
	}
	const shortest = 5
	for total() > width {
		j := colData
		for _, k := range []int{colMetric, colModel, colScale} {
			if widths[k] > widths[j] {
				j = k
			}
		}
		if widths[j] <= shortest {
			break
		}
		widths[j]--
	}
	return widths, gap
}

func pad(s string, n int, right bool) string {
	fill := strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
	if right {
		return fill + s
	}
	return s + fill
}
