package tables

import (
	"math"
	"testing"

	"github.com/gfncp/gfncp/mixture/em"
)

// The combination has its weights, and no weight on columns that are left out. Few rows prove nothing.
func TestLinearFits(t *testing.T) {
	rng := em.NewRandom(1, 1)
	columns := em.Grid(6, 100)
	for i := range 100 {
		for d := range 3 {
			columns[d][i] = 10*rng.NormFloat64() + 5
		}
		columns[3][i] = 2*columns[0][i] - columns[2][i] + 7
		columns[4][i] = rng.NormFloat64()
		columns[5][i] = columns[1][i] + 3*columns[3][i] + 0.01*rng.NormFloat64()
	}
	fits := linearFits(columns, make([]float64, len(columns)))
	for d, f := range fits {
		if f.exact != (d == 3) || f.close != (d == 3 || d == 5) {
			t.Errorf("column %d: exact %t, close %t", d, f.exact, f.close)
		}
	}
	for at, want := range []float64{6, 1, -3, 0, 0} {
		if got := fits[5].weights[at]; math.Abs(got-want) > 0.01 {
			t.Errorf("weight %d is %g, want %g", at, got, want)
		}
	}
	for d := range columns {
		columns[d] = columns[d][:12]
	}
	if few := linearFits(columns, make([]float64, len(columns))); few[3].exact || few[5].close {
		t.Error("12 rows make six columns linear")
	}
}
