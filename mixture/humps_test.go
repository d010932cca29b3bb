package mixture

import (
	"math"
	"testing"

	"github.com/gfncp/gfncp/internal/short"
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
		if has(sorted(column), 1) {
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
	rng := newRandom(11, 11)
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
		{"t2", rows, 0, 16, func(int) float64 { return rng.NormFloat64() / math.Sqrt(rng.gamma(1)) }},
		{"a fifth of the rows", rows, 170, sets, group(5)},
		{"a tenth of the rows", rows, 150, sets, group(10)},
		{"five groups", rows, 170, sets, func(row int) float64 { return rng.NormFloat64() + 8*float64(row%5) }},
	}
	for _, shape := range shapes {
		shape.demand(t, sets, hasValley)
	}
}

// A fifth of 60 rows, far away in one of four columns, is a cluster, and so is a seventh in each of six columns.
func TestSmallGroup(t *testing.T) {
	short.Skip(t, "takes seconds")
	for seed := range uint64(3) {
		rng := newRandom(seed, 60)
		set := drawn{name: "a fifth", number: 2, truth: make([]int32, 60)}
		for i := 0; i < len(set.truth); i += 5 {
			set.truth[i] = 1
		}
		for d := range 4 {
			set.beside(func(row int) float64 { return rng.NormFloat64() + float64(6*int(set.truth[row])*(d/3)) })
		}
		sampled(t, set, Options{Seed: 1})
	}
	rng := newRandom(1, 100)
	set := drawn{name: "each in a column of its own", number: 7}
	for i := range 420 {
		set.truth = append(set.truth, int32(i/60))
	}
	for d := range int32(6) {
		set.beside(func(row int) float64 { return rng.NormFloat64() + 5*max(0, 1-math.Abs(float64(set.truth[row]-d))) })
	}
	sampled(t, set, Options{Seed: 1})
}
