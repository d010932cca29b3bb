package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

const (
	exactShare   = 3e-6 // of its robust scale that a linear combination of other columns leaves of a column
	closeShare   = 0.12 // the same of a column that is nearly one
	rowsToColumn = 3    // complete rows for each column, at least, for either to count
)

// remainder is a number that is nearly a linear combination of the numbers before it. What the combination leaves takes
// its place: in more than six columns the model expects weak correlations within clusters, and would lose the clusters.
type remainder struct {
	At      int       `json:"at"`      // of the numbers
	Weights []float64 `json:"weights"` // [At]
	Centre  float64   `json:"centre"`
	Scale   float64   `json:"scale"`
}

// apply replaces the column by its remainder.
func (m remainder) apply(columns [][]float64) {
	column := columns[m.At]
	for d, weight := range m.Weights {
		if weight != 0 { // else a missing cell there would make this one missing
			floats.AddScaled(column, -weight, columns[d])
		}
	}
	for i, x := range column {
		column[i] = (x - m.Centre) / m.Scale
	}
}

// dropLinear sets apart the numbers that are linear combinations of others, such as a sum of columns: they tell nothing
// new, and a density of them has no bound.
func (e *encoder) dropLinear(t Table) {
	var dropped []int
	for d, f := range linearFits(e.encodeNumbers(t, false)) {
		if f.exact {
			dropped = append(dropped, e.Numbers[d].Column)
			e.uses[e.Numbers[d].Column] = OfOthers
		}
	}
	e.Numbers = slices.DeleteFunc(e.Numbers, func(n number) bool { return slices.Contains(dropped, n.Column) })
}

// fitRemainders finds the numbers that are nearly linear combinations of others. It follows from how they are encoded.
func (e *encoder) fitRemainders(t Table) {
	e.Remainders = nil
	if len(e.Numbers) <= fewColumns || e.Projection != nil {
		return
	}
	columns := e.encodeNumbers(t, true)
	fits := linearFits(columns)
	for d := len(fits) - 1; d >= 0; d-- { // the last one first, so that those before it are still there
		if f := fits[d]; f.close && !f.exact {
			m := remainder{At: d, Weights: f.weights, Scale: 1}
			m.apply(columns)
			m.Centre, m.Scale = robustScale(columns[d])
			e.Remainders = append(e.Remainders, m)
		}
	}
}

// encodeNumbers returns the encoded numbers.
func (e *encoder) encodeNumbers(t Table, noise bool) (columns [][]float64) {
	for i := range e.Numbers {
		columns = append(columns, e.Numbers[i].encode(t, noise))
	}
	return columns
}

// linearFit is the regression of a column on the columns before it.
type linearFit struct {
	exact, close bool
	weights      []float64 // [columns before it], 0 for exact ones
}

// linearFits returns the regression of each column on the columns before it, over the rows without gaps. Columns have
// robust scales of 1: measured by their standard deviations, one far row would make them linear in each other. Columns
// that an exact combination replaces are left out of the others'. With few rows no column is exact or close.
func linearFits(columns [][]float64) []linearFit {
	fits := make([]linearFit, len(columns))
	columns = withoutGaps(columns)
	if len(columns) == 0 || len(columns[0]) < rowsToColumn*len(columns) {
		return fits
	}
	var kept []int
	var basis, upper [][]float64 // of kept columns: orthonormal, and their coordinates [kept][kept]
	rows := float64(len(columns[0]))
	for d, column := range columns {
		rest := slices.Clone(column)
		floats.AddConst(-stat.Mean(rest, nil), rest)
		coordinates := make([]float64, len(kept))
		for range 2 { // the second time for the rounding errors of the first
			for j, axis := range basis {
				part := floats.Dot(axis, rest)
				coordinates[j] += part
				floats.AddScaled(rest, -part, axis)
			}
		}
		left := floats.Norm(rest, 2)
		share := left / math.Sqrt(rows-1-float64(len(kept)))
		f := &fits[d]
		f.exact, f.close = share < exactShare, share < closeShare
		f.weights = make([]float64, d)
		above := append(slices.Clone(coordinates), left)
		for j := len(kept) - 1; j >= 0; j-- { // the upper triangle, solved from below
			weight := coordinates[j] / upper[j][j]
			f.weights[kept[j]] = weight
			floats.AddScaled(coordinates[:j], -weight, upper[j][:j])
		}
		if f.exact {
			continue
		}
		floats.Scale(1/left, rest)
		basis, kept = append(basis, rest), append(kept, d)
		upper = append(upper, above)
	}
	return fits
}

// withoutGaps returns the columns without the rows that have gaps.
func withoutGaps(columns [][]float64) [][]float64 {
	out := make([][]float64, len(columns))
	if len(columns) == 0 {
		return out
	}
	for i := range columns[0] {
		if !slices.ContainsFunc(columns, func(column []float64) bool { return math.IsNaN(column[i]) }) {
			for d, column := range columns {
				out[d] = append(out[d], column[i])
			}
		}
	}
	return out
}

// dropCoarser sets apart the categories that follow from another one: from a finer one, as the region of a city, or from
// a copy, as a code of a name. Both together would make clusters of their own. Two columns of two levels each may be
// alike because of the clusters.
func (e *encoder) dropCoarser(t Table) {
	const rowsPerLevel, fewestCopied = 5, 3
	levels := make([]int, len(t.Categories))
	for q, c := range t.Categories {
		levels[q] = len(slices.Compact(slices.Sorted(slices.Values(c.Codes))))
	}
	for q, coarse := range t.Categories {
		for p, fine := range t.Categories {
			copied := levels[p] == levels[q] && levels[q] >= fewestCopied && p < q
			if levels[p]*rowsPerLevel > t.Rows || levels[p] <= levels[q] && !copied {
				continue
			}
			if followsFrom(coarse.Codes, fine.Codes) {
				e.Categories[q], e.uses[t.Columns()+q] = 0, Coarser
			}
		}
	}
}

// followsFrom reports whether rows of equal fine codes have equal coarse codes.
func followsFrom(coarse, fine []int32) bool {
	of := map[int32]int32{}
	for i, code := range fine {
		if code < 0 || coarse[i] < 0 {
			continue
		}
		if known, seen := of[code]; seen && known != coarse[i] {
			return false
		}
		of[code] = coarse[i]
	}
	return true
}
