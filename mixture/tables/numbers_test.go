package tables

import (
	"math"
	"testing"

	"github.com/gfncp/gfncp/mixture/em"
)

// Far rows do not change a column's scale, a heap of equal values does not make it 0.
func TestRobustScale(t *testing.T) {
	column := make([]float64, 300)
	rng := em.NewRandom(2, 2)
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

// A group far from the other values of a column is no end of its scale.
func TestFarHeap(t *testing.T) {
	rng, table := em.NewRandom(5, 5), Table{Rows: 200}
	for i := range table.Rows {
		table.Numbers = append(table.Numbers, float64(i%2)*(50+5*rng.NormFloat64()))
	}
	if n := fitNumber(table, 0, table.Numbers, DistinctOf(table.Numbers)); !math.IsInf(n.heaps[0], -1) {
		t.Errorf("a group far from the others is an end of the scale: %v", n.heaps)
	}
}
