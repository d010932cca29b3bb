package table

import (
	"io"
	"slices"
	"strings"
)

// Markdown prints t as a GitHub-flavoured Markdown section. Every row names its data set and metric, so that rows can
// be cut out; notes are footnotes below the table, marked by a letter.
func (t *Table) Markdown(w io.Writer) error {
	d := t.document(markdown)
	var b strings.Builder
	if d.title != "" {
		b.WriteString("## " + markdownText(d.title) + "\n\n")
	}
	if d.caption != "" {
		b.WriteString(markdownText(d.caption) + "\n\n")
	}
	b.WriteString(d.pivot.markdown())
	for i, n := range d.notes {
		b.WriteString("\n<sup>" + MarkLetter(i) + "</sup> " + markdownText(n) + "\n")
	}
	for _, s := range d.signs {
		b.WriteString("\n" + markdownText(s) + "\n")
	}
	if len(d.ways.rows) > 0 {
		b.WriteString("\n" + d.ways.markdown())
	}
	for _, s := range d.remarks {
		b.WriteString("\n" + markdownText(s) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var markdown = markup{
	text: markdownText, number: markdownText, best: "**%s**", apart: `\*`, mark: "<sup>%s</sup>", repeatNames: true,
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
	slices.SortStableFunc(some.Cells, func(a, b Cell) int {
		return slices.Index(metrics, a.Metric) - slices.Index(metrics, b.Metric)
	})
	return some.Pivot().grid(markdown).markdown()
}

func (g grid) markdown() string {
	var b strings.Builder
	var heads, align []string
	for _, h := range g.heads {
		heads = append(heads, h.Name)
		align = append(align, map[bool]string{false: "---", true: "---:"}[h.Number])
	}
	markdownLine(&b, heads)
	markdownLine(&b, align)
	for _, row := range g.rows {
		markdownLine(&b, row.texts())
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
