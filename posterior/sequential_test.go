package posterior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Each label is the most probable one of the exact joint law of the points so far, given the labels before.
func TestSequential(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	model, prior := Gaussian{Dim: 2, Tau: 3, Sigma: 1}, CRP{Alpha: 1.5}
	truth := make([]int32, 60)
	for i := range truth {
		truth[i] = int32(rng.IntN(4))
	}
	x := drawPoints(rng, model, truth)
	labels := must[[]int32](t)(Sequential(model, prior, x))
	k := int32(0)
	for n := range labels {
		law := must[Prior](t)(prior.Prior(n + 1))
		best, most := int32(-1), math.Inf(-1)
		for c := range k + 1 {
			tried := append(slices.Clone(labels[:n]), c)
			sizes := make([]int, max(k, c+1))
			for _, l := range tried {
				sizes[l]++
			}
			joint := law(sizes) + must[float64](t)(model.LogLikelihood(x[:2*(n+1)], tried))
			if joint > most {
				best, most = c, joint
			}
		}
		if labels[n] != best {
			t.Fatalf("point %d has label %d, want %d", n, labels[n], best)
		}
		k = max(k, labels[n]+1)
	}
	if k < 2 {
		t.Errorf("%d clusters: the test says little", k)
	}
}

// What cannot be known point by point, and points that are none, are refused.
func TestSequentialRefuses(t *testing.T) {
	model, x := Gaussian{Dim: 1, Tau: 3, Sigma: 1}, []float64{1, 2}
	for _, prior := range []CRP{{}, {Alpha: 1, AlphaMax: 2}, {Alpha: 1, MinK: 2}, {Alpha: 1, MaxK: 3}} {
		if _, err := Sequential(model, prior, x); err == nil {
			t.Errorf("%+v was taken", prior)
		}
	}
	for _, x := range [][]float64{nil, {math.NaN()}} {
		if _, err := Sequential(model, CRP{Alpha: 1}, x); err == nil {
			t.Errorf("points %v were taken", x)
		}
	}
}
