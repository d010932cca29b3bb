package clustering

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

// heap are n points of k round clusters in d dimensions, far apart, in columns of one unit.
func heap(n, d, k int) (x []float64, labels []int32) {
	rng := data.Rand(2, "heap", d)
	centres := make([]float64, k*d)
	for i := range centres {
		centres[i] = 40 * rng.Float64()
	}
	for i := range n {
		c := i * k / n
		labels = append(labels, int32(c))
		for j := range d {
			x = append(x, centres[c*d+j]+rng.NormFloat64())
		}
	}
	return x, labels
}

// Of more points than are sampled a subset is, and the others join its clusters: as Predict of what is kept says, with
// the clusters' numbers in the whole set. float32 and float64 give the same, and the same seed the same.
func TestExactOfManyPoints(t *testing.T) {
	const n, d, k = 6000, 3, 5
	wide, truth := heap(n, d, k)
	var x []float32
	for _, v := range wide {
		x = append(x, float32(v))
	}
	assigned := 0
	o := DefaultOptions()
	o.Subset, o.Samples, o.Refine, o.Scale = 200, 20, "60", "none"
	o.Assigned = func(done, total int) { assigned = max(assigned, done*100/total) }
	r := must.M1(Exact(t.Context(), x, n, d, o))
	if ari := must.M1(metrics.ARI(truth, r.Labels)); ari < 0.99 || len(r.Labels) != n || assigned != 100 {
		t.Errorf("ARI %v of %d points, %d %% assigned", ari, len(r.Labels), assigned)
	}
	s := r.Subset
	if s == nil || len(s.Points) != 200 || len(s.HeldOut) != 4 || !slices.IsSorted(s.Points) ||
		slices.Max(s.HeldOut) != s.HeldOut[s.Chosen] || s.Samples != 20 || len(r.Samples[0].Labels) != 200 {
		t.Fatalf("subset %+v", s)
	}
	if canonical, _ := metrics.Canonical(r.Labels); !slices.Equal(canonical, r.Labels) {
		t.Error("the clusters are not numbered by first appearance")
	}
	p := must.M1(r.Exact.Predict(t.Context(), widened(x), n, d, PredictOptions{Samples: 20, Seed: o.Seed}))
	for i, row := range p.Probabilities {
		if _, sampled := slices.BinarySearch(s.Points, i); !sampled && !slices.Equal(row, r.Probabilities[i]) {
			t.Fatalf("point %d: predicted %v, assigned %v", i, row, r.Probabilities[i])
		}
	}
	o.Assigned = nil
	if again := must.M1(Exact(t.Context(), widened(x), n, d, o)); !reflect.DeepEqual(again, r) {
		t.Error("the same points and seed give another result")
	}
}

// The subset that is taken predicts the others best: where one is of points far from all others, it is another.
func TestExactTakesTheSubsetThatPredicts(t *testing.T) {
	const n, d = 6000, 2
	x, _ := heap(n, d, 3)
	o := DefaultOptions()
	o.Subset, o.Samples, o.Refine, o.Scale = 100, 20, "40", "none"
	l := &largeExact[float64]{x, n, d, o}
	trials, _, _, err := l.prepare()
	must.M(err)
	first := must.M1(l.choose(t.Context(), trials))
	best := trials[first.Chosen].target.x
	for i := range best { // the clusters of this subset are no longer where those of the others are
		best[i] = -best[i]
	}
	if second := must.M1(l.choose(t.Context(), trials)); second.Chosen == first.Chosen {
		t.Errorf("subset %d is taken, which predicts %v", second.Chosen, second.HeldOut)
	}
}

func TestExactOfManyPointsFaults(t *testing.T) {
	const n, d = 6000, 2
	for want, change := range map[string]func(o *Options, x []float64){
		"too many for exact sampling: the limit is 5000": func(o *Options, _ []float64) { o.Subset = 0 },
		"use at most 5000":                  func(o *Options, _ []float64) { o.Subset = 5500 },
		"no co-clustering matrix of 6000":   func(o *Options, _ []float64) { o.CoClustering = true },
		"coordinate 2 of point 6000 is NaN": func(_ *Options, x []float64) { x[n*d-1] = math.NaN() },
	} {
		o := DefaultOptions()
		x, _ := heap(n, d, 2)
		change(&o, x)
		if _, err := Exact(t.Context(), x, n, d, o); !usererr.Is(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
