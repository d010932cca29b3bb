package tabular

import (
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"
)

// The rows that a view is found from have mean 0 and a root mean square length of 8, and zeros where they have no
// component; each row is seen alone as among others.
func TestViewOfRows(t *testing.T) {
	const n, dim = 40, 5
	x := drawn(1, n, 3)
	for name, find := range map[string]func([]float64, int, int, int) (View, error){
		"as they are": NewView, "standardized": NewStandardizedView,
	} {
		v := must.M1(find(x, n, 3, dim))
		y := v.Apply(x)
		sums, squares := make([]float64, dim), 0.0
		for i, value := range y {
			sums[i%dim] += float64(value) / n
			squares += float64(value) * float64(value) / n
			if i%dim >= 3 && value != 0 {
				t.Fatalf("%s: row %d has %g in column %d", name, i/dim, value, i%dim)
			}
		}
		if !(math.Abs(math.Sqrt(squares)-8) < 1e-4) || !(floats.Norm(sums, 2) < 1e-5) {
			t.Errorf("%s: rows are %g long, means %v", name, math.Sqrt(squares), sums)
		}
		if !slices.Equal(v.Apply(x[3*7:3*8]), y[dim*7:dim*8]) {
			t.Errorf("%s: row 7 alone is seen as %v", name, v.Apply(x[3*7:3*8]))
		}
	}
}

// Columns in other units, shifted and turned over, change nothing for the standardized view but the signs of
// components; the other view is of the columns' own units.
func TestStandardizedViewKnowsNoUnits(t *testing.T) {
	const n, dim = 40, 3
	x := drawn(1, n, 3)
	other := slices.Clone(x)
	for i := range other {
		other[i] = other[i]*[]float64{100, 0.01, -3}[i%3] + []float64{5, -40, 0}[i%3]
	}
	difference := func(find func([]float64, int, int, int) (View, error)) (most float64) {
		a, b := must.M1(find(x, n, 3, dim)).Apply(x), must.M1(find(other, n, 3, dim)).Apply(other)
		for i, v := range a {
			most = max(most, math.Abs(math.Abs(float64(v))-math.Abs(float64(b[i]))))
		}
		return most
	}
	if got := difference(NewStandardizedView); !(got < 1e-4) {
		t.Errorf("standardized, units move rows by %g", got)
	}
	if got := difference(NewView); !(got > 1) {
		t.Errorf("as they are, units move rows by %g only", got)
	}
}
