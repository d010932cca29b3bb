package posterior

import (
	"errors"
	"math"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/metrics"
)

func logs(p ...float64) []float64 {
	out := make([]float64, len(p))
	for i, v := range p {
		out[i] = math.Log(v)
	}
	return out
}

// Partitions of three points: 000, 001, 010, 011, 012.
var (
	lawP = []float64{0.5, 0.25, 0.25, 0, 0}
	lawQ = []float64{0.25, 0.25, 0.25, 0.125, 0.125}
)

// KL = 0.5·log 2. TV = ½(0.25 + 0.125 + 0.125). E[K]: 0.5 + 2·0.5 and 0.25 + 2·0.625 + 3·0.125. Pairs 01, 02, 12
// together: 0.75, 0.75, 0.5 and 0.5, 0.5, 0.375.
func TestCompareByHand(t *testing.T) {
	d, err := NewDistribution(3, logs(lawP...))
	if err != nil {
		t.Fatal(err)
	}
	model := must.M1(NewDistribution(3, logs(lawQ...)))
	near(t, "KL", must.M1(KL(d.LogProb, model.LogProb)), math.Ln2/2, 1e-15)
	near(t, "TV", must.M1(TotalVariation(d.LogProb, model.LogProb)), 0.25, 1e-15)
	near(t, "exact K", d.ExpectedK(), 1.5, 1e-15)
	near(t, "model K", model.ExpectedK(), 1.875, 1e-15)
	mean := must.M1(CoClusteringError(d.CoClustering(), model.CoClustering()))
	near(t, "co-clustering", mean, 0.625/3, 1e-15)
	if kl, err := KL(logs(lawQ...), logs(lawP...)); !math.IsInf(kl, 1) || err != nil {
		t.Errorf("KL where q excludes what p does not = %v, %v, want +Inf", kl, err)
	}
	if kl, err := KL(logs(lawP...), logs(lawP...)); kl != 0 || err != nil {
		t.Errorf("KL of a law with itself = %v, %v", kl, err)
	}
	one := must.M1(NewDistribution(1, []float64{0}))
	if mean, err := CoClusteringError(one.CoClustering(), one.CoClustering()); mean != 0 || err != nil {
		t.Errorf("one point: %v, %v, want 0", mean, err)
	}
	if _, err := CoClusteringError(d.CoClustering(), one.CoClustering()); !errors.Is(err, metrics.ErrLength) {
		t.Errorf("3 points against 1: %v", err)
	}
}

func TestKTotalVariation(t *testing.T) {
	a, b := []KProb{{1, 0.5}, {2, 0.5}}, []KProb{{2, 0.25}, {4, 0.75}}
	near(t, "TV of K", KTotalVariation(a, b), 0.75, 1e-15) // ½(0.5 + 0.25 + 0.75)
	near(t, "TV of K", KTotalVariation(a, a), 0, 0)
	near(t, "expected K", ExpectedK(b), 3.5, 1e-15)
}

func TestComparisonErrors(t *testing.T) {
	good := logs(lawQ...)
	for _, c := range []struct {
		bad  []float64
		want error
	}{
		{good[:4], metrics.ErrLength},
		{logs(0.5, 0.1, 0.1, 0.1, 0.1), ErrMass},
		{logs(0.5, 0.5, 0.5, 0.1, 0.1), ErrMass},
		{[]float64{0, math.NaN(), math.Inf(-1), math.Inf(-1), math.Inf(-1)}, metrics.ErrNotFinite},
	} {
		if _, err := KL(good, c.bad); !errors.Is(err, c.want) {
			t.Errorf("KL to %v: %v, want %v", c.bad, err, c.want)
		}
		if _, err := TotalVariation(c.bad, good); !errors.Is(err, c.want) {
			t.Errorf("TotalVariation of %v: %v, want %v", c.bad, err, c.want)
		}
		if _, err := NewDistribution(3, c.bad); !errors.Is(err, c.want) {
			t.Errorf("NewDistribution(%v): %v, want %v", c.bad, err, c.want)
		}
	}
	if _, err := KL(nil, nil); !errors.Is(err, metrics.ErrTooFew) {
		t.Errorf("KL of nothing: %v", err)
	}
}
