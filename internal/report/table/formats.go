package table

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Format is a way to write a table into a file. A new one is a function in a file of its own and a line in Formats.
type Format struct {
	Extension string // of its files, without the dot
	Render    func(*Table, io.Writer) error
}

// Formats are the ways to write a table, in the order in which they are named to people.
var Formats = []Format{
	{"txt", (*Table).Text},
	{"md", (*Table).Markdown},
	{"tex", (*Table).LaTeX},
	{"json", (*Table).JSON},
}

// TableFiles names the extensions of a table's files, for messages: "{txt,md,tex,json}".
func TableFiles() string {
	var all []string
	for _, f := range Formats {
		all = append(all, f.Extension)
	}
	return "{" + strings.Join(all, ",") + "}"
}

// FigureFiles names the extensions of a figure's files, as TableFiles.
func FigureFiles() string { return "{" + strings.Join(plot.Extensions, ",") + ",json}" }

// Write writes the renderings of t (Formats) as dir/ID.EXT, creating dir when needed, and each figure with a picture as
// dir/ID-NAME.svg and .png with its data as .json. Each file is replaced as a whole. Faults that Check finds are
// returned before any file is touched.
func (t *Table) Write(dir string) error {
	if err := t.Check(); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return &usererr.Error{
			Path: dir, Msg: "cannot create this folder", Hint: "choose a folder that can be written", Err: err,
		}
	}
	for i := range t.Figures {
		f := &t.Figures[i]
		f.File = t.ID + "-" + cmp.Or(f.Name, "figure")
		if f.Picture == nil {
			continue // it was written before, and its table was read
		}
		if err := f.write(dir); err != nil {
			return err
		}
	}
	for _, f := range Formats {
		path := filepath.Join(dir, t.ID+"."+f.Extension)
		if err := atomicfile.Write(path, func(w io.Writer) error { return f.Render(t, w) }); err != nil {
			return fmt.Errorf("write table %s: %w", t.ID, err)
		}
	}
	return nil
}
