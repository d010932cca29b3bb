package tabular

import (
	"fmt"
	"math"
	"slices"

	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Encoding maps rows of mixed columns to rows of D numbers; Fit computes it. It can be stored as JSON and applied to
// another file with the same columns.
//
// Number and time columns are centred and scaled. A category of L levels becomes L numbers by the convention of factor
// analysis of mixed data (Pagès 2004): the indicator of a level that a share p of the rows have is 1/√p − √p in these
// rows and −√p in the others, so that no direction of one category has more than variance 1. A level rarer than
// RareShare is scaled as if it had that share, so that a few rows do not lie farther from the others than clusters do.
type Encoding struct {
	Columns []Code `json:"columns"`
}

// Code is how one column is encoded.
type Code struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Fill replaces a missing cell: the median, or the index of the most frequent level.
	Fill float64 `json:"fill"`
	// Mean and Scale encode a number or a time: it becomes Scale·(x − Mean).
	Mean  float64 `json:"mean,omitempty"`
	Scale float64 `json:"scale,omitempty"`
	// Levels are the levels of a category in alphabetical order, and Shares their shares of the rows.
	Levels []string  `json:"levels,omitempty"`
	Shares []float64 `json:"shares,omitempty"`
}

// RareShare is the least share by which the indicators of levels are scaled: rows of a rare level lie at most
// 1/√0.05 = 4.5 standard deviations from the others. Without it, a level of 3 rows in 1,000 would lie 18 away.
const RareShare = 0.05

// width returns how many numbers a column becomes.
func (c *Code) width() int {
	if c.Kind == Category {
		return len(c.Levels)
	}
	return 1
}

// Dim returns D, how many numbers an encoded row has.
func (e Encoding) Dim() (d int) {
	for i := range e.Columns {
		d += e.Columns[i].width()
	}
	return d
}

// Apply encodes a table that has the columns of the encoding by name, in any order: x [N,D], row by row. The notes name
// the missing cells, which are filled in, and unknown levels, which match no level. A column that is not there, or
// holds text in the place of numbers, is a *usererr.Error.
func (e Encoding) Apply(t *Table) (x []float32, notes []string, err error) {
	d := e.Dim()
	x = make([]float32, t.Len()*d)
	var filled []string
	at := 0
	for k := range e.Columns {
		code := &e.Columns[k]
		column, err := t.Find(code.Name, code.Kind, k)
		if err != nil {
			return nil, nil, err
		}
		if code.Kind == Category {
			notes = append(notes, code.indicate(column, x, at, d)...)
		} else {
			for i, v := range column.Values {
				if math.IsNaN(v) {
					v = code.Fill
				}
				x[i*d+at] = float32(code.Scale * (v - code.Mean))
			}
		}
		if gaps := column.missing(); gaps > 0 {
			filled = append(filled, fmt.Sprintf("%s (%d)", text.Quote(code.Name), gaps))
		}
		at += code.width()
	}
	if len(filled) > 0 {
		notes = append(notes, "missing cells are filled in: "+text.List(filled, mostNamed))
	}
	return x, notes, nil
}

// mostNamed is the largest number of columns that a note names.
const mostNamed = 12

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
	if kind != c.Kind && (kind == Category || c.missing() < t.Len()) {
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

// indicate writes a category's numbers into x [N,d] from column at on. It returns notes of unknown levels.
func (c *Code) indicate(column *Column, x []float32, at, d int) (notes []string) {
	unknown := map[string]int{}
	for i, code := range column.Codes(c.Levels) {
		own := int(code)
		if math.IsNaN(column.Values[i]) {
			own = int(c.Fill)
		} else if own < 0 {
			unknown[column.Cell(i)]++
		}
		for l, share := range c.Shares {
			scale := 1 / math.Sqrt(max(share, RareShare))
			indicator := -share * scale
			if l == own {
				indicator += scale
			}
			x[i*d+at+l] = float32(indicator)
		}
	}
	for _, level := range column.Levels {
		if n := unknown[level]; n > 0 {
			notes = append(notes, fmt.Sprintf("column %s: %s with the unknown level %s count as none of the levels",
				text.Quote(c.Name), text.Count(n, "row"), text.Quote(level)))
		}
	}
	return notes
}
