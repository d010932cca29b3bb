package mixture

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/metrics"
)

// Indicators of one variable are joined, columns of two values are categories, constants go.
func TestUses(t *testing.T) {
	rng := newRandom(1, 1)
	columns := make([][]float64, 7)
	for i := range 120 {
		level := rng.IntN(3)
		for k := range 3 { // exactly one is on
			columns[k] = append(columns[k], 0)
		}
		columns[level][i] = 1
		columns[3] = append(columns[3], 5+2*float64((level+rng.IntN(2))>>1))
		columns[4] = append(columns[4], 7)
		columns[5] = append(columns[5], math.Round(10*(rng.NormFloat64()+3*float64(level))))
		columns[6] = append(columns[6], rng.NormFloat64()+3*float64(level))
	}
	columns[3][7] = math.NaN()
	columns[6][2] = math.NaN()
	e := fitEncoder(tableOf(columns))
	want := []Use{CategoryOf, CategoryOf, CategoryOf, CategoryOf, Constant, Number, Number}
	if !slices.Equal(e.uses, want) || e.rounded[5] != 1 || e.rounded[6] != 0 {
		t.Errorf("uses %v, rounded %v", e.uses, e.rounded)
	}
	r := e.encode(tableOf(columns), true)
	if !slices.Equal(r.first, []int{0, 3, 5}) || r.codes[1][7] != -1 || len(r.gaps) != 1 || r.gaps[0].row != 2 {
		t.Errorf("levels %v, gaps %v", r.first, r.gaps)
	}
	for i, level := range r.codes[0] {
		if columns[level][i] != 1 {
			t.Fatalf("row %d: level %d is off", i, level)
		}
	}
}

// Far rows do not change a column's scale, a heap of equal values does not make it 0.
func TestRobustScale(t *testing.T) {
	column := make([]float64, 300)
	rng := newRandom(2, 2)
	for i := range column {
		column[i] = 3 + 2*rng.NormFloat64()
	}
	column[4] = 1e9
	if centre, scale := robustScale(column); math.Abs(centre-3) > 0.5 || math.Abs(scale-2) > 0.5 {
		t.Errorf("centre %g, scale %g, want 3 and 2", centre, scale)
	}
	for i := range 200 {
		column[i] = 0
	}
	if _, scale := robustScale(column); scale < 0.5 || scale > 5 {
		t.Errorf("scale %g of a column with a heap", scale)
	}
}

func TestDecimalStep(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{1, 5, 7}, 1},
		{[]float64{0.1, 0.25, 3}, 0.01},
		{[]float64{1.0 / 3, 2}, 0},
		{[]float64{1e-9, 3e-9}, 0},
	} {
		if got := decimalStep(c.values); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %g, want %g", c.values, got, c.want)
		}
	}
}

// Logarithms are taken of lognormal columns, of the distance to a bound of mirrored ones, and of no Gaussian one.
func TestLogs(t *testing.T) {
	rng := newRandom(3, 3)
	columns := make([][]float64, 3)
	for range 200 {
		x := rng.NormFloat64()
		columns[0] = append(columns[0], math.Exp(x))
		columns[1] = append(columns[1], 10-math.Exp(0.6*x+0.8*rng.NormFloat64()))
		columns[2] = append(columns[2], 0.6*x+0.8*rng.NormFloat64())
	}
	p := must.M1(Sample(context.Background(), tableOf(columns), Options{Seed: 1}))
	if want := []Use{Logarithm, Logarithm, Number}; !slices.Equal(p.Uses, want) || p.Number != 1 {
		t.Errorf("uses %v, K = %d", p.Uses, p.Number)
	}
}

// Gaps and categories: three clusters are found though a tenth of the cells is missing.
func TestMissing(t *testing.T) {
	set := blobs(1, 240, 4, 3, 5)
	rng := newRandom(4, 4)
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
	table.Categories = []Category{{codes, 3}}
	p := must.M1(Sample(context.Background(), table, Options{Seed: 1}))
	if ari := must.M1(metrics.ARI(set.truth, p.Labels)); p.Number != 3 || ari < 0.97 || p.Checks.Separated != 3 {
		t.Errorf("K = %d, ARI %.3f, %d separated", p.Number, ari, p.Checks.Separated)
	}
}

// A region and a code that follow from the city of a row are set apart, and bands of a number; with them each city and
// each band was a cluster. Indicators are one category if one of them is on in each row.
func TestCoarserCategories(t *testing.T) {
	set, rng := blobs(2, 300, 3, 3, 5), newRandom(4, 4)
	set.beside(func(int) float64 { return rng.NormFloat64() })
	table := tableOf(set.columns)
	table.Categories = make([]Category, 7) // a region, its city, a code of it, bands of an age, and indicators
	for q, levels := range []int{3, 9, 9, 3, 2, 2, 2} {
		table.Categories[q] = Category{make([]int32, 300), levels}
	}
	for i := range table.Rows {
		city, indicators := int32(rng.IntN(9)), [3]int32{}
		indicators[rng.IntN(3)] = 1
		band := int32(min(2, max(0, math.Round(1+table.row(i)[3]))))
		for q, code := range append([]int32{city / 3, city, 8 - city, band}, indicators[:]...) {
			table.Categories[q].Codes[i] = code
		}
	}
	table.Categories[0].Codes[7] = -1
	p := must.M1(Sample(t.Context(), table, Options{Seed: 1}))
	want := []Use{
		Number, Number, Number, NoClusters, OfOthers, NoClusters, OfOthers, OfOthers,
		NoClusters, NoClusters, NoClusters,
	}
	if ari := must.M1(metrics.ARI(set.truth, p.Labels)); p.Number != 3 || ari < 0.97 || !slices.Equal(p.Uses, want) {
		t.Errorf("K = %d, ARI %.3f, columns %q", p.Number, ari, p.Uses)
	}
}

// Tables of categories alone, of one row, and without any difference.
func TestOddTables(t *testing.T) {
	rng := newRandom(5, 5)
	table := Table{Rows: 200, Categories: make([]Category, 6)}
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
	if p := must.M1(Sample(context.Background(), table, Options{Seed: 1})); p.Number != 2 {
		t.Errorf("categories: K = %d, want 2", p.Number)
	}
	if _, err := Sample(context.Background(), Table{Rows: 2, Numbers: []float64{1, 1}}, Options{}); err == nil {
		t.Error("equal rows: no error")
	}
	two := Table{Rows: 3, Numbers: []float64{1, 2, 4}}
	if p := must.M1(Sample(context.Background(), two, Options{})); len(p.Labels) != 3 {
		t.Errorf("labels %v", p.Labels)
	}
}
