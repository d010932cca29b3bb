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
