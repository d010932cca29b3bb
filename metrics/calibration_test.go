package metrics

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// Six predictions in four bins. Bin [0, ¼): 0.125 twice, neither true. Bins [¼, ½) and [½, ¾): empty. Bin [¾, 1]: 0.75
// and three times 1, all true: mean (0.75 + 3)/4 = 0.9375, observed 1. ECE = (2·0.125 + 4·0.0625)/6.
func TestReliabilityByHand(t *testing.T) {
	got, err := Reliability([]float64{0.125, 1, 0.75, 1, 1, 0.125}, []bool{false, true, true, true, true, false}, 4)
	want := []ReliabilityBin{
		{Low: 0, High: 0.25, Weight: 2, Predicted: 0.125, Observed: 0},
		{Low: 0.75, High: 1, Weight: 4, Predicted: 0.9375, Observed: 1},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("Reliability = %v, %v, want %v", got, err, want)
	}
	if ece := ECE(got); !(math.Abs(ece-0.5/6) <= 1e-15) {
		t.Errorf("ECE = %v, want %v", ece, 0.5/6)
	}
}

// Events that happen with their predicted probability are calibrated: with 40,000 in 10 bins each bin is off by about
// √(p(1−p)/4000) ≤ 0.008, the mean over bins of the absolute value by 0.8 of it at most. Squared predictions are not:
// their ECE is E[|p − p²|] = 1/6 in the limit.
func TestECEOfSimulatedForecasts(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	p, wrong, truth := make([]float64, 40_000), make([]float64, 40_000), make([]bool, 40_000)
	for i := range p {
		p[i] = rng.Float64()
		wrong[i] = p[i] * p[i]
		truth[i] = rng.Float64() < p[i]
	}
	for _, c := range []struct {
		predicted []float64
		low, high float64
	}{{p, 0, 0.0065}, {wrong, 1./6 - 0.01, 1./6 + 0.01}} {
		bins, err := Reliability(c.predicted, truth, 10)
		if e := ECE(bins); err != nil || len(bins) != 10 || !(e >= c.low && e <= c.high) {
			t.Errorf("ECE = %v, %v, want %v to %v", e, err, c.low, c.high)
		}
	}
}

// Sums of probabilities may leave [0, 1] by rounding, and by no more: up to the slack they count as 0 and 1.
func TestReliabilityRounding(t *testing.T) {
	for _, c := range []struct{ predicted, counted float64 }{
		{-roundingSlack, 0}, {0, 0}, {1, 1}, {1 + roundingSlack, 1},
	} {
		got, err := Reliability([]float64{c.predicted}, []bool{true}, 2)
		if err != nil || len(got) != 1 || got[0].Predicted != c.counted {
			t.Errorf("prediction %v: %v, %v, want one bin with the prediction %v", c.predicted, got, err, c.counted)
		}
	}
	for _, p := range []float64{-2 * roundingSlack, 1 + 2*roundingSlack} {
		if got, err := Reliability([]float64{p}, []bool{true}, 2); !errors.Is(err, ErrNotFinite) {
			t.Errorf("prediction %v: %v, %v, want ErrNotFinite", p, got, err)
		}
	}
}

func TestReliabilityErrors(t *testing.T) {
	one, yes := []float64{0.5}, []bool{true}
	for _, c := range []struct {
		name      string
		predicted []float64
		truth     []bool
		bins      int
		want      error
	}{
		{"no predictions", nil, nil, 5, ErrTooFew},
		{"no bins", one, yes, 0, ErrTooFew},
		{"above 1", []float64{1.1}, yes, 5, ErrNotFinite},
		{"NaN", []float64{math.NaN()}, yes, 5, ErrNotFinite},
	} {
		if _, err := Reliability(c.predicted, c.truth, c.bins); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

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
		ErrTooFew: {{1, 2, 3}}, ErrNotFinite: {{1, 2, math.NaN(), 4}},
	} {
		if _, err := RHat(bad); !errors.Is(err, want) {
			t.Errorf("R-hat of %v: %v, want %v", bad, err, want)
		}
		if _, err := EffectiveSize(bad); !errors.Is(err, want) {
			t.Errorf("effective size of %v: %v, want %v", bad, err, want)
		}
	}
}
