package em

import (
	"math"
	"slices"
)

// Rows are the prepared rows of a table: what the sampler sees.
type Rows struct {
	N       int
	Columns [][]float64 // [D][n], scaled; a missing cell holds its present draw
	Codes   [][]int32   // [Q][n], −1 where missing
	First   []int       // [Q+1], where the levels of a variable begin among all levels
	Gaps    []Gap       // rows with missing cells, rising
	GapOf   []int32     // [n], index into gaps, −1 without; nil if no cell is missing
	Rounded []Rounded   // columns whose cells are drawn within their steps
	Shared  bool        // whether clusters of many columns share a shape
}

// Gap is a row with missing cells.
type Gap struct {
	Row     int
	Missing []int // columns, rising
}

// Rounded is a column of rounded numbers. They are known up to a step, or at the end of a scale, such as a limit of
// detection, up to a bound (they are censored). The sampler draws their exact values given the row's cluster, as it
// draws missing cells. Otherwise steps and heaps would become clusters.
type Rounded struct {
	Column    int
	Low, High []float64 // [n], the bounds of each cell; NaN where a cell is exact or missing
}

// FewColumns is the largest number of columns with which clusters always share a shape.
const FewColumns = 6

// Dim is D, the number of columns of numbers.
func (r *Rows) Dim() int { return len(r.Columns) }

// Variables is Q, the number of variables of categories.
func (r *Rows) Variables() int { return len(r.Codes) }

// Levels is the number of levels of all variables together.
func (r *Rows) Levels() int { return r.First[len(r.Codes)] }

// Ones returns a weight of 1 for each row.
func (r *Rows) Ones() []float64 { return slices.Repeat([]float64{1}, r.N) }

// MissingOf returns the number of missing cells of a row.
func (r *Rows) MissingOf(row int) int {
	if r.GapOf == nil || r.GapOf[row] < 0 {
		return 0
	}
	return len(r.Gaps[r.GapOf[row]].Missing)
}

// Uncensored returns the rows of a list whose cell of a column is not censored, see Rounded.
func (r *Rows) Uncensored(column int, rows []int) []int {
	at := slices.IndexFunc(r.Rounded, func(c Rounded) bool { return c.Column == column })
	if at < 0 {
		return rows
	}
	low, high := r.Rounded[at].Low, r.Rounded[at].High
	return slices.DeleteFunc(slices.Clone(rows), func(i int) bool {
		return math.IsInf(low[i], -1) || math.IsInf(high[i], 1)
	})
}

// AddCategory adds a variable; codes from levels on become missing.
func (r *Rows) AddCategory(codes []int32, levels int) {
	bounded := slices.Clone(codes)
	for i, code := range codes {
		if int(code) >= levels { // of a table to predict
			bounded[i] = -1
		}
	}
	r.Codes = append(r.Codes, bounded)
	r.First = append(r.First, r.First[len(r.First)-1]+levels)
}

// ListGaps finds the missing cells and gives them a first value.
func (r *Rows) ListGaps() {
	for i := range r.N {
		var missing []int
		for d, column := range r.Columns {
			if math.IsNaN(column[i]) {
				missing = append(missing, d)
				column[i] = 0
			}
		}
		if len(missing) == 0 {
			continue
		}
		if r.GapOf == nil {
			r.GapOf = slices.Repeat([]int32{-1}, r.N)
		}
		r.GapOf[i] = int32(len(r.Gaps))
		r.Gaps = append(r.Gaps, Gap{i, missing})
	}
}

// UpTo returns lo, lo+1, …, hi−1.
func UpTo(lo, hi int) []int {
	out := make([]int, hi-lo)
	for i := range out {
		out[i] = lo + i
	}
	return out
}

// Pick returns the values at places.
func Pick[T any](values []T, places []int) []T {
	out := make([]T, len(places))
	for at, i := range places {
		out[at] = values[i]
	}
	return out
}
