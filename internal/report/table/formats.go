package table

import (
	"io"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Format is a way to write a table into a file. A new one is a function in a file of its own and a line in Formats.
type Format struct {
	Extension string // of its files, without the dot; also its name for --formats
	Render    func(*Table, io.Writer) error
}

// Formats are the ways to write a table, in the order in which they are named to people.
var Formats = []Format{
	{"txt", func(t *Table, w io.Writer) error { return t.Text(w, TextOptions{}) }},
	{"md", (*Table).Markdown},
	{"csv", (*Table).CSV},
	{"tex", (*Table).LaTeX},
	{"json", (*Table).JSON},
}

// PictureFormats are the extensions of a figure's picture, which Picture.Save knows.
var PictureFormats = canvas.Extensions()

// recordFormats are the extensions of the data behind a figure.
var recordFormats = []string{"csv", "json"}

// Kept are the extensions that Write writes; nil stands for all.
type Kept []string

// ParseKept reads extensions with commas between them; "" stands for all. An extension that no table or figure has is a
// *usererr.Error.
func ParseKept(list string) (Kept, error) {
	if list == "" {
		return nil, nil
	}
	known := append(extensions(), PictureFormats...)
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

func extensions() (all []string) {
	for _, f := range Formats {
		all = append(all, f.Extension)
	}
	return all
}

// TableFiles says which files of a table are kept, for messages: "{txt,md,csv,tex,json}".
func (k Kept) TableFiles() string { return k.braces(extensions()) }

// FigureFiles says which files of a figure are kept, as TableFiles.
func (k Kept) FigureFiles() string { return k.braces(slices.Concat(PictureFormats, recordFormats)) }

func (k Kept) braces(all []string) string {
	all = slices.DeleteFunc(all, func(e string) bool { return !k.has(e) })
	if len(all) == 1 {
		return all[0]
	}
	return "{" + strings.Join(all, ",") + "}"
}
