package table

import (
	"fmt"
	"io"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
)

// Markdown prints t as a section of GitHub's Markdown. Every row names its data set, so that it can be cut out.
func (t *Table) Markdown(w io.Writer) error {
	var b strings.Builder
	if title := text.Clean(t.Title); title != "" {
		b.WriteString("## " + markdownText(title) + "\n\n")
	}
	if caption := text.Clean(t.Caption); caption != "" {
		b.WriteString(markdownText(caption) + "\n\n")
	}
	g := t.Grid()
	g.markdown(&b)
	for i, note := range g.Notes {
		fmt.Fprintf(&b, "\n<sup>%s</sup> %s\n", MarkLetter(i), markdownText(note))
	}
	for _, remark := range t.Remarks() {
		b.WriteString("\n" + markdownText(remark) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown writes the grid.
func (g *Grid) markdown(b *strings.Builder) {
	line := func(fields []string) {
		b.WriteString("|")
		for _, f := range fields {
			if b.WriteString(" "); f != "" {
				b.WriteString(f + " ")
			}
			b.WriteString("|")
		}
		b.WriteString("\n")
	}
	var heads, rules []string
	for i, h := range g.Heads {
		heads, rules = append(heads, markdownText(h)), append(rules, "---")
		if i > 1 {
			rules[i] = "---:"
		}
	}
	line(heads)
	line(rules)
	for _, r := range g.Rows {
		fields := []string{markdownText(r.Data), markdownText(r.Name)}
		for _, f := range r.Fields {
			fields = append(fields, f.written(markdownText, markdownText, "**%s**", `\*`, "<sup>%s</sup>"))
		}
		line(fields)
	}
}

// written joins the parts of a field in a markup: words and numbers are escaped; best and mark are formats.
func (f Field) written(words, number func(string) string, best, other, mark string) string {
	s := words(f.Ours)
	if !f.Missing && f.Ours != "" {
		s = number(f.Ours)
	}
	if f.Best {
		s = fmt.Sprintf(best, s)
	}
	if f.Other {
		s += other
	}
	if f.Mark != "" {
		s += fmt.Sprintf(mark, f.Mark)
	}
	if f.Paper != "" {
		s += " (" + number(f.Paper) + ")"
	}
	return s
}

// markdownEscapes keeps names and notes from acting as markup.
var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", ">", "&gt;", "&", "&amp;",
	"[", `\[`, "]", `\]`, "~", `\~`, "#", `\#`,
)

func markdownText(s string) string { return markdownEscapes.Replace(s) }
