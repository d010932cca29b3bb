package posterior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A shift of all points changes nothing, and in one dimension the value is the integral over all shifts (trapezoids,
// step 0.01).
func TestLogLikelihoodCentred(t *testing.T) {
	g := Gaussian{Dim: 2, Tau: 4, Sigma: 1}
	labels := []int32{0, 1, 0, 2, 1}
	x := drawPoints(rand.New(rand.NewPCG(1, 2)), g, labels)
	value := must[float64](t)(g.LogLikelihoodCentred(x, labels))
	moved := slices.Clone(x)
	for i := range moved {
		moved[i] += []float64{30, -7}[i%2]
	}
	near(t, "after a shift", must[float64](t)(g.LogLikelihoodCentred(moved, labels)), value, 1e-9)

	line := Gaussian{Dim: 1, Tau: 3, Sigma: 0.5}
	points := []float64{1, 1.7, -4, 6}
	for _, labels := range [][]int32{{0, 0, 0, 0}, {0, 0, 1, 2}, {0, 1, 2, 3}} {
		const step = 0.01
		var integral float64
		for s := -60.0; s <= 60; s += step {
			shifted := make([]float64, len(points))
			for i, p := range points {
				shifted[i] = p + s
			}
			integral += step * math.Exp(must[float64](t)(line.LogLikelihood(shifted, labels)))
		}
		near(t, "integral over shifts", must[float64](t)(line.LogLikelihoodCentred(points, labels)),
			math.Log(integral), 1e-6)
	}
	if _, err := (Gaussian{Dim: 1, Sigma: 1}).LogLikelihoodCentred(points, []int32{0, 0, 0, 0}); err == nil {
		t.Error("a prior without spread has no integral over shifts, but gave no error")
	}
}

// With a wide prior all means weigh the same, and the integral over shifts leaves √(2π τ²/K) a coordinate: the two
// laws differ by K^(−D/2) alone.
func TestEnumerateCentred(t *testing.T) {
	g := Gaussian{Dim: 1, Tau: 5000, Sigma: 1}
	x := []float64{-3, -2.5, 0, 0.5, 4}
	prior := mustPrior(t, CRP{Alpha: 1, MinK: 2}, len(x))
	centred := must[*Distribution](t)(EnumerateCentred(g, prior, x))
	plain, _, err := enumerate(g, prior, x)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(plain.LogProb)
	for i, labels := range plain.Labels {
		want[i] -= math.Log(float64(len(sizesOf(labels)))) / 2
	}
	must[float64](t)(Normalize(want))
	for i, p := range centred.LogProb {
		if len(sizesOf(plain.Labels[i])) == 1 {
			if !math.IsInf(p, -1) {
				t.Errorf("one cluster has log-probability %v, against the prior", p)
			}
			continue
		}
		near(t, "log-probability", p, want[i], 1e-4)
	}
}

// The prior with an unknown α is the mean of the priors over log-uniform α (10,000 midpoints), and Gibbs sampling
// under it agrees with the enumeration as it does for a known α.
func TestUnknownAlpha(t *testing.T) {
	c := CRP{Alpha: 0.5, AlphaMax: 8, MinK: 2}
	mixed := mustPrior(t, c, 6)
	for _, sizes := range [][]int{{5, 1}, {2, 2, 2}, {1, 1, 1, 1, 1, 1}} {
		var mean float64
		const grid = 10000
		for i := range grid {
			alpha := 0.5 * math.Pow(16, (float64(i)+0.5)/grid)
			mean += math.Exp(mustPrior(t, CRP{Alpha: alpha, MinK: 2}, 6)(sizes)) / grid
		}
		near(t, "prior", mixed(sizes), math.Log(mean), 1e-3)
	}
	if !math.IsInf(mixed([]int{6}), -1) {
		t.Error("the bound on K does not hold")
	}

	g := Gaussian{Dim: 1, Tau: 3, Sigma: 1}
	x := []float64{-2, -1.5, 0.2, 0.4, 2.5, 3}
	exact, _, err := enumerate(g, mixed, x)
	if err != nil {
		t.Fatal(err)
	}
	const kept = 30_000
	samples, err := Gibbs{Model: g, Prior: c, BurnIn: 100, Samples: kept}.Sample(rand.New(rand.NewPCG(3, 4)),
		x, Singletons(6))
	if err != nil {
		t.Fatal(err)
	}
	seen := must[*Distribution](t)(FromSamples(samples))
	var noise float64
	for _, v := range exact.LogProb {
		p := math.Exp(v)
		noise += math.Sqrt(p*(1-p)/kept*2/math.Pi) / 2
	}
	if tv := must[float64](t)(TotalVariation(exact.LogProb, seen.LogProb)); tv > 2*noise {
		t.Errorf("total variation %v from the exact posterior, Monte-Carlo error %v", tv, noise)
	}
	known, _, err := enumerate(g, mustPrior(t, CRP{Alpha: 8, MinK: 2}, 6), x)
	if err != nil {
		t.Fatal(err)
	}
	if tv := must[float64](t)(TotalVariation(known.LogProb, seen.LogProb)); tv < 3*noise {
		t.Errorf("total variation %v from the posterior at α = 8: the test sees nothing", tv)
	}
	if err := (CRP{Alpha: 2, AlphaMax: 1}).Validate(); err == nil {
		t.Error("an empty interval of α is accepted")
	}
}
