package clustering

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

// ellipses are three clusters of n points in d dimensions, side by side and several times as long as the distance
// between them, in columns of different units.
func ellipses(n, d int) (x []float64, labels []int32) {
	rng := data.Rand(1, "ellipses", d)
	for i := range n {
		labels = append(labels, int32(i%3))
		along, across := 20*rng.NormFloat64(), 10*float64(i%3)
		for j := range d {
			v := rng.NormFloat64() + along + across
			across = -across
			x = append(x, 1000+v*math.Pow(10, float64(j%4)))
		}
	}
	return x, labels
}

// quick are options for a short run.
func quick() Options {
	o := DefaultOptions()
	o.Refine = "600"
	return o
}

// Three long clusters in two to twelve dimensions are found, without a network, in three pieces or four; the same seed
// gives the same result, another unit of a column the same labels.
func TestExactFindsEllipses(t *testing.T) {
	for _, d := range []int{2, 4, 12} {
		const n = 90
		x, truth := ellipses(n, d)
		r := must.M1(Exact(t.Context(), x, n, d, quick()))
		if ari := must.M1(metrics.ARI(truth, r.Labels)); ari < 0.9 || r.K < 3 || r.K > 4 {
			t.Errorf("D = %d: K = %d, ARI %v (%q)", d, r.K, ari, r.Warnings)
		}
		if r.Refinement.Sweeps != 300 || r.Refinement.Network != nil || r.Refinement.Fit != nil || r.Ball == nil ||
			len(r.Rotation.Components) != d || len(r.Samples) == 0 || len(r.KPrior) == 0 {
			t.Errorf("D = %d: %+v", d, r)
		}
		told := slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "first 4 principal") })
		if told != (d > 4) {
			t.Errorf("D = %d: %q", d, r.Warnings)
		}
		if d != 4 {
			continue
		}
		if again := must.M1(Exact(t.Context(), x, n, d, quick())); !reflect.DeepEqual(again, r) {
			t.Errorf("D = %d: the same seed gives another result", d)
		}
		for i := range n {
			x[i*d] *= 64
		}
		if moved := must.M1(Exact(t.Context(), x, n, d, quick())); !slices.Equal(moved.Labels, r.Labels) {
			t.Errorf("D = %d: the unit of a column changes the labels", d)
		}
	}
}

// P(K) of eight points is that of all partitions, directions and shapes, enumerated.
func TestExactIsExact(t *testing.T) {
	const n, d = 8, 3
	x, _ := ellipses(n, d)
	o := quick()
	o.Refine, o.Alpha = "8000", "1"
	r := must.M1(Exact(t.Context(), x, n, d, o))
	prior := must.M1(posterior.CRP{Alpha: 1}.Prior(n))
	exact := must.M1(posterior.EnumerateSelection(directions(r.Rotation, 2), prior, r.Rotation.Apply(x)))
	if tv := posterior.KTotalVariation(r.KPosterior, exact.KPosterior()); tv > 0.03 {
		t.Errorf("P(K) %v is %v from the exact %v", r.KPosterior, tv, exact.KPosterior())
	}
}

func TestExactErrors(t *testing.T) {
	x, _ := ellipses(6, 2)
	for name, change := range map[string]func(o *Options){
		"samples": func(o *Options) { o.Samples = 0; o.Refine = "auto" },
		"greedy":  func(o *Options) { o.Decode = DecodeGreedy; o.Refine = "auto" },
		"none":    func(o *Options) { o.Refine = "none" },
		"scale":   func(o *Options) { o.Scale = "2" },
		"alpha":   func(o *Options) { o.Alpha = "-1" },
	} {
		o := quick()
		change(&o)
		if _, err := Exact(t.Context(), x, 6, 2, o); !usererr.Is(err) {
			t.Errorf("%s: %v, want a fault of the user", name, err)
		}
	}
	for name, points := range map[string][]float64{
		"one": {1, 2}, "equal": {1, 2, 1, 2, 1, 2}, "NaN": {1, math.NaN(), 2, 3},
	} {
		if _, err := Exact(t.Context(), points, len(points)/2, 2, quick()); !usererr.Is(err) {
			t.Errorf("%s: %v, want a fault of the user", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Exact(ctx, x, 6, 2, quick()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// With Scale "none" columns keep their standard deviations, and the share of the variance that is told counts them:
// of variances 4, 1, 1 and 1/4, sixteen rows show the first two components, hence 80 %.
func TestExactTellsTheShareOfTheVariance(t *testing.T) {
	var x []float64
	for i := range 16 { // orthogonal columns of ±1, times their standard deviations
		for j, spread := range []float64{2, 1, 1, 0.5} {
			sign := 1.0
			if i>>j&1 == 1 {
				sign = -1
			}
			x = append(x, sign*spread)
		}
	}
	o := DefaultOptions()
	o.Samples, o.Refine, o.Scale = 20, "10", "none"
	r := must.M1(Exact(t.Context(), x, 16, 4, o))
	want := "the clusters differ in at most 2 directions: the first 2 principal components, which hold 80 % of the " +
		"variance, and the columns"
	if r.Warnings[0] != want {
		t.Errorf("warnings %q, want %q", r.Warnings, want)
	}
}
