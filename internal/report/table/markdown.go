package table

import (
	"io"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

// Markdown prints t as a GitHub-flavoured Markdown section. Every row names its data set and metric, so that rows can
// be cut out; notes are footnotes below the table, marked by a letter.
func (t *Table) Markdown(w io.Writer) error {
	p, ways := t.Pivot(), t.Ways()
	var b strings.Builder
	if s := text.Clean(t.Title); s != "" {
		b.WriteString("## " + markdownText(s) + "\n\n")
	}
	if s := text.Clean(t.Caption); s != "" {
		b.WriteString(markdownText(s) + "\n\n")
	}
	b.WriteString(p.markdown())
	for i, n := range p.Notes {
		b.WriteString("\n<sup>" + MarkLetter(i) + "</sup> " + markdownText(n) + "\n")
	}
	for _, s := range p.signs(ways) {
		b.WriteString("\n" + markdownText(s) + "\n")
	}
	if len(ways.Rows) > 0 {
		b.WriteString("\n" + ways.markdown())
	}
	for _, s := range t.remarks() {
		b.WriteString("\n" + markdownText(s) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// MarkdownPivot is the table of Markdown alone, for a document that has its own words around it: without notes. With
// metrics it has only those, in that order; a metric that no cell has counts for nothing.
func (t *Table) MarkdownPivot(metrics ...string) string {
	some := &Table{ID: t.ID}
	for _, c := range t.Ordered() {
		if len(metrics) > 0 && !slices.Contains(metrics, c.Metric) {
			continue
		}
		if c.Ours != nil || len([]rune(c.Note)) > longestInlineNote {
			c.Note = ""
		}
		some.Cells = append(some.Cells, c)
	}
	slices.SortStableFunc(some.Cells, func(a,
		b Cell,
	) int {
		return slices.Index(metrics, a.Metric) - slices.Index(metrics, b.Metric)
	})
	return some.Pivot().markdown()
}

func (p *Pivot) markdown() string {
	var b strings.Builder
	line := []string{"Data", p.Corner}
	align := []string{"---", "---"}
	for _, h := range p.Heads {
		line, align = append(line, markdownText(strings.TrimSpace(h.Name+" "+h.Arrow))), append(align, "---:")
	}
	markdownLine(&b, line)
	markdownLine(&b, align)
	for _, block := range p.Blocks {
		for _, r := range block.Rows {
			line = []string{markdownText(block.Name), markdownText(strings.TrimSpace(r.Name + " " + r.Arrow))}
			for _, e := range r.Entries {
				line = append(line, e.markdown())
			}
			markdownLine(&b, line)
		}
	}
	return b.String()
}

// markdown is ours, bold if it is the best, and the paper's number.
func (e Entry) markdown() string {
	s := markdownText(e.Ours)
	if e.Best {
		s = "**" + s + "**"
	}
	if e.Apart {
		s += `\*`
	}
	if e.Mark != "" {
		s += "<sup>" + e.Mark + "</sup>"
	}
	if e.Paper != "" {
		s += " (" + markdownText(e.PaperMean()) + ")"
	}
	return s
}

func (w WayTable) markdown() string {
	var b strings.Builder
	var heads, align []string
	for _, h := range w.Heads {
		heads = append(heads, h.Name)
		align = append(align, map[bool]string{false: "---", true: "---:"}[h.Number])
	}
	markdownLine(&b, heads)
	markdownLine(&b, align)
	for _, row := range w.Rows {
		line := slices.Clone(row)
		for i := range line {
			line[i] = markdownText(line[i])
		}
		markdownLine(&b, line)
	}
	return b.String()
}

func markdownLine(b *strings.Builder, fields []string) {
	b.WriteString("|")
	for _, f := range fields {
		b.WriteString(strings.TrimRight(" "+f, " ") + " |")
	}
	b.WriteByte('\n')
}

// markdownEscapes keeps names and notes from acting as markup.
var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", ">", "&gt;", "&", "&amp;",
	"[", `\[`, "]", `\]`, "~", `\~`, "#", `\#`,
)

func markdownText(s string) string { return markdownEscapes.Replace(s) }
