package mixture

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
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

func (t Table) row(i int) []float64 { return t.Numbers[i*t.Columns() : (i+1)*t.Columns()] }

// column returns the d-th column of numbers.
func (t Table) column(d int) []float64 {
	column := make([]float64, t.Rows)
	for i := range column {
		column[i] = t.row(i)[d]
	}
	return column
}

// distinct returns the table without exact copies, and of [N], which of its rows each row is. It returns the table
// itself and nil if less than a tenth of these rows have copies, or if the numbers are so coarse that equal rows arise
// by chance. Rows with missing cells have no copies.
func (t Table) distinct() (out Table, of []int) {
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
	return t.pick(firsts), of
}

// splitShare returns the share of rows that are equal to a row of another cluster. A row with missing numbers equals no
// row.
func (t Table) splitShare(labels []int32) float64 {
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

// places returns the number of points of the lattice of rounded numbers, +Inf if a column is not rounded. It returns 0
// if the steps of all columns are so wide that the sampler draws the cells within them.
func (t Table) places() float64 {
	places, drawn := 1.0, true
	for d := range t.Columns() {
		column := t.column(d)
		if distinct := distinctOf(column); len(distinct) > 2 {
			places *= (distinct[len(distinct)-1] - distinct[0]) / decimalStep(distinct)
			_, wide := stepOf(column, distinct)
			drawn = drawn && wide
		}
	}
	if drawn {
		return 0
	}
	return places
}

// names returns the bytes of the cells of each row; empty for a row with missing numbers.
func (t Table) names() []string {
	names := make([]string, t.Rows)
	for i := range names {
		numbers := t.row(i)
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

// runs returns at most most rows, in evenly spaced runs of length successive ones.
func (t Table) runs(most, length int) Table {
	if t.Rows <= most {
		return t
	}
	var places []int
	for k, number := 0, most/length; k < number; k++ {
		lo := k * (t.Rows - length) / max(number-1, 1)
		places = append(places, upTo(lo, lo+length)...)
	}
	return t.pick(places)
}

func (t Table) pick(places []int) Table {
	out := Table{Rows: len(places)}
	for _, i := range places {
		out.Numbers = append(out.Numbers, t.row(i)...)
	}
	for _, c := range t.Categories {
		out.Categories = append(out.Categories, Category{pick(c.Codes, places), c.Levels})
	}
	return out
}

// pick returns the values at places.
func pick[T any](values []T, places []int) []T {
	out := make([]T, len(places))
	for at, i := range places {
		out[at] = values[i]
	}
	return out
}

// upTo returns lo, lo+1, …, hi−1.
func upTo(lo, hi int) []int {
	out := make([]int, hi-lo)
	for i := range out {
		out[i] = lo + i
	}
	return out
}

// Options are the settings of Sample; the zero value means the defaults.
type Options struct {
	Seed  uint64
	Work  float64 // most rows × sweeps, of all chains together; 0 means about ten seconds of one core
	Draws int     // most partitions that are kept; 0 means 1,000

	Known // prior knowledge about the clusters

	Progress func(done, most int) // called after each block of sweeps of each chain; nil for none
	RowName  func(row int) string // names a row, from 0, in errors; nil for "row 0" and so on
}

// Known is prior knowledge about a table's clusters. The posterior is conditional on it.
type Known struct {
	Least, Most     int       // number of clusters, 0 for free; with either, every row is in a cluster
	Together, Apart [][2]int  // pairs of rows, from 0, that are in one cluster, or in different ones
	Given           []int32   // [N], labels: equal ones are together, different ones apart; −1 where unknown
	Weights         []float64 // [N], whole numbers: how many equal rows each row stands for
}

// rowName names a row for the user.
func (o *Options) rowName(row int) string {
	if o.RowName == nil {
		return fmt.Sprintf("row %d", row)
	}
	return o.RowName(row)
}

// usualWork returns how many rows × sweeps take ten seconds of one core. By BenchmarkSweep a sweep takes about
// 60 + 1.5·D² + .13·D³ µs, and each row .3 + .13·D µs more, .13 µs for each category, and .27 µs
// for each cell that is drawn.
func usualWork(r *rows) float64 {
	const seconds, sweep, row, column, cell, square, cubic = 10, 60e-6, 0.3e-6, 0.13e-6, 0.27e-6, 1.5e-6, 1.3e-7
	n, d := float64(r.n), float64(r.dim())
	perRow := row + column*(d+float64(r.variables())) + cell*float64(len(r.rounded))
	return seconds * n / (n*perRow + sweep + d*d*(square+cubic*d))
}

// rows are the prepared rows of a table: what the sampler sees.
type rows struct {
	n       int
	columns [][]float64 // [D][n], scaled; a missing cell holds its present draw
	codes   [][]int32   // [Q][n], −1 where missing
	first   []int       // [Q+1], where the levels of a variable begin among all levels
	gaps    []gap       // rows with missing cells, rising
	gapOf   []int32     // [n], index into gaps, −1 without; nil if no cell is missing
	rounded []rounded   // columns whose cells are drawn within their steps
	known   knowledge
	shared  bool // whether clusters of many columns share a shape
}

// gap is a row with missing cells.
type gap struct {
	row     int
	missing []int // columns, rising
}

func (r *rows) dim() int       { return len(r.columns) }
func (r *rows) variables() int { return len(r.codes) }
func (r *rows) levels() int    { return r.first[len(r.codes)] }

func (r *rows) ones() []float64 { return slices.Repeat([]float64{1}, r.n) }
