package clustering

import (
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/metrics"
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

// From {01|23} a split pair is ½·log 2 away, all apart and all together log 2; Binder's loss is 2/16, 4/16 and 8/16
// (posterior, TestCredibleBallByHand). So the mean VI is (6·½ + 2)·log 2/20 = ¼·log 2, the mean Binder loss
// (6·2 + 4 + 8)/16/20 = 0.075. Of equally far partitions the more probable one is the bound.
func TestBallByHand(t *testing.T) {
	estimate := []int32{0, 0, 1, 1}
	at := func(k int, distance float64, labels ...int32) Bound {
		return Bound{K: k, Distance: distance, Labels: labels}
	}
	for _, c := range []struct {
		level float64
		want  Ball
	}{
		{0.95, Ball{
			"vi", 0.95, math.Ln2, 1,
			at(1, math.Ln2, 0, 0, 0, 0), at(4, math.Ln2, 0, 1, 2, 3), at(1, math.Ln2, 0, 0, 0, 0),
		}},
		{0.9, Ball{
			"vi", 0.9, math.Ln2 / 2, 0.9,
			at(2, 0, estimate...), at(3, math.Ln2/2, 0, 1, 2, 2), at(3, math.Ln2/2, 0, 1, 2, 2),
		}},
		{
			0.5,
			Ball{"vi", 0.5, 0, 0.6, at(2, 0, estimate...), at(2, 0, estimate...), at(2, 0, estimate...)},
		},
	} {
		r := &Result{Labels: estimate}
		if err := r.summarize(twenty(), Options{Samples: 20, Ball: c.level}); err != nil {
			t.Fatal(err)
		}
		near(t, "expected VI", r.ExpectedVI, math.Ln2/4, 1e-15)
		near(t, "expected Binder loss", r.ExpectedBinder, 0.075, 1e-15)
		got := *r.Ball
		near(t, "radius", got.Radius, c.want.Radius, 1e-15)
		if got.Loss != c.want.Loss || got.Level != c.want.Level || got.Prob != c.want.Prob {
			t.Errorf("loss %q, level %v, prob %v, want %+v", got.Loss, got.Level, got.Prob, c.want)
		}
		for i, b := range [][2]Bound{
			{got.Upper, c.want.Upper}, {got.Lower, c.want.Lower}, {got.Horizontal, c.want.Horizontal},
		} {
			near(t, "distance", b[0].Distance, b[1].Distance, 1e-15)
			if b[0].K != b[1].K || !slices.Equal(b[0].Labels, b[1].Labels) {
				t.Errorf("level %v: bound %d is %v, want %v", c.level, i, b[0], b[1])
			}
		}
	}
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
	if len(r.Uncertainty) != 3 || r.Ball != nil {
		t.Errorf("%d points, ball %v", len(r.Uncertainty), r.Ball)
	}
}

func TestNoBallOfFewSamples(t *testing.T) {
	samples := twenty()
	for _, c := range []struct {
		samples int
		level   float64
		want    bool
	}{{MinBallSamples, 0.95, true}, {MinBallSamples - 1, 0.95, false}, {
		MinBallSamples,
		0, false,
	}, {MinBallSamples, 1, true}} {
		r := &Result{Labels: []int32{0, 0, 1, 1}}
		if err := r.summarize(samples[:c.samples], Options{Samples: c.samples, Ball: c.level}); err != nil {
			t.Fatal(err)
		}
		if (r.Ball != nil) != c.want {
			t.Errorf("%d samples at level %v: ball %v", c.samples, c.level, r.Ball)
		}
	}
}

// Laws of every ball: it holds its share, its bounds are samples at their distance within the radius, and K lies
// between those of the vertical bounds. The points' shares sum to the expected VI.
func TestBallLaws(t *testing.T) {
	x, _ := trainingSet(t, 40)
	o := testOptions()
	o.Ball = 0.8
	r := must.M1(Cluster(t.Context(), tinyNet(), known(), x, 40, 2, o))
	inside, sum := 0, 0.0
	for _, s := range r.Samples {
		d := must.M1(posterior.LossVI.Distance(r.Labels, s.Labels))
		if _, k := metrics.Canonical(s.Labels); d <= r.Ball.Radius+1e-12 {
			inside += s.Count
			if k < r.Ball.Upper.K || k > r.Ball.Lower.K {
				t.Errorf("K = %d outside of %d to %d", k, r.Ball.Upper.K, r.Ball.Lower.K)
			}
		}
	}
	near(t, "share", r.Ball.Prob, float64(inside)/30, 1e-15)
	if r.Ball.Prob < 0.8 || inside == 30 || r.Ball.Radius <= 0 {
		t.Errorf("ball of radius %v holds %d samples", r.Ball.Radius, inside)
	}
	near(t, "horizontal distance", r.Ball.Horizontal.Distance, r.Ball.Radius, 1e-12)
	for _, b := range []Bound{r.Ball.Upper, r.Ball.Lower, r.Ball.Horizontal} {
		near(t, "distance", b.Distance, must.M1(posterior.LossVI.Distance(r.Labels, b.Labels)), 1e-12)
		if !slices.ContainsFunc(r.Samples,
			func(s posterior.Distinct) bool { return slices.Equal(s.Labels, b.Labels) }) {
			t.Errorf("bound %v is no sample", b.Labels)
		}
	}
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
