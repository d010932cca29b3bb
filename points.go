package gfncp

import (
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// FileOptions say how a file is read, such as which columns hold the coordinates. The zero value detects all of it.
type FileOptions = files.Options

// Points are the rows of a table, vectors or images, as they were given: numbers in float64, with the columns' names
// and the rows' lines. They never change.
type Points struct{ in *files.Input }

// NewPoints makes points of n rows of numbers x [n,D], row by row; NaN is a missing cell. Columns without a name are
// called x1, x2, … Images are their pixels in 0..1, bright on dark. It fails for values that are no rectangle.
func NewPoints(x []float64, n int, columns ...string) (*Points, error) {
	if n < 1 || len(x)%n != 0 || len(x) == 0 {
		return nil, usererr.New("give the points row by row, all with as many coordinates",
			"%d values are not those of %d points", len(x), n)
	}
	d := len(x) / n
	if len(columns) > d {
		return nil, usererr.New("name each column once", "%d names of %d columns", len(columns), d)
	}
	return &Points{files.FromMatrix("", x, d, columns)}, nil
}

// ReadPoints reads a file or folder, "-" for standard input, whatever its format. With nil options it detects how.
// Faults of the file are *Error. Model.ReadPoints and Clustering.ReadPoints find the columns they need.
func ReadPoints(path string, o *FileOptions) (*Points, error) {
	options := fileOptions(o)
	if err := checkUsed(path, options); err != nil {
		return nil, err
	}
	options.SomeLabels = true // Score refuses gaps
	in, err := files.Read(path, options)
	if err != nil {
		return nil, err
	}
	return &Points{in}, nil
}

// checkUsed returns an error for options that choose columns, if o.Encoding names the columns already.
func checkUsed(path string, o FileOptions) error {
	names := []string{"Columns", "Ignore", "Categorical"}
	for i, given := range [][]string{o.Columns, o.Ignore, o.Categorical} {
		if len(given) > 0 && o.Encoding != nil {
			return &Error{
				Path: path, Option: names[i], Hint: "leave it out",
				Msg: "has no effect: the model finds its own columns by their names",
			}
		}
	}
	return nil
}

// fileOptions returns the given options, or the default ones for nil.
func fileOptions(o *FileOptions) FileOptions {
	if o == nil {
		return FileOptions{}
	}
	return *o
}

// given returns an error for nil and for the zero value.
func (p *Points) given() error {
	if p == nil || p.in == nil {
		return usererr.New("make them by NewPoints or ReadPoints", "no points are given")
	}
	return nil
}

// Len is the number of points.
func (p *Points) Len() int {
	if p.given() != nil {
		return 0
	}
	return p.in.Len()
}

// Labels are the labels that the file holds, numbered by first appearance, −1 for a missing one; nil without labels.
func (p *Points) Labels() []int32 {
	if p.given() != nil {
		return nil
	}
	return slices.Clone(p.in.Labels)
}

// Input returns the input that was read, with all names, notes and warnings. It must not be changed.
func (p *Points) Input() *files.Input { return p.in }

// fork returns a copy of the input, to which coordinates can be added. Both share the data that do not change.
func (p *Points) fork() *files.Input {
	in := *p.in
	in.Pool = &data.Pool{
		Name: in.Name, X: in.X, D: in.D, Height: in.Height, Width: in.Width, Labels: in.Labels, Classes: in.Classes,
	}
	in.Notes, in.Warnings = slices.Clip(in.Notes), slices.Clip(in.Warnings)
	return &in
}

// coordinates returns the points with X [N,D] in float32, as a network reads them that was trained on known: pixels, a
// table encoded as the training table was, or other numbers less Origin.
func (p *Points) coordinates(known data.Config) (*files.Input, error) {
	encoding, err := known.TableEncoding()
	if err != nil {
		return nil, err
	}
	in := p.fork()
	if known.IsImages() {
		in.Origin = make([]float64, len(in.Columns)) // pixels stay unchanged
	}
	return in, in.Points(encoding)
}

// fault adds the points' file to an *Error that names neither a file nor an option.
func (p *Points) fault(err error) error { return usererr.In(p.in.Path, err) }

// checkKind refuses images for a network of points. Points for one of images are judged by their coordinates.
func (p *Points) checkKind(m *train.Model) error {
	if p.in.IsImages() && !m.Config.Data.IsImages() {
		return usererr.File(p.in.Path, 0, "name a model that was trained on images",
			"holds images of %d×%d pixels, but model %s takes points with %s", p.in.Height, p.in.Width, m.Card.Name,
			text.Count(m.Config.Net.Dim, "coordinate"))
	}
	return nil
}
