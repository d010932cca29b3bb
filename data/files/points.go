package files

import (
	"math"
	"slices"
	"strconv"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Table returns the columns of numbers, times and categories as they are in the file, in float64; nil for images.
func (in *Input) Table() *tabular.Table {
	if in.table == nil && !in.IsImages() { // X holds the numbers exactly
		in.table = tabular.Matrix(in.X, in.D)
		in.table.Path = in.Path
	}
	return in.table
}

// FromMatrix returns the input of a table of numbers x [n,d], row by row; NaN is a missing one. The columns are called
// x1, x2, … if columns is nil. Faults and warnings call the table by name. Raw, Encode or Apply makes the points.
func FromMatrix(name string, x []float64, d int, columns []string) *Input {
	t := tabular.Matrix(x, d, columns...)
	t.Path = name
	return &Input{
		Pool: &data.Pool{Name: name}, Axes: Axes{Columns: t.Names()}, Path: name, Kind: "table", table: t, mixed: true,
	}
}

// setColumns gives the input other columns of the same rows.
func (in *Input) setColumns(columns []tabular.Column) {
	t := *in.Table()
	t.Columns = columns
	in.table, in.Columns = &t, t.Names()
}

// Arrange keeps the named columns of the table, in the order of names. It returns false, and changes nothing, if a name
// is not the name of a column, unless no column has a name of its own: they are called x1, x2, …
func (in *Input) Arrange(names []string) bool {
	unnamed := true
	for j, name := range in.Columns {
		unnamed = unnamed && name == tabular.DefaultName(j)
	}
	if unnamed {
		return true
	}
	at := mapped(names, func(name string) int { return slices.Index(in.Columns, name) })
	if slices.Contains(at, -1) {
		return false
	}
	in.setColumns(mapped(at, func(j int) tabular.Column { return in.Table().Columns[j] }))
	return true
}

// Empty empties the cells of the table that hold one of the numbers among texts, as Options.Missing does.
func (in *Input) Empty(missing []string) {
	codes := numbersAmong(missing)
	if len(codes) == 0 || in.IsImages() {
		return
	}
	in.setColumns(mapped(in.Table().Columns, func(c tabular.Column) tabular.Column {
		if c.Kind == tabular.Number {
			c.Values = mapped(c.Values, func(v float64) float64 {
				if slices.Contains(codes, v) {
					return math.NaN()
				}
				return v
			})
		}
		return c
	}))
}

// Rename gives the columns of the table other names.
func (in *Input) Rename(names []string) {
	columns := slices.Clone(in.Table().Columns)
	for j, name := range names {
		columns[j].Name = name
	}
	in.setColumns(columns)
}

// IsMixed reports whether the columns may have several kinds and units, as in a table. The columns of an array, and of
// lists, have one kind and unit.
func (in *Input) IsMixed() bool { return in.mixed }

// IsPlain reports whether all columns are numbers or times without a gap, as Raw needs them.
func (in *Input) IsPlain() bool {
	return in.table == nil || !slices.ContainsFunc(in.table.Columns, func(c tabular.Column) bool {
		return c.Kind == tabular.Category || slices.ContainsFunc(c.Values, math.IsNaN)
	})
}

// Len returns M, the number of points, also before Raw, Encode or Apply.
func (in *Input) Len() int {
	if in.table != nil {
		return in.table.Len()
	}
	return in.Pool.Len()
}

// Cells returns the texts of point i's columns; nil for images.
func (in *Input) Cells(i int) []string {
	if in.IsImages() {
		return nil
	}
	cells := make([]string, len(in.Columns))
	for j := range cells {
		if in.table == nil {
			cells[j] = strconv.FormatFloat(float64(in.X[i*in.D+j]), 'g', -1, 32)
		} else {
			cells[j] = in.table.Columns[j].Cell(i)
		}
	}
	return cells
}

// Raw makes points of the columns as they are: X [M,D] are the numbers and seconds minus Origin, in 32 bits. It warns
// of columns that count the points and of equal points. Images stay as they are.
//
// A category, a missing cell, and a number that is too large are a *usererr.Error.
func (in *Input) Raw() error {
	if in.IsImages() {
		return nil
	}
	given := in.Origin
	if in.table == nil && given == nil {
		if i := slices.IndexFunc(in.X, func(v float32) bool { return v != v }); i >= 0 {
			return in.missing(i/in.D, i%in.D)
		}
		in.Warnings = slices.Concat(in.Warnings, in.counters(), in.duplicates())
		return nil
	}
	m, d := in.Table().Len(), len(in.Table().Columns)
	if given != nil && len(given) != d {
		return usererr.File(in.Path, 0, "give the columns of the clustering",
			"has %s in place of %d", text.Count(d, "column"), len(given))
	}
	in.X, in.D, in.Origin = make([]float32, m*d), d, given
	if given == nil {
		for _, c := range in.table.Columns {
			in.Origin = append(in.Origin, originOf(c.Values))
		}
	}
	for j := range in.table.Columns {
		if err := in.rawColumn(j); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(in.Origin, func(v float64) bool { return v != 0 }) {
		in.Origin = nil
	}
	in.Warnings = slices.Concat(in.Warnings, in.counters(), in.duplicates())
	return nil
}

// Points calls Apply with an encoding of another file, or Raw if e is nil and for images.
func (in *Input) Points(e *tabular.Encoding) error {
	if e == nil || in.IsImages() {
		return in.Raw()
	}
	return in.Apply(*e)
}

func (in *Input) rawColumn(j int) error {
	c := &in.table.Columns[j]
	for i, v := range c.Values {
		switch {
		case math.IsNaN(v):
			return in.missing(i, j)
		case c.Kind == tabular.Category:
			hint := mendOrIgnore
			if in.Labels == nil {
				hint = "leave the column out (FileOptions.Columns; FileOptions.LabelColumn, if it holds labels)"
			}
			return in.table.Fault(i, hint, "column %s: %s is not a number", text.Quote(c.Name), text.Quote(c.Cell(i)))
		}
	}
	for i, v := range c.Values {
		v -= in.Origin[j]
		if !(math.Abs(v) <= math.MaxFloat32) {
			return in.table.Fault(i, "scale this column down", "column %s: %g is too large for a 32-bit number",
				text.Quote(c.Name), v)
		}
		in.X[i*in.D+j] = float32(v)
	}
	return nil
}

func (in *Input) missing(i, j int) error {
	hint := mendOrIgnore
	switch {
	case in.Lines == nil:
		hint = "fill or delete this row"
	case in.like:
		hint = mend
	}
	return in.Table().Fault(i, hint, "column %s: the cell holds no number", text.Quote(in.Columns[j]))
}

// originOf returns the median of a column if 32 bits would round the values by more than 1/10,000 of the interquartile
// range (or of the range, if the former is 0), and otherwise 0.
func originOf(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	m := len(sorted)
	if math.IsNaN(sorted[0]) { // rawColumn reports it
		return 0
	}
	spread := sorted[(3*m-1)/4] - sorted[m/4]
	if spread <= 0 {
		spread = sorted[m-1] - sorted[0]
	}
	const coarse = 0x1p-24 / 1e-4
	if largest := max(-sorted[0], sorted[m-1]); spread > 0 && largest*coarse > spread {
		return sorted[m/2]
	}
	return 0
}

// Encode finds the encoding of the columns (tabular.Fit), makes X [M,D] by it, and adds its notes to Notes.
func (in *Input) Encode(standardize bool) (tabular.Encoding, error) {
	e, notes, err := tabular.Fit(in.Table(), standardize)
	if err != nil {
		return e, err
	}
	more, err := in.encode(e)
	in.Notes = slices.Concat(in.Notes, notes, more)
	return e, err
}

// ToDraw makes X [M,D] for drawing: two columns of numbers as they are, other columns standardized, with gaps filled.
// Notes and warnings stay as they are.
func (in *Input) ToDraw() error {
	notes, warnings := in.Notes, in.Warnings
	defer func() { in.Notes, in.Warnings = notes, warnings }()
	if len(in.Columns) == 2 && in.IsPlain() {
		return in.Raw()
	}
	_, err := in.Encode(true)
	return err
}

// Apply makes X [M,D] of the columns by an encoding. It is the result of Encode, or belongs to another file and was in
// Options.Encoding. Warnings name levels and gaps that the encoding does not know.
func (in *Input) Apply(e tabular.Encoding) error {
	notes, err := in.encode(e)
	in.Warnings = slices.Concat(in.Warnings, notes)
	return err
}

// encode makes X by an encoding.
func (in *Input) encode(e tabular.Encoding) (notes []string, err error) {
	x, notes, err := e.Apply(in.Table())
	if err != nil {
		return nil, err
	}
	in.X, in.D, in.Origin, in.Encoding = x, e.Dim(), nil, &e
	in.Warnings = slices.Concat(in.Warnings, in.duplicates())
	return notes, nil
}
