package clustering

import (
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/posterior"
)

// drawn returns count samples of labels with log-probability p.
func drawn(count int, p float64, labels ...int32) []posterior.Sample {
	return slices.Repeat([]posterior.Sample{{Labels: labels, LogProb: p}}, count)
}

// twenty samples of four points: 12 are {01|23}; 4 and 2 split one of its pairs, one has all points apart, one
// together.
func twenty() []posterior.Sample {
	return slices.Concat(drawn(1, -5, 0, 1, 2, 3), drawn(4, -3, 0, 0, 1, 2),
		drawn(12, -1, 0, 0, 1, 1), drawn(2, -2, 0, 1, 2, 2), drawn(1, -4, 0, 0, 0, 0))
}

// From {01|23} a split pair is ½·log 2 away, all apart and all together log 2; Binder's loss is 2/16, 4/16 and 8/16. So
// the mean VI is (6·½ + 2)·log 2/20 = ¼·log 2, the mean Binder loss (6·2 + 4 + 8)/16/20 = 0.075.
func TestExpectedLossesByHand(t *testing.T) {
	r := &Result{Labels: []int32{0, 0, 1, 1}}
	if err := r.summarize(twenty(), Options{Samples: 20}); err != nil {
		t.Fatal(err)
	}
	near(t, "expected VI", r.ExpectedVI, math.Ln2/4, 1e-15)
	near(t, "expected Binder loss", r.ExpectedBinder, 0.075, 1e-15)
}

// Three samples are the estimate {01|2}, one has all points together.
func TestUncertaintyByHand(t *testing.T) {
	r := &Result{Labels: []int32{0, 0, 1}}
	samples := slices.Concat(drawn(3, -1, 0, 0, 1), drawn(1, -2, 0, 0, 0))
	if err := r.summarize(samples, Options{Samples: 4}); err != nil {
		t.Fatal(err)
	}
	// The one cluster of the fourth sample shares two points with cluster 0, so point 2 counts as in cluster 0 there.
	// VI shares over 4·3 from log a·b/m²: points 0 and 1: 2·3/2²; point 2: 1·3/1².
	entropy := -0.75*math.Log(0.75) - 0.25*math.Log(0.25)
	want := []posterior.PointUncertainty{
		{VI: math.Log(1.5) / 12}, {VI: math.Log(1.5) / 12}, {Elsewhere: 0.25, Entropy: entropy, VI: math.Log(3) / 12},
	}
	for i, u := range r.Uncertainty {
		near(t, "elsewhere", u.Elsewhere, want[i].Elsewhere, 1e-15)
		near(t, "entropy", u.Entropy, want[i].Entropy, 1e-15)
		near(t, "VI share", u.VI, want[i].VI, 1e-15)
	}
	if len(r.Uncertainty) != 3 {
		t.Errorf("%d points", len(r.Uncertainty))
	}
}

// The points' shares sum to the expected VI.
func TestUncertaintyLaws(t *testing.T) {
	x, _ := trainingSet(t, 40)
	r := must.M1(Cluster(t.Context(), tinyNet(), known(), x, 40, 2, testOptions()))
	sum := 0.0
	for i, u := range r.Uncertainty {
		sum += u.VI
		near(t, "elsewhere", u.Elsewhere, 1-r.Probabilities[i][r.Labels[i]], 1e-12)
	}
	near(t, "sum of VI shares", sum, r.ExpectedVI, 1e-12)
}

// The labels are the sample with the least expected variation of information.
func TestPointEstimate(t *testing.T) {
	x, _ := trainingSet(t, 8)
	o := testOptions()
	o.Seed = 7
	r := must.M1(Cluster(t.Context(), tinyNet(), known(), x, 8, 2, o))
	var labels [][]int32
	for _, s := range r.Samples {
		labels = append(labels, slices.Repeat([][]int32{s.Labels}, s.Count)...)
	}
	for _, s := range labels {
		if e := must.M1(posterior.LossVI.Expected(s, labels)); e < r.ExpectedVI-1e-12 {
			t.Errorf("a sample has expected VI %v, the estimate %v", e, r.ExpectedVI)
		}
	}
}
