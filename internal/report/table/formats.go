package table

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Format is a way to write a table into a file. A new one is a function in a file of its own and a line in Formats.
type Format struct {
	Extension string // of its files, without the dot; also its name for --formats
	Render    func(*Table, io.Writer) error
}

// Formats are the ways to write a table, in the order in which they are named to people.
var Formats = []Format{
	{"txt", (*Table).Text},
	{"md", (*Table).Markdown},
	{"csv", (*Table).CSV},
	{"tex", (*Table).LaTeX},
	{"json", (*Table).JSON},
}

// recordFormats are the extensions of the data behind a figure.
var recordFormats = []string{"csv", "json"}

// Kept are the extensions that Write writes; nil stands for all.
type Kept []string

// ParseKept reads extensions with commas between them; "" stands for all, an unknown one is a *usererr.Error.
func ParseKept(list string) (Kept, error) {
	if list == "" {
		return nil, nil
	}
	known := slices.Concat(Extensions(), plot.Extensions)
	var kept Kept
	for _, name := range strings.Split(list, ",") {
		if name = strings.TrimPrefix(strings.TrimSpace(name), "."); !slices.Contains(known, name) {
			return nil, usererr.New("name some of "+strings.Join(known, ","), "there is no format %q", name)
		}
		kept = append(kept, name)
	}
	return kept, nil
}

func (k Kept) has(extension string) bool { return k == nil || slices.Contains(k, extension) }

// of lists the extensions in all that are kept.
func (k Kept) of(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(e string) bool { return !k.has(e) })
}

// Extensions returns the extensions of Formats.
func Extensions() (all []string) {
	for _, f := range Formats {
		all = append(all, f.Extension)
	}
	return all
}

// TableFiles says which files of a table are kept, for messages: "{txt,md,csv,tex,json}".
func (k Kept) TableFiles() string { return k.braces(Extensions()) }

// FigureFiles says which files of a figure are kept, as TableFiles.
func (k Kept) FigureFiles() string { return k.braces(slices.Concat(plot.Extensions, recordFormats)) }

func (k Kept) braces(all []string) string {
	if all = k.of(all); len(all) == 1 {
		return all[0]
	}
	return "{" + strings.Join(all, ",") + "}"
}

// Write writes the renderings of t (Formats) as dir/ID.EXT, creating dir when needed, and each figure with a picture as
// dir/ID-NAME.svg and .png with its data as .csv and .json; of these files, only the kept ones. Each file is replaced
// as a whole. Faults that Check finds, and a figure's name that is not usable, are returned before any file is touched.
func (t *Table) Write(dir string, kept Kept) error {
	if err := t.Check(); err != nil {
		return err
	}
	if err := t.nameFiles(); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return &usererr.Error{
			Path: dir, Msg: "cannot create this folder", Hint: "choose a folder that can be written", Err: err,
		}
	}
	for _, f := range t.Figures {
		if f.Picture == nil {
			continue // it was written before, and its table was read
		}
		if err := f.write(dir, kept); err != nil {
			return err
		}
	}
	for _, f := range Formats {
		if !kept.has(f.Extension) {
			continue
		}
		path := filepath.Join(dir, t.ID+"."+f.Extension)
		if err := atomicfile.Write(path, func(w io.Writer) error { return f.Render(t, w) }); err != nil {
			return fmt.Errorf("write table %s: %w", t.ID, err)
		}
	}
	return nil
}
