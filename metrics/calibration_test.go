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

// One bin: |mean of predictions − share of events| = |0.6 − 2/3|. A sum of probabilities just above 1 counts as 1.
func TestReliabilityOneBin(t *testing.T) {
	got, err := Reliability([]float64{0.3, 0.5, 1 + 1e-12}, []bool{false, true, true}, 1)
	if err != nil || len(got) != 1 || got[0].Weight != 3 || !(math.Abs(ECE(got)-(2./3-0.6)) <= 1e-15) {
		t.Errorf("Reliability = %v, %v", got, err)
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
		{"outcomes", one, nil, 5, ErrLength},
		{"above 1", []float64{1.1}, yes, 5, ErrNotFinite},
		{"NaN", []float64{math.NaN()}, yes, 5, ErrNotFinite},
	} {
		if _, err := Reliability(c.predicted, c.truth, c.bins); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}
