package metrics

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// By hand: two batches (1,3) → 2 and (5,7) → 6, sample variance 8, standard error √(8/2) = 2. A fifth value does not
// fill a batch and goes first. independent (0, 2): mean 1, variance 2, over 2 draws 1. z = (1 − 4)/√(1 + 4).
func TestGewekeByHand(t *testing.T) {
	for _, chain := range [][]float64{{1, 3, 5, 7}, {99, 1, 3, 5, 7}} {
		if se, err := MonteCarloError(chain); err != nil || !(math.Abs(se-2) <= 1e-15) {
			t.Errorf("MonteCarloError(%v) = %v, %v, want 2", chain, se, err)
		}
	}
	z, err := GewekeZ([]float64{0, 2}, []float64{1, 3, 5, 7})
	if want := -3 / math.Sqrt(5); err != nil || !(math.Abs(z-want) <= 1e-15) {
		t.Errorf("GewekeZ = %v, %v, want %v", z, err, want)
	}
	if z, err := GewekeZ([]float64{3, 3}, []float64{3, 3, 3, 3}); z != 0 || err != nil {
		t.Errorf("equal constants: %v, %v, want 0", z, err)
	}
	if z, err := GewekeZ([]float64{4, 4}, []float64{3, 3, 3, 3}); !math.IsInf(z, 1) || err != nil {
		t.Errorf("different constants: %v, %v, want +Inf", z, err)
	}
}

// A first-order autoregression with coefficient 0.8 and unit noise has variance of the mean 1/(M·(1−0.8)²): 5/√M.
// Batches of 200 lose about τ/200 of it; 200 of them give it to about 1/√400 = 5 %.
func TestMonteCarloErrorOfAutoregression(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 48))
	chain, v := make([]float64, 40_000), 0.0
	for i := range chain {
		v = 0.8*v + rng.NormFloat64()
		chain[i] = v
	}
	se, err := MonteCarloError(chain)
	if want := 5 / math.Sqrt(40_000); err != nil || !(math.Abs(se/want-1) <= 0.15) {
		t.Errorf("standard error %v, %v, want %v", se, err, want)
	}
}

func TestGewekeErrors(t *testing.T) {
	two, four, nan := []float64{1, 2}, []float64{1, 2, 3, 4}, []float64{1, math.NaN(), 3, 4}
	for _, c := range []struct {
		a, b []float64
		want error
	}{{two[:1], four, ErrTooFew}, {two, four[:3], ErrTooFew}, {nan, four, ErrNotFinite}, {two, nan, ErrNotFinite}} {
		if _, err := GewekeZ(c.a, c.b); !errors.Is(err, c.want) {
			t.Errorf("GewekeZ(%v, %v): %v, want %v", c.a, c.b, err, c.want)
		}
	}
}
