package fit

import (
	"math"
	"testing"

	"github.com/gfncp/gfncp/mixture/tables"
)

// A value without a logarithm is beyond the range of a column whose logarithm is used.
func TestBeyondLogarithm(t *testing.T) {
	numbers := []tables.Numeric{{Log: true, Sign: 1, Scale: 1}}
	f := &Mixture{Ranges: [][]float64{{1, 100}}, Encoder: tables.Encoder{Numbers: numbers}}
	for x, want := range map[float64]bool{-3: true, 0: true, 0.5: false, 100: false, math.NaN(): false} {
		if got := f.beyond(tables.Table{Rows: 1, Numbers: []float64{x}}, 0) != nil; got != want {
			t.Errorf("%g is beyond: %v", x, got)
		}
	}
}
