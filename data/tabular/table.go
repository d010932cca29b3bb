// Package tabular turns a table of mixed columns into numbers that a network reads. It has an encoding that is fitted
// once and applied to further rows, and principal components.
package tabular

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Kind is the kind of the cells of a column.
type Kind string

// The kinds of columns.
const (
	Number   Kind = "number"
	Time     Kind = "time"     // seconds since 1970 began (UTC), or since midnight
	Category Kind = "category" // one of some levels
)

// Column is a column of a table of N rows.
type Column struct {
	Name string
	Kind Kind
	// Values [N] are the numbers, the seconds, or the places in Levels; NaN where the cell is missing.
	Values []float64
	// Levels are the different texts of a category.
	Levels []string
}

// Table is the columns of a file as they were read, all of one length.
type Table struct {
	Path    string // the file, for messages
	Lines   []int  // [N] the rows' lines in the file; nil for a file without lines
	Columns []Column
}

// DefaultName returns the name of a column without one, the j-th from 0: x1, x2, …
func DefaultName(j int) string { return "x" + strconv.Itoa(j+1) }

// Matrix returns the table of numbers x [N,d], row by row; NaN is a missing cell. Columns without a name are called x1,
// x2, …
func Matrix[T float32 | float64](x []T, d int, names ...string) *Table {
	t := &Table{}
	for j := range d {
		c := Column{Name: DefaultName(j), Kind: Number, Values: make([]float64, 0, len(x)/d)}
		if j < len(names) && names[j] != "" {
			c.Name = names[j]
		}
		for i := j; i < len(x); i += d {
			c.Values = append(c.Values, float64(x[i]))
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

// Len is N, the number of rows.
func (t *Table) Len() int {
	if len(t.Columns) == 0 {
		return 0
	}
	return len(t.Columns[0].Values)
}

// Names returns the names of the columns.
func (t *Table) Names() (names []string) {
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return names
}

// Cell returns the text of a cell, "" if it is missing. A time is written as in RFC 3339, and a time of day in seconds.
func (c *Column) Cell(i int) string {
	v := c.Values[i]
	size := math.Abs(v)
	switch {
	case math.IsNaN(v):
		return ""
	case c.Kind == Category:
		return c.Levels[int(v)]
	case c.Kind == Time && size >= 24*60*60:
		return time.UnixMicro(int64(math.Round(v * 1e6))).UTC().Format(time.RFC3339Nano)
	case size >= 1e-4 && size < 1e15:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Among returns the cells of a category by their places in known levels: −1 for an unknown level, NaN for a missing
// cell. A note tells how many cells have an unknown level. The values of other columns stay as they are.
func (c *Column) Among(known []string) (values []float64, notes []string) {
	if c.Kind != Category {
		return c.Values, nil
	}
	places := make([]float64, len(c.Levels))
	for l, level := range c.Levels {
		places[l] = float64(slices.Index(known, level))
	}
	unknown, first := 0, ""
	values = slices.Clone(c.Values)
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		if values[i] = places[int(v)]; values[i] < 0 {
			unknown++
			first = cmp.Or(first, c.Levels[int(v)])
		}
	}
	if unknown > 0 {
		notes = append(notes, fmt.Sprintf("column %s: %s a level that the clustering does not know, such as %s", c.Name,
			text.Count(unknown, "row has", "rows have"), text.Quote(first)))
	}
	return values, notes
}

// present are the values of the cells that have one.
func (c *Column) present() []float64 { return slices.DeleteFunc(slices.Clone(c.Values), math.IsNaN) }

// Find returns the column of a name; it tries the index near first. It returns an error if no column has the name. It
// also does if the column has another kind, unless it is empty and no category is wanted.
func (t *Table) Find(name string, kind Kind, near int) (*Column, error) {
	i := near
	if i >= len(t.Columns) || t.Columns[i].Name != name {
		i = slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	}
	if i < 0 {
		return nil, Lacks(t.Path, t.Names(), name)
	}
	c := &t.Columns[i]
	if kind != c.Kind && (kind == Category || len(c.present()) > 0) {
		return nil, usererr.File(t.Path, 0, "write it as in the file that was clustered",
			"column %s holds values of kind %s, but the clusters were found with %s", text.Quote(c.Name), c.Kind, kind)
	}
	return c, nil
}

// Lacks returns the fault of a table without a column that an encoding reads; known are the names of its columns.
func Lacks(path string, known []string, name string) error {
	return usererr.File(path, 0,
		usererr.DidYouMean(name, known, "name the column as in the file that was clustered, or cluster anew"),
		"there is no column %s, with which the clusters were found", text.Quote(name))
}

// Fault returns a fault of row i. It names the file and the line, or the row if there are no lines.
func (t *Table) Fault(i int, hint, format string, args ...any) error {
	if t.Lines != nil {
		return usererr.File(t.Path, t.Lines[i], hint, format, args...)
	}
	return usererr.File(t.Path, 0, hint, t.RowName(i)+", "+format, args...)
}

// RowName names row i, from 0, for the user: by its line in the file, by its number from 1 in a file without lines, and
// by i if there is no file.
func (t *Table) RowName(i int) string {
	switch {
	case t.Lines != nil:
		return "line " + strconv.Itoa(t.Lines[i])
	case t.Path != "":
		i++
	}
	return "row " + strconv.Itoa(i)
}
