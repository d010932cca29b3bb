package table

import (
	"io"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

// Markdown prints t as a GitHub-flavoured Markdown section. Every row names its data set and metric, so that rows can
// be cut out; notes are footnotes below the table, marked by a letter.
func (t *Table) Markdown(w io.Writer) error {
	l := t.layout()
	var b strings.Builder
	if s := text.Clean(t.Title); s != "" {
		b.WriteString("## " + markdownText(s) + "\n\n")
	}
	if s := text.Clean(t.Caption); s != "" {
		b.WriteString(markdownText(s) + "\n\n")
	}
	b.WriteString("| " + strings.Join(columns, " | ") + " |\n|")
	for j := range columns {
		if j < colPaper || j == colScale {
			b.WriteString(" --- |")
		} else {
			b.WriteString(" ---: |")
		}
	}
	b.WriteByte('\n')
	for _, r := range l.rows {
		b.WriteByte('|')
		for j, s := range r.fields {
			s = markdownText(s)
			if j == colOurs && r.mark != "" {
				s += "<sup>" + r.mark + "</sup>"
			}
			b.WriteString(" " + s + " |")
		}
		b.WriteByte('\n')
	}
	for i, n := range l.Notes {
		b.WriteString("\n<sup>" + MarkLetter(i) + "</sup> " + markdownText(n) + "\n")
	}
	for _, s := range l.remarks {
		b.WriteString("\n" + markdownText(s) + "\n")
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
