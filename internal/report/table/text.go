package table

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/gfncp/gfncp/internal/text"
)

// textWidth is the width of the lines around a printed table.
const textWidth = 108

// mostTextColumns is the number of models that become columns of a printed table.
const mostTextColumns = 5

// Text prints t for a terminal: aligned columns, then notes and remarks.
func (t *Table) Text(w io.Writer) error {
	var b strings.Builder
	paragraph := func(words string) {
		for _, line := range text.Wrap(text.Clean(words), textWidth, utf8.RuneCountInString) {
			b.WriteString(line + "\n")
		}
	}
	if paragraph(t.Title); t.Caption != "" {
		paragraph(t.Caption)
	}
	b.WriteString("\n")
	g := t.grid(mostTextColumns)
	var aligned strings.Builder
	columns := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, strings.Join(g.Heads, "\t"))
	same := func(s string) string { return s }
	for _, r := range g.Rows {
		fields := []string{"", r.Name}
		if r.First {
			fields[0] = r.Data
		}
		for _, f := range r.Fields {
			fields = append(fields, f.written(same, same, "%s", "*", "[%s]"))
		}
		fmt.Fprintln(columns, strings.Join(fields, "\t"))
	}
	_ = columns.Flush() // a Builder takes everything
	for line := range strings.Lines(aligned.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	b.WriteString("\n")
	for i, n := range g.Notes {
		paragraph("[" + MarkLetter(i) + "] " + n)
	}
	for _, r := range t.Remarks() {
		paragraph(r)
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}
