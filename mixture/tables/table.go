package tables

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/gfncp/gfncp/mixture/em"
)

// Table is a table of N ≥ 1 rows: D columns of numbers, in the user's units, and Q of categories.
type Table struct {
	Rows       int
	Numbers    []float64  // [N·D], row by row, finite; NaN where missing
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

// Row returns the numbers of row i, which must not be changed.
func (t Table) Row(i int) []float64 { return t.Numbers[i*t.Columns() : (i+1)*t.Columns()] }

// Column returns the d-th column of numbers.
func (t Table) Column(d int) []float64 {
	column := make([]float64, t.Rows)
	for i := range column {
		column[i] = t.Row(i)[d]
	}
	return column
}

// Distinct returns the table without exact copies, and of [N], which of its rows each row is. It returns the table
// itself and nil if less than a tenth of these rows have copies, or if the numbers are so coarse that equal rows arise
// by chance. Rows with missing cells have no copies.
func (t Table) Distinct() (out Table, of []int) {
	const fewest = 0.1 // share of rows with copies
	if t.HasChanceCopies(float64(t.Rows)) {
		return t, nil
	}
	var firsts []int
	known, copied := map[string]int{}, map[int]bool{}
	for i, name := range t.names() {
		at, seen := known[name]
		if seen {
			copied[at] = true
		} else {
			at = len(firsts)
			firsts = append(firsts, i)
			if name != "" {
				known[name] = at
			}
		}
		of = append(of, at)
	}
	if float64(len(copied)) < fewest*float64(len(firsts)) {
		return t, nil
	}
	return t.Pick(firsts), of
}

// SplitShare returns the share of rows that are equal to a row of another cluster. A row with missing numbers equals no
// row.
func (t Table) SplitShare(labels []int32) float64 {
	equal := map[string][]int{} // rows
	for i, name := range t.names() {
		if name != "" {
			equal[name] = append(equal[name], i)
		}
	}
	split := 0
	for _, rows := range equal {
		if slices.ContainsFunc(rows, func(i int) bool { return labels[i] != labels[rows[0]] }) {
			split += len(rows)
		}
	}
	return float64(split) / float64(t.Rows)
}

// HasChanceCopies reports whether the numbers are so rounded that some of as many rows are equal by chance: the lattice
// of rounded numbers has few points, or all steps are so wide that the sampler draws the cells within them. Otherwise
// equal rows are copies, which would form clusters of zero width: Sample takes them as one row, and ignores weights.
func (t Table) HasChanceCopies(rows float64) bool {
	const placesPerRow = 100
	places, drawn := 1.0, true // points of the lattice, +Inf if a column is not rounded
	for d := range t.Columns() {
		column := t.Column(d)
		if distinct := DistinctOf(column); len(distinct) > 2 {
			places *= (distinct[len(distinct)-1] - distinct[0]) / decimalStep(distinct)
			_, wide := stepOf(column, distinct)
			drawn = drawn && wide
		}
	}
	return drawn || places < placesPerRow*rows
}

// names returns the bytes of the cells of each row; empty for a row with missing numbers.
func (t Table) names() []string {
	names := make([]string, t.Rows)
	for i := range names {
		numbers := t.Row(i)
		if slices.ContainsFunc(numbers, math.IsNaN) {
			continue
		}
		var name []byte
		for _, x := range numbers {
			name = binary.NativeEndian.AppendUint64(name, math.Float64bits(x))
		}
		for _, c := range t.Categories {
			name = binary.NativeEndian.AppendUint32(name, uint32(c.Codes[i]))
		}
		names[i] = string(name)
	}
	return names
}

// Runs returns at most most rows, in evenly spaced runs of length successive ones.
func (t Table) Runs(most, length int) Table {
	if t.Rows <= most {
		return t
	}
	var places []int
	for k, number := 0, most/length; k < number; k++ {
		lo := k * (t.Rows - length) / max(number-1, 1)
		places = append(places, em.UpTo(lo, lo+length)...)
	}
	return t.Pick(places)
}

// Pick returns a table of the rows at places.
func (t Table) Pick(places []int) Table {
	out := Table{Rows: len(places)}
	for _, i := range places {
		out.Numbers = append(out.Numbers, t.Row(i)...)
	}
	for _, c := range t.Categories {
		out.Categories = append(out.Categories, Category{em.Pick(c.Codes, places), c.Levels})
	}
	return out
}
