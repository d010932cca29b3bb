package table

import (
	_ "embed"
	"io"
	"slices"
	"strings"
)

//go:embed table.md.tmpl
var markdownSource string

var markdownTemplate = parse(markdownSource)

// Markdown prints t as a GitHub-flavoured Markdown section. Every row names its data set and metric, so that rows can
// be cut out; notes are footnotes below the table, marked by a letter.
func (t *Table) Markdown(w io.Writer) error { return markdownTemplate.Execute(w, t.document(markdown)) }

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
	var b strings.Builder
	_ = markdownTemplate.ExecuteTemplate(&b, "grid", some.Pivot().grid(markdown)) // a Builder takes everything
	return b.String()
}

// markdownEscapes keeps names and notes from acting as markup.
var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", ">", "&gt;", "&", "&amp;",
	"[", `\[`, "]", `\]`, "~", `\~`, "#", `\#`,
)

func markdownText(s string) string { return markdownEscapes.Replace(s) }
