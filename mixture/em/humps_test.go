package em

import (
	"math"
	"slices"
	"testing"
)

// cells are a column whose cells are drawn; of many draws a least and a most number has a trait.
type cells struct {
	name              string
	rows, least, most int
	cell              func(row int) float64
}

// demand counts how many draws have a trait.
func (c cells) demand(t *testing.T, draws int, has func(sorted []float64, columns int) bool) {
	t.Helper()
	count, column := 0, make([]float64, c.rows)
	for range draws {
		for i := range column {
			column[i] = c.cell(i)
		}
		slices.Sort(column)
		if has(column, 1) {
			count++
		}
	}
	if count < c.least || count > c.most {
		t.Errorf("%s: %d of %d draws have it, want %d to %d", c.name, count, draws, c.least, c.most)
	}
}

// A small group far from the others parts a column; a column with one hump is seldom parted by chance.
func TestParted(t *testing.T) {
	const sets, rows = 200, 60
	rng := NewRandom(11, 11)
	group := func(share int) func(int) float64 {
		return func(row int) float64 {
			if row%share == 0 {
				return 6 + rng.NormFloat64()
			}
			return rng.NormFloat64()
		}
	}
	shapes := []cells{
		{"normal", rows, 0, 4, func(int) float64 { return rng.NormFloat64() }},
		{"uniform", rows, 0, 12, func(int) float64 { return rng.Float64() }},
		{"exponential", rows, 0, 16, func(int) float64 { return rng.ExpFloat64() }},
		{"lognormal", rows, 0, 16, func(int) float64 { return math.Exp(rng.NormFloat64()) }},
		{"t2", rows, 0, 16, func(int) float64 { return rng.NormFloat64() / math.Sqrt(rng.Gamma(1)) }},
		{"a fifth of the rows", rows, 170, sets, group(5)},
		{"a tenth of the rows", rows, 150, sets, group(10)},
		{"five groups", rows, 170, sets, func(row int) float64 { return rng.NormFloat64() + 8*float64(row%5) }},
	}
	for _, shape := range shapes {
		shape.demand(t, sets, HasValley)
	}
}

// A column with groups far apart has several humps, also if it is short; a uniform one rarely seems to, a normal one
// never.
func TestBimodal(t *testing.T) {
	const draws = 100
	rng := NewRandom(8, 8)
	columns := []cells{
		{"normal", 150, 0, 1, func(int) float64 { return rng.NormFloat64() }},
		{"uniform", 150, 0, 10, func(int) float64 { return rng.Float64() }},
		{"equal cells amid others", 150, 0, 1, func(row int) float64 { return float64(row%2) * rng.NormFloat64() }},
		{"equal cells at an end", 150, draws, draws, func(row int) float64 {
			return float64(row%2) * (9 + rng.NormFloat64())
		}},
		{"halves", 60, draws, draws, func(row int) float64 { return rng.NormFloat64() + 9*float64(row%2) }},
		{"a fifth apart", 200, 90, draws, func(row int) float64 {
			return rng.NormFloat64() + 6*float64(max(row%5-3, 0))
		}},
	}
	for _, column := range columns {
		column.demand(t, draws, Bimodal)
	}
}
