package dac

import (
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// Points with a positive logit leave, and the anchor whatever its logit. Without any, the point with the largest logit
// leaves, the first of equals.
func TestLeaving(t *testing.T) {
	for _, test := range []struct {
		logits []float32
		anchor int
		want   []bool
	}{
		{[]float32{1, -1, 2, 0}, -1, []bool{true, false, true, false}},
		{[]float32{-3, -2, -1, -1}, -1, []bool{false, false, true, false}},
		{[]float32{1, -5, -2}, 1, []bool{true, true, false}},
		{[]float32{-1, -5, -2}, 1, []bool{false, true, false}},
	} {
		if got := must.M1(leaving(test.logits, test.anchor)); !slices.Equal(got, test.want) {
			t.Errorf("%v with anchor %d: %v, want %v", test.logits, test.anchor, got, test.want)
		}
	}
	for _, logit := range []float64{math.NaN(), math.Inf(1)} {
		if got, err := leaving([]float32{1, float32(logit)}, -1); err == nil {
			t.Errorf("logit %g gave %v", logit, got)
		}
	}
}
