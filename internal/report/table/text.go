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

// Text prints t for a terminal: aligned columns, then notes and remarks. It returns the errors of w.
func (t *Table) Text(w io.Writer) error {
	same := func(s string) string { return s }
	l := t.layout(markup{
		words: same, number: same, best: "%s", other: "*", mark: "[%s]", note: "[%s] ", columns: mostTextColumns,
	})
	var b, aligned strings.Builder
	paragraph := func(words string) {
		for _, line := range text.Wrap(words, textWidth, utf8.RuneCountInString) {
			b.WriteString(line + "\n")
		}
	}
	if paragraph(l.title); l.caption != "" {
		paragraph(l.caption)
	}
	b.WriteString("\n")
	columns := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, strings.Join(l.heads, "\t"))
	for i, row := range l.rows {
		if !l.begins(i) {
			row = append([]string{""}, row[1:]...)
		}
		fmt.Fprintln(columns, strings.Join(row, "\t"))
	}
	_ = columns.Flush() // a Builder takes everything
	for line := range strings.Lines(aligned.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	b.WriteString("\n")
	for _, line := range l.below {
		paragraph(line)
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}
