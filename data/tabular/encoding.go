package tabular

import (
	"fmt"
	"math"

	"github.com/gfncp/gfncp/internal/text"
)

// Encoding maps rows of mixed columns to rows of D numbers; Fit computes it. It can be stored as JSON and applied to
// another file with the same columns.
//
// Number and time columns are centred and scaled. A category of L levels becomes L numbers by the convention of factor
// analysis of mixed data (Pagès 2004): the indicator of a level that a share p of the rows have is 1/√p − √p in these
// rows and −√p in the others, so that no direction of one category has more than variance 1.
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
// 1/√0.05 = 4.5 standard deviations from the others. Without it, a level of 3 rows in 1,000 would lie 18 away, farther
// than clusters do.
const RareShare = 0.05

// width returns how many numbers a column becomes: one for each level, or one.
func (c *Code) width() int { return max(1, len(c.Levels)) }

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
	d, at := e.Dim(), 0
	x = make([]float32, t.Len()*d)
	var filled []string
	for k := range e.Columns {
		code := &e.Columns[k]
		column, err := t.Find(code.Name, code.Kind, k)
		if err != nil {
			return nil, nil, err
		}
		values, unknown := column.Among(code.Levels)
		notes = append(notes, unknown...)
		for i, v := range values {
			code.encode(v, x[i*d+at:])
		}
		if gaps := t.Len() - len(column.present()); gaps > 0 {
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

// encode writes the numbers of a value to the start of x. The value −1 is an unknown level.
func (c *Code) encode(v float64, x []float32) {
	if math.IsNaN(v) {
		v = c.Fill
	}
	if c.Kind != Category {
		x[0] = float32(c.Scale * (v - c.Mean))
		return
	}
	for l, share := range c.Shares {
		scale := 1 / math.Sqrt(max(share, RareShare))
		indicator := -share * scale
		if v == float64(l) {
			indicator += scale
		}
		x[l] = float32(indicator)
	}
}
