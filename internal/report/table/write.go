package table

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Write writes the renderings of t (Formats) as dir/ID.EXT, creating dir when needed, and each figure as
// dir/ID-NAME.svg and .png with its data as .csv and .json; of these files, those that are kept. t.Figures is set to
// name the figures. All renderings are made before the first is written, and each file is replaced as a whole: a reader
// never sees half of one. It returns what Check finds before touching anything.
func Write(dir string, kept Kept, t *Table, figures ...Figure) error {
	if err := t.Check(); err != nil {
		return err
	}
	var err error
	if t.Figures, err = refs(t.ID, figures); err != nil {
		return err
	}
	return t.write(dir, kept, figures)
}

// Render writes the renderings of t that are kept once more; its figures stay as they are. Errors as for Write.
func (t *Table) Render(dir string, kept Kept) error {
	if err := t.Check(); err != nil {
		return err
	}
	return t.write(dir, kept, nil)
}

func (t *Table) write(dir string, kept Kept, figures []Figure) error {
	bodies := make([]bytes.Buffer, len(Formats))
	for i, f := range Formats {
		if !kept.has(f.Extension) {
			continue
		}
		if err := f.Render(t, &bodies[i]); err != nil {
			return fmt.Errorf("render table %s as %s: %w", t.ID, f.Extension, err)
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return &usererr.Error{
			Path: dir, Msg: "cannot create this folder", Hint: "choose a folder that can be written",
			Err: err,
		}
	}
	for _, f := range figures {
		if err := f.write(dir, kept, t.ID); err != nil {
			return err
		}
	}
	for i, f := range Formats {
		if !kept.has(f.Extension) {
			continue
		}
		if err := atomicfile.WriteFile(filepath.Join(dir, t.ID+"."+f.Extension), bodies[i].Bytes(), atomicfile.DefaultPerm); err != nil {
			return fmt.Errorf("write table %s: %w", t.ID, err)
		}
	}
	return nil
}

// WriteRendered writes what render gives to path.
func WriteRendered(path string, render func(io.Writer) error) error {
	var body bytes.Buffer
	if err := render(&body); err != nil {
		return fmt.Errorf("render %s: %w", path, err)
	}
	return atomicfile.WriteFile(path, body.Bytes(), atomicfile.DefaultPerm)
}
