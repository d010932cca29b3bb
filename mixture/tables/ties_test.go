package tables

import (
	"math"
	"slices"
	"testing"

	"github.com/gfncp/gfncp/mixture/em"
)

// A code lies beyond a gap at an end; a limit, a common top price and zeros do not.
func TestBeyondGap(t *testing.T) {
	rng := em.NewRandom(5, 5)
	ages := func(most float64) float64 { return math.Round(min(max(50+14*rng.NormFloat64(), 18), most)) }
	for _, c := range []struct {
		end  float64
		code bool
		draw func() float64
	}{
		{99, true, func() float64 { return ages(88) }},
		{110, true, func() float64 { return ages(88) }},
		{-1, true, func() float64 { return math.Round(100 * math.Exp(5+rng.NormFloat64())) }},
		{9, true, func() float64 { return float64(1 + rng.IntN(5)) }},
		{66, false, func() float64 { return ages(66) }},
		{99, false, func() float64 { return 9 + 10*float64(rng.IntN(10)) }},
		{0, false, func() float64 { return math.Floor(5 + 4*rng.Gamma(3)) }},
	} {
		column := slices.Repeat([]float64{c.end}, 500)
		for i := range 460 {
			column[i] = c.draw()
		}
		if got := beyondGap(DistinctOf(column), c.end); got != c.code {
			t.Errorf("%g: a code %v", c.end, got)
		}
	}
}
