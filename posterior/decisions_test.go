package posterior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Decisions of every partition of five overlapping points are those of the exact law: sums over the partitions that
// agree with it so far.
func TestDecisionsAgainstEnumeration(t *testing.T) {
	const n = 5
	g := Gaussian{Dim: 2, Tau: 2, Sigma: 1}
	x := drawPoints(rand.New(rand.NewPCG(71, 72)), g, []int32{0, 0, 1, 1, 2})
	for _, prior := range []CRP{{Alpha: 1.5}, {Alpha: 0.3, AlphaMax: 10}, {Alpha: 1, MinK: 2, MaxK: 3}} {
		exact, _, err := enumerate(g, mustPrior(t, prior, n), x)
		if err != nil {
			t.Fatal(err)
		}
		mass := func(prefix []int32) (p float64) {
			for i, labels := range exact.Labels {
				if slices.Equal(labels[:len(prefix)], prefix) {
					p += math.Exp(exact.LogProb[i])
				}
			}
			return p
		}
		rng := rand.New(rand.NewPCG(73, 74))
		for i, labels := range exact.Labels {
			if math.Exp(exact.LogProb[i]) == 0 {
				continue
			}
			chain := Gibbs{Model: g, Prior: prior, BurnIn: 50, Samples: 3000}
			got := must[[]float64](t)(chain.Decisions(rng, x, labels))
			for at := range labels {
				want := math.Log(mass(labels[:at+1]) / mass(labels[:at]))
				if math.Abs(math.Exp(got[at])-math.Exp(want)) > 0.03 || math.Abs(got[at]-want) > 0.15 {
					t.Errorf("%+v, %v: decision %d has log p %.3f, want %.3f", prior, labels, at, got[at], want)
				}
			}
		}
	}
}

// The last decision has a closed form, of which the chain makes no estimate.
func TestLastOfDecisionsIsExact(t *testing.T) {
	g, prior := Gaussian{Dim: 2, Tau: 5, Sigma: 1}, CRP{Alpha: 2}
	labels := []int32{0, 0, 1, 0, 1, 2, 2, 1}
	x := drawPoints(rand.New(rand.NewPCG(75, 76)), g, labels)
	rng := rand.New(rand.NewPCG(1, 1))
	got := must[[]float64](t)(Gibbs{Model: g, Prior: prior, Samples: 1}.Decisions(rng, x, labels))
	joint := func(last int32) float64 {
		all := append(slices.Clone(labels[:7]), last)
		sizes := make([]int, slices.Max(all)+1)
		for _, l := range all {
			sizes[l]++
		}
		return must[float64](t)(g.LogLikelihood(x, all)) + mustPrior(t, prior, 8)(sizes)
	}
	total := 0.0
	for k := range int32(4) {
		total += math.Exp(joint(k) - joint(1))
	}
	if want := -math.Log(total); math.Abs(got[7]-want) > 1e-9 || got[0] != 0 {
		t.Errorf("the last decision has log-probability %v, want %v; the first %v", got[7], want, got[0])
	}
}
