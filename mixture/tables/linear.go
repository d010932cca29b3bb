package tables

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/mixture/em"
)

const (
	exactShare   = 3e-6 // residual of an exact linear combination, as a share of the column's robust scale
	errorShare   = 1.2  // the same in standard deviations of the rounding errors
	closeShare   = 0.12 // the same for a column that is nearly a linear combination
	rowsToColumn = 3    // least number of complete rows for each column
)

// remainder is a number that is nearly a linear combination of the numbers before it. Its residual replaces it: in more
// than six columns the model expects weak correlations within clusters, and would miss the clusters.
type remainder struct {
	At      int       `json:"at"`      // of the numbers
	Weights []float64 `json:"weights"` // [At]
	Centre  float64   `json:"centre"`
	Scale   float64   `json:"scale"`
}

// apply replaces the column by its scaled residual.
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

// dropLinear excludes the numbers that others determine up to rounding: linear combinations, such as sums, and products
// of powers, such as ratios, which are linear in logarithms, and the logarithm or the exponential of one. They are
// redundant, and their density is unbounded.
func (e *Encoder) dropLinear(t Table) {
	var plain, logs []encoded
	for _, n := range e.Numbers {
		plain = append(plain, n.encoded(t))
	}
	e.markLinear(plain...)
	follows := func(column int) bool { return e.Uses[column] == OfOthers }
	for _, n := range e.Numbers {
		n.Log, n.Sign, n.Shift = true, 1, 0
		if !follows(n.Column) && floats.Min(present(n.values(t, false))) > n.noise/2 {
			n.fitScale(t)
			logs = append(logs, n.encoded(t))
		}
	}
	e.markLinear(logs...)
	for _, of := range logs {
		for _, n := range plain {
			if t.Rows >= fewestKeys && n.column != of.column && !follows(of.column) && !follows(n.column) {
				e.markLinear(of, n)
			}
		}
	}
	e.Numbers = slices.DeleteFunc(e.Numbers, func(n Numeric) bool { return follows(n.Column) })
}

// encoded is a number as it is encoded in some form, with the standard deviation of its rounding errors.
type encoded struct {
	column   int
	values   []float64 // [N]
	rounding float64
}

func (n *Numeric) encoded(t Table) encoded {
	return encoded{n.Column, n.encode(t, false), n.rounding(t)}
}

// markLinear sets the use of the numbers that are linear in the numbers before them.
func (e *Encoder) markLinear(numbers ...encoded) {
	var columns [][]float64
	var roundings []float64
	for _, n := range numbers {
		columns, roundings = append(columns, n.values), append(roundings, n.rounding)
	}
	for d, f := range linearFits(columns, roundings) {
		if f.exact {
			e.Uses[numbers[d].column] = OfOthers
		}
	}
}

// rounding returns the standard deviation of the rounding errors of y.
func (n *Numeric) rounding(t Table) float64 {
	widths := n.shifted(t, n.noise/2)
	floats.Sub(widths, n.shifted(t, -n.noise/2))
	widths = present(widths)
	return floats.Norm(widths, 2) / math.Sqrt(12*float64(len(widths)))
}

// fitRemainders finds the numbers that are nearly linear combinations of others, as they are encoded now.
func (e *Encoder) fitRemainders(t Table) {
	e.Remainders = nil
	if len(e.Numbers) <= em.FewColumns || e.Projection != nil {
		return
	}
	columns := e.encodeNumbers(t, true)
	fits := linearFits(columns, make([]float64, len(columns)))
	for d := len(fits) - 1; d >= 0; d-- { // the last first: apply needs the columns before it unchanged
		if f := fits[d]; f.close && !f.exact {
			m := remainder{At: d, Weights: f.weights, Scale: 1}
			m.apply(columns)
			m.Centre, m.Scale = robustScale(columns[d])
			e.Remainders = append(e.Remainders, m)
		}
	}
}

// encodeNumbers returns the encoded numbers.
func (e *Encoder) encodeNumbers(t Table, noise bool) (columns [][]float64) {
	for i := range e.Numbers {
		columns = append(columns, e.Numbers[i].encode(t, noise))
	}
	return columns
}

// linearFit is the regression of a column on the columns before it.
type linearFit struct {
	exact, close bool
	weights      []float64 // [columns before it], 0 for those that are exact
}

// linearFits returns the regression of each column on the columns before it, over the rows without gaps. A column is
// exact if its residual is within the rounding errors, whose standard deviations are given. Columns have robust scales
// of 1; with standard deviations, one far row would make them linear in each other. Exact columns are left out of later
// regressions. With few rows no column is exact or close.
func linearFits(columns [][]float64, roundings []float64) []linearFit {
	if len(columns) == 0 {
		return nil
	}
	fits := make([]linearFit, len(columns))
	if columns = withoutGaps(columns); len(columns[0]) < rowsToColumn*len(columns) {
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
		f.weights = make([]float64, d)
		errors, above := roundings[d]*roundings[d], append(slices.Clone(coordinates), left)
		for j := len(kept) - 1; j >= 0; j-- { // the upper triangle, solved from below
			weight := coordinates[j] / upper[j][j]
			f.weights[kept[j]] = weight
			errors += weight * weight * roundings[kept[j]] * roundings[kept[j]]
			floats.AddScaled(coordinates[:j], -weight, upper[j][:j])
		}
		f.close = share < closeShare
		if f.exact = share < max(exactShare, min(closeShare, errorShare*math.Sqrt(errors))); f.exact {
			continue
		}
		floats.Scale(1/left, rest)
		basis, kept = append(basis, rest), append(kept, d)
		upper = append(upper, above)
	}
	return fits
}

// withoutGaps returns the columns without the rows that have gaps.
func withoutGaps(columns [][]float64) (out [][]float64) {
	whole := em.UpTo(0, len(columns[0]))
	for _, column := range columns {
		whole = slices.DeleteFunc(whole, func(i int) bool { return math.IsNaN(column[i]) })
	}
	for _, column := range columns {
		out = append(out, em.Pick(column, whole))
	}
	return out
}
