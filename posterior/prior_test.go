package posterior

import (
	"math"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/internal/usererr"
)

// priorOf is the law of n points under a process without faults.
func priorOf(c CRP, n int) Prior { return must.M1(c.Prior(n)) }

// Every law sums to 1 over all partitions, also where α makes the demanded K rare; given K it does not depend on α.
func TestCRPSumsToOne(t *testing.T) {
	for n := 1; n <= 7; n++ {
		for _, c := range []CRP{
			{Alpha: 1},
			{Alpha: 6},
			{Alpha: 3, MaxK: 2},
			{Alpha: 0.01, MinK: min(2, n)},
			{Alpha: 1e-8, MinK: n},
			{Alpha: 6, MinK: min(3, n), MaxK: min(3, n)},
		} {
			prior, sum := priorOf(c, n), 0.0
			for _, labels := range Partitions(n) {
				sum += math.Exp(prior(sizesOf(labels)))
			}
			near(t, "sum", sum, 1, 1e-12)
		}
	}
	a, b := priorOf(CRP{Alpha: 0.1, MinK: 2, MaxK: 2}, 5), priorOf(CRP{Alpha: 9, MinK: 2, MaxK: 2}, 5)
	near(t, "given K", a([]int{1, 4}), b([]int{4, 1}), 1e-13)
}

// Point by point: the n-th joins a cluster of m with probability m/(n+α), opens one with α/(n+α).
func TestCRPAgainstSeating(t *testing.T) {
	const alpha = 1.7
	prior := priorOf(CRP{Alpha: alpha}, 6)
	for _, labels := range Partitions(6) {
		want, size := 0.0, make([]float64, 6)
		for i, c := range labels {
			weight := size[c]
			if weight == 0 {
				weight = alpha
			}
			want += math.Log(weight / (float64(i) + alpha))
			size[c]++
		}
		near(t, "log-probability", prior(sizesOf(labels)), want, 1e-13)
	}
}

func TestCRPErrors(t *testing.T) {
	if _, err := (CRP{Alpha: 1, MinK: 5}).Prior(4); !usererr.Is(err) {
		t.Errorf("5 clusters of 4 points: %v, want a fault of the user", err)
	}
	one := priorOf(CRP{Alpha: 2, AlphaMax: 2}, 3) // an interval of one value
	near(t, "prior at one α", one([]int{1, 2}), priorOf(CRP{Alpha: 2}, 3)([]int{1, 2}), 1e-13)
	if _, err := (CRP{Alpha: 1}).Prior(0); err == nil {
		t.Error("no fault for 0 points")
	}
}

// The law of K is that of the prior on partitions, added up by their numbers of clusters.
func TestKLaw(t *testing.T) {
	short.Skip(t, "adds up the law of 100,000 points")
	const n = 6
	parts := Partitions(n)
	for _, c := range []CRP{
		{Alpha: 1.5}, {Alpha: 0.3, AlphaMax: 10}, {Alpha: 0.7, AlphaMax: 7, MinK: 2}, {Alpha: 2, MinK: 2, MaxK: 4},
	} {
		prior := priorOf(c, n)
		want := make([]float64, n+1)
		for _, labels := range parts {
			sizes := sizesOf(labels)
			want[len(sizes)] += math.Exp(prior(sizes))
		}
		for _, k := range must.M1(c.KLaw(n)) {
			if math.Abs(k.P-want[k.K]) > 1e-9 {
				t.Errorf("%+v: P(K=%d) = %v, want %v", c, k.K, k.P, want[k.K])
			}
			want[k.K] = 0
		}
		for k, p := range want {
			if p > 1e-9 {
				t.Errorf("%+v: P(K=%d) = %v is missing", c, k, p)
			}
		}
	}
	if law := must.M1(CRP{Alpha: 0.3, AlphaMax: 10}.KLaw(100_000)); math.Abs(total(law)-1) > 1e-6 {
		t.Errorf("the law of many points adds up to %v", total(law))
	}
	if _, err := (CRP{Alpha: 1, MinK: 4}).KLaw(3); err == nil {
		t.Error("three points have four clusters")
	}
}

func total(law []KProb) (sum float64) {
	for _, k := range law {
		sum += k.P
	}
	return sum
}
