package metrics

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// autoregression draws x_t = φ·x_{t−1} + N(0,1) from its stationary law, around a mean.
func autoregression(rng *rand.Rand, n int, phi, mean float64) []float64 {
	x := make([]float64, n)
	at := rng.NormFloat64() / math.Sqrt(1-phi*phi)
	for i := range x {
		at = phi*at + rng.NormFloat64()
		x[i] = mean + at
	}
	return x
}

// An autoregression of coefficient φ has integrated autocorrelation time (1+φ)/(1−φ); chains of one law have R-hat 1,
// and one that is two standard deviations off, or drifts, is found.
func TestConvergenceOfAutoregression(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const chains, draws = 4, 5000
	for _, phi := range []float64{0, 0.5, 0.9, -0.4} {
		var x [][]float64
		for range chains {
			x = append(x, autoregression(rng, draws, phi, 3))
		}
		want := min(1, (1-phi)/(1+phi)) * chains * draws // antithetic chains count no more than their draws
		if size, err := EffectiveSize(x); err != nil || math.Abs(size/want-1) > 0.15 {
			t.Errorf("φ = %v: effective size %v (%v), want %v", phi, size, err, want)
		}
		if r, err := RHat(x); err != nil || math.Abs(r-1) > 0.01 {
			t.Errorf("φ = %v: R-hat %v (%v), want 1", phi, r, err)
		}
		scale := math.Sqrt(1 / (1 - phi*phi))
		for i := range x[0] {
			x[0][i] += 2 * scale
		}
		// Of eight halves two are off: B/n = 6/7·W.
		if r, err := RHat(x); err != nil || math.Abs(r-math.Sqrt(13.0/7)) > 0.06 {
			t.Errorf("φ = %v, one chain off: R-hat %v (%v)", phi, r, err)
		}
		if size, err := EffectiveSize(x); err != nil || size > 40 {
			t.Errorf("φ = %v, one chain off: effective size %v (%v)", phi, size, err)
		}
	}
	drift := make([]float64, 1000)
	for i := range drift {
		drift[i] = float64(i)
	}
	if r, err := RHat([][]float64{drift, drift}); err != nil || r < 1.5 {
		t.Errorf("two chains that drift alike: R-hat %v (%v)", r, err)
	}
}

// Halves (1, 3), (2, 4), (1, 1), (5, 1): variances 2, 2, 0, 8 and means 2, 3, 1, 3, so W = 3, B/n = 11/12, var⁺ = 3/2
// + 11/12.
func TestRHatByHand(t *testing.T) {
	r, err := RHat([][]float64{{1, 3, 2, 4}, {1, 1, 5, 1}})
	if want := math.Sqrt((1.5 + 11.0/12) / 3); err != nil || math.Abs(r-want) > 1e-12 {
		t.Errorf("R-hat %v (%v), want %v", r, err, want)
	}
}

func TestConvergenceLimits(t *testing.T) {
	same := [][]float64{{2, 2, 2, 2, 2}, {2, 2, 2, 2, 2}}
	if r, err := RHat(same); err != nil || r != 1 {
		t.Errorf("nothing changes: R-hat %v (%v)", r, err)
	}
	if size, err := EffectiveSize(same); err != nil || size != 8 {
		t.Errorf("nothing changes: effective size %v (%v), want that of the halves", size, err)
	}
	stuck := [][]float64{{2, 2, 2, 2}, {3, 3, 3, 3}}
	if r, err := RHat(stuck); err != nil || !math.IsInf(r, 1) {
		t.Errorf("chains stay apart: R-hat %v (%v)", r, err)
	}
	if size, err := EffectiveSize(stuck); err != nil || !(size < 4) {
		t.Errorf("chains stay apart: effective size %v (%v)", size, err)
	}
	for want, bad := range map[error][][]float64{
		ErrTooFew: {{1, 2, 3}}, ErrLength: {{1, 2, 3, 4}, {1, 2, 3, 4, 5}}, ErrNotFinite: {{1, 2, math.NaN(), 4}},
	} {
		if _, err := RHat(bad); !errors.Is(err, want) {
			t.Errorf("R-hat of %v: %v, want %v", bad, err, want)
		}
		if _, err := EffectiveSize(bad); !errors.Is(err, want) {
			t.Errorf("effective size of %v: %v, want %v", bad, err, want)
		}
	}
}
