package table

import (
	"io"
	"slices"
	"strings"
)

// Markdown prints t as a section of GitHub's Markdown. Every row names its data set, so that it can be cut out. It
// returns the errors of w.
func (t *Table) Markdown(w io.Writer) error {
	l := t.layout(markup{
		words: markdownText, number: markdownText, best: "**%s**", other: `\*`, mark: "<sup>%s</sup>",
		note: "<sup>%s</sup> ", columns: mostColumns,
	})
	var b strings.Builder
	if l.title != "" {
		b.WriteString("## " + l.title + "\n\n")
	}
	if l.caption != "" {
		b.WriteString(l.caption + "\n\n")
	}
	rules := slices.Concat([]string{"---", "---"}, slices.Repeat([]string{"---:"}, len(l.heads)-2))
	for _, row := range slices.Concat([][]string{l.heads, rules}, l.rows) {
		b.WriteString(strings.ReplaceAll("| "+strings.Join(row, " | ")+" |\n", "  |", " |"))
	}
	for _, line := range l.below {
		b.WriteString("\n" + line + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownEscapes keeps names and notes from acting as markup.
var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", ">", "&gt;", "&", "&amp;",
	"[", `\[`, "]", `\]`, "~", `\~`, "#", `\#`,
)

func markdownText(s string) string { return markdownEscapes.Replace(s) }
