package mixture

import (
	"errors"
	"fmt"
	"math"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Table is a table of N rows, in the user's units.
type Table struct {
	Rows       int
	Numbers    []float64  // [N·D], row by row; NaN where missing
	Categories []Category // Q columns
}

// Category is one column of categories.
type Category struct {
	Codes  []int32 // [N], from 0; −1 where missing
	Levels int
}

// Columns is D, the number of columns of numbers.
func (t Table) Columns() int {
	if t.Rows == 0 {
		return 0
	}
	return len(t.Numbers) / t.Rows
}

// Validate returns an error for a table without rows or of unequal lengths, for infinite numbers and codes out of
// range.
func (t Table) Validate() error {
	var faults usererr.Faults
	faults.Demand(t.Rows >= 1, "rows", t.Rows, "at least 1")
	if err := errors.Join(faults...); err != nil {
		return err
	}
	if len(t.Numbers)%t.Rows != 0 {
		return fmt.Errorf("%d numbers are no rectangle of %d rows", len(t.Numbers), t.Rows)
	}
	for i, x := range t.Numbers {
		if math.IsInf(x, 0) {
			return fmt.Errorf("row %d, column %d: infinite", i/t.Columns()+1, i%t.Columns()+1)
		}
	}
	for q, c := range t.Categories {
		if len(c.Codes) != t.Rows {
			return fmt.Errorf("column %d of categories has %d rows, want %d", q+1, len(c.Codes), t.Rows)
		}
		for i, code := range c.Codes {
			if code < -1 || int(code) >= c.Levels {
				return fmt.Errorf("column %d of categories, row %d: code %d, want −1 to %d", q+1, i+1, code, c.Levels-1)
			}
		}
	}
	return nil
}

// column returns the d-th column of numbers.
func (t Table) column(d int) []float64 {
	width := t.Columns()
	column := make([]float64, t.Rows)
	for i := range column {
		column[i] = t.Numbers[i*width+d]
	}
	return column
}

// runs returns at most most rows, in evenly spaced runs of length successive ones.
func (t Table) runs(most, length int) Table {
	if t.Rows <= most {
		return t
	}
	out, number := Table{Categories: make([]Category, len(t.Categories))}, most/length
	for k := range number {
		lo := k * (t.Rows - length) / max(number-1, 1)
		part := t.part(lo, lo+length)
		out.Rows += part.Rows
		out.Numbers = append(out.Numbers, part.Numbers...)
		for q, c := range part.Categories {
			out.Categories[q].Levels = c.Levels
			out.Categories[q].Codes = append(out.Categories[q].Codes, c.Codes...)
		}
	}
	return out
}

// part returns rows lo to hi.
func (t Table) part(lo, hi int) Table {
	width := t.Columns()
	out := Table{Rows: hi - lo, Numbers: t.Numbers[lo*width : hi*width]}
	for _, c := range t.Categories {
		out.Categories = append(out.Categories, Category{c.Codes[lo:hi], c.Levels})
	}
	return out
}
