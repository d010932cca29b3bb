package mixture

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/mixture/em"
	"github.com/gfncp/gfncp/mixture/tables"
)

// Indicators of one variable are joined, columns of two values are categories, constants go.
func TestUses(t *testing.T) {
	rng := em.NewRandom(1, 1)
	cells := make([][]float64, 7)
	for i := range 120 {
		level := rng.IntN(3)
		for k := range 3 { // exactly one is on
			cells[k] = append(cells[k], 0)
		}
		cells[level][i] = 1
		cells[3] = append(cells[3], 5+2*float64((level+rng.IntN(2))>>1))
		cells[4] = append(cells[4], 7)
		cells[5] = append(cells[5], math.Round(10*(rng.NormFloat64()+3*float64(level))))
		cells[6] = append(cells[6], rng.NormFloat64()+3*float64(level))
	}
	cells[3][7] = math.NaN()
	cells[6][2] = math.NaN()
	e := tables.FitEncoder(tableOf(cells))
	want := append(slices.Repeat([]tables.Use{tables.CategoryOf}, 4), tables.Constant, tables.Number, tables.Number)
	if !slices.Equal(e.Uses, want) || e.Rounded[5] != 1 || e.Rounded[6] != 0 {
		t.Errorf("uses %v, rounded %v", e.Uses, e.Rounded)
	}
	r := e.Encode(tableOf(cells), true)
	if !slices.Equal(r.First, []int{0, 3, 5}) || r.Codes[1][7] != -1 || len(r.Gaps) != 1 || r.Gaps[0].Row != 2 {
		t.Errorf("levels %v, gaps %v", r.First, r.Gaps)
	}
	for i, level := range r.Codes[0] {
		if cells[level][i] != 1 {
			t.Fatalf("row %d: level %d is off", i, level)
		}
	}
}

// Logarithms are taken of lognormal columns, of the distance to a bound of mirrored ones, and of no Gaussian one.
func TestLogs(t *testing.T) {
	rng := em.NewRandom(3, 3)
	cells := make([][]float64, 3)
	for range 200 {
		x := rng.NormFloat64()
		cells[0] = append(cells[0], math.Exp(x))
		cells[1] = append(cells[1], 10-math.Exp(0.6*x+0.8*rng.NormFloat64()))
		cells[2] = append(cells[2], 0.6*x+0.8*rng.NormFloat64())
	}
	p := must.M1(Sample(context.Background(), tableOf(cells), Options{Seed: 1, Work: 2e5}))
	want := []tables.Use{tables.Logarithm, tables.Logarithm, tables.Number}
	if !slices.Equal(p.Uses, want) || p.Number != 1 {
		t.Errorf("uses %v, K = %d", p.Uses, p.Number)
	}
}

// Gaps and categories: three clusters are found though a tenth of the cells is missing.
func TestMissing(t *testing.T) {
	set := blobs(1, 240, 4, 3, 5)
	rng := em.NewRandom(4, 4)
	table := tableOf(set.columns)
	for i := range table.Numbers {
		if rng.Float64() < 0.1 {
			table.Numbers[i] = math.NaN()
		}
	}
	codes := make([]int32, table.Rows)
	for i, k := range set.truth {
		codes[i] = k
		if u := rng.Float64(); u < 0.2 {
			codes[i] = int32(rng.IntN(3))
		} else if u < 0.3 {
			codes[i] = -1
		}
	}
	table.Categories = []tables.Category{{Codes: codes, Levels: 3}}
	p := must.M1(Sample(context.Background(), table, Options{Seed: 1, Work: 2e5}))
	if ari := must.M1(metrics.ARI(set.truth, p.Labels)); p.Number != 3 || ari < 0.97 || p.Checks.Separated != 3 {
		t.Errorf("K = %d, ARI %.3f, %d separated", p.Number, ari, p.Checks.Separated)
	}
}

// A region and a code that follow from the city of a row are set apart, and bands of a number; with them each city and
// each band was a cluster. Indicators are one category if one of them is on in each row.
func TestCoarserCategories(t *testing.T) {
	set, rng := blobs(2, 300, 3, 3, 5), em.NewRandom(4, 4)
	set.beside(func(int) float64 { return rng.NormFloat64() })
	table := tableOf(set.columns)
	table.Categories = make([]tables.Category, 7) // a region, its city, a code of it, bands of an age, and indicators
	for q, levels := range []int{3, 9, 9, 3, 2, 2, 2} {
		table.Categories[q] = tables.Category{Codes: make([]int32, 300), Levels: levels}
	}
	for i := range table.Rows {
		city, indicators := int32(rng.IntN(9)), [3]int32{}
		indicators[rng.IntN(3)] = 1
		band := int32(min(2, max(0, math.Round(1+table.Row(i)[3]))))
		for q, code := range append([]int32{city / 3, city, 8 - city, band}, indicators[:]...) {
			table.Categories[q].Codes[i] = code
		}
	}
	table.Categories[0].Codes[7] = -1
	p := must.M1(Sample(t.Context(), table, Options{Seed: 1, Work: 2e5}))
	want := []tables.Use{
		tables.Number, tables.Number, tables.Number, tables.NoClusters, tables.OfOthers,
		tables.NoClusters, tables.OfOthers, tables.OfOthers,
		tables.NoClusters, tables.NoClusters, tables.NoClusters,
	}
	if ari := must.M1(metrics.ARI(set.truth, p.Labels)); p.Number != 3 || ari < 0.97 || !slices.Equal(p.Uses, want) {
		t.Errorf("K = %d, ARI %.3f, columns %q", p.Number, ari, p.Uses)
	}
}

// Tables of categories alone, of one row, and without any difference.
func TestOddTables(t *testing.T) {
	rng := em.NewRandom(5, 5)
	table := tables.Table{Rows: 200, Categories: make([]tables.Category, 6)}
	for q := range table.Categories {
		table.Categories[q].Levels = 4
		for i := range table.Rows {
			code := int32(i / 100)
			if rng.Float64() < 0.2 {
				code = int32(rng.IntN(4))
			}
			table.Categories[q].Codes = append(table.Categories[q].Codes, code)
		}
	}
	if p := must.M1(Sample(context.Background(), table, Options{Seed: 1, Work: 2e5})); p.Number != 2 {
		t.Errorf("categories: K = %d, want 2", p.Number)
	}
	if _, err := Sample(context.Background(), tables.Table{Rows: 2, Numbers: []float64{1, 1}}, Options{}); err == nil {
		t.Error("equal rows: no error")
	}
	two := tables.Table{Rows: 3, Numbers: []float64{1, 2, 4}}
	if p := must.M1(Sample(context.Background(), two, Options{})); len(p.Labels) != 3 {
		t.Errorf("labels %v", p.Labels)
	}
}
