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

// Write writes the five renderings of t as dir/ID.txt, .md, .csv, .tex and .json, creating dir when needed, and each
// figure as dir/ID-NAME.svg and .png with its data as .csv and .json; t.Figures is set to name them. All renderings are made
// before the first is written, and each file is replaced as a whole: a reader never sees half of one. It returns what Check
// finds before touching anything.
func Write(dir string, t *Table, figures ...Figure) error {
	var err error
	if err = t.Check(); err != nil {
		return err
	}
	if t.Figures, err = refs(t.ID, figures); err != nil {
		return err
	}
	renderings := []struct {
		ext    string
		render func(io.Writer) error
	}{
		{"txt", func(w io.Writer) error { return t.Text(w, TextOptions{}) }},
		{"md", t.Markdown},
		{"csv", t.CSV},
		{"tex", t.LaTeX},
		{"json", t.JSON},
	}
	bodies := make([]bytes.Buffer, len(renderings))
	for i, r := range renderings {
		if err := r.render(&bodies[i]); err != nil {
			return fmt.Errorf("render table %s as %s: %w", t.ID, r.ext, err)
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return &usererr.Error{Path: dir, Msg: "cannot create this folder", Hint: "choose a folder that can be written", Err: err}
	}
	for _, f := range figures {
		if err := f.write(dir, t.ID); err != nil {
			return err
		}
	}
	for i, r := range renderings {
		path := filepath.Join(dir, t.ID+"."+r.ext)
		if err := WriteBytes(path, bodies[i].Bytes()); err != nil {
			return fmt.Errorf("write table %s: %w", t.ID, err)
		}
	}
	return nil
}

// WriteBytes replaces the file at path in one step.
func WriteBytes(path string, data []byte) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteRendered writes what render gives to path.
func WriteRendered(path string, render func(io.Writer) error) error {
	var body bytes.Buffer
	if err := render(&body); err != nil {
		return fmt.Errorf("render %s: %w", path, err)
	}
	return WriteBytes(path, body.Bytes())
}
