package table

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// The file of a new format: a function that writes a table. The line {"org", (*Table).Org} in Formats (formats.go)
// makes `gfncp reproduce` and `gfncp report` write it, name it in their messages and take it for --formats.

// Org writes the grid as a table of Emacs' Org mode.
func (t *Table) Org(w io.Writer) error {
	g := t.Grid()
	lines := [][]string{g.Heads}
	for _, row := range g.Rows {
		line := []string{row.Data, row.Name}
		for _, field := range row.Fields {
			line = append(line, field.Ours)
		}
		lines = append(lines, line)
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, "| "+strings.Join(line, " | ")+" |"); err != nil {
			return err
		}
	}
	return nil
}

// A new format is written for every table by its line in the list alone.
func TestExtendingFormats(t *testing.T) {
	before := Formats
	t.Cleanup(func() { Formats = before })
	Formats = append(slices.Clone(Formats), Format{"org", (*Table).Org})

	dir, sample := t.TempDir(), &Table{ID: "sample", Title: "A sample", Cells: []Cell{
		{Data: "MoG", Model: "NCP", Metric: "NMI", Ours: &Value{Mean: 0.92}},
	}}
	must.M(sample.Write(dir, must.M1(ParseKept("org"))))
	text := string(must.M1(os.ReadFile(filepath.Join(dir, "sample.org"))))
	if text != "| Data | Metric | NCP |\n| MoG | NMI ↑ | 0.920 |\n" {
		t.Errorf("it wrote %q", text)
	}
	if entries := must.M1(os.ReadDir(dir)); len(entries) != 1 {
		t.Errorf("with --formats org there are %v", entries)
	}
}
