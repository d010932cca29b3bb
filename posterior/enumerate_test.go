package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

// Bell numbers: OEIS A000110.
func TestPartitions(t *testing.T) {
	for n, bell := range []int{1: 1, 2: 2, 3: 5, 4: 15, 5: 52, 6: 203, 7: 877, 8: 4140, 9: 21147} {
		parts, err := Partitions(n)
		if n == 0 {
			if !usererr.Is(err) {
				t.Errorf("Partitions(0): %v", err)
			}
			continue
		}
		if err != nil || len(parts) != bell {
			t.Fatalf("Partitions(%d): %d, %v, want %d", n, len(parts), err, bell)
		}
		for i, labels := range parts {
			if at, err := PartitionIndex(labels); at != i || err != nil {
				t.Fatalf("PartitionIndex(%v) = %d, %v, want %d", labels, at, err, i)
			}
		}
	}
	want := [][]int32{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {0, 1, 2}}
	if parts := must.M1(Partitions(3)); !reflect.DeepEqual(parts, want) {
		t.Errorf("Partitions(3) = %v", parts)
	}
	if at, err := PartitionIndex([]int32{7, 7, -1}); at != 1 || err != nil { // 000, 001, 010, 011, 012
		t.Errorf("PartitionIndex of 001 renamed = %d, %v, want 1", at, err)
	}
	if _, err := Partitions(10); !usererr.Is(err) {
		t.Errorf("Partitions(10): %v", err)
	}
	if _, err := PartitionIndex(make([]int32, 10)); !usererr.Is(err) {
		t.Errorf("PartitionIndex of 10 points: %v", err)
	}
}

// Two points −1 and 1 in one coordinate, τ = σ = 1, α = 1: joint weights ½·N((−1,1); [[2 1] [1 2]]) and
// ½·N(−1;0,2)·N(1;0,2).
func TestEnumerateByHand(t *testing.T) {
	d, evidence := enumerate(Gaussian{1, 1, 1}, priorOf(CRP{Alpha: 1}, 2), []float64{-1, 1})
	// quadratic form (2·1 + 2·1 + 2·1)/3 = 2
	together := math.Exp(-1) / (2 * math.Pi * math.Sqrt(3)) / 2
	apart := math.Exp(-0.5) / (4 * math.Pi) / 2
	near(t, "evidence", evidence, math.Log(together+apart), 1e-14)
	p := together / (together + apart)
	near(t, "P(together)", math.Exp(d.LogProb[0]), p, 1e-14)
	near(t, "co-clustering", d.CoClustering().At(1, 0), p, 1e-14)
	near(t, "diagonal", d.CoClustering().At(1, 1), 1, 1e-14)
	near(t, "expected K", d.ExpectedK(), 2-p, 1e-14)
}

// Against prior and likelihood partition by partition; K and pairs against plain sums.
func TestEnumerateAgainstLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(57, 58))
	g := Gaussian{Dim: 2, Tau: 3, Sigma: 1}
	for _, n := range []int{1, 4, 7} {
		x := drawPoints(rng, g, data.CRP(rng, n, 2))
		for _, crp := range []CRP{
			{Alpha: 2}, {Alpha: 2, MinK: min(n, 2)}, {Alpha: 2, MinK: min(n, 3), MaxK: min(n, 3)},
		} {
			prior := priorOf(crp, n)
			d := must.M1(EnumerateCentred(g, prior, x))
			var want []float64
			for _, labels := range d.Labels {
				want = append(want, prior(sizesOf(labels))+must.M1(g.LogLikelihoodCentred(x, labels)))
			}
			floats.AddConst(-floats.LogSumExp(want), want)
			law, pair := make([]float64, n+1), 0.0
			for i, labels := range d.Labels {
				if got := d.LogProb[i]; got != want[i] && !(math.Abs(got-want[i]) < 1e-10) {
					t.Fatalf("%+v: log-probability of %v = %v, want %v", crp, labels, got, want[i])
				}
				law[metrics.Clusters(labels)] += math.Exp(want[i])
				if labels[0] == labels[n-1] {
					pair += math.Exp(want[i])
				}
			}
			for _, p := range d.KPosterior() {
				near(t, "P(K)", p.P, law[p.K], 1e-10)
			}
			near(t, "pair", d.CoClustering().At(0, n-1), pair, 1e-10)
		}
	}
}

func TestEnumerateErrors(t *testing.T) {
	g, prior := Gaussian{1, 1, 1}, priorOf(CRP{Alpha: 1}, 2)
	none := func([]int) float64 { return math.Inf(-1) }
	if _, err := EnumerateCentred(g, none, []float64{1, 2}); !errors.Is(err, metrics.ErrNotFinite) {
		t.Errorf("prior without mass: %v", err)
	}
	if _, err := EnumerateCentred(g, prior, make([]float64, 10)); !usererr.Is(err) {
		t.Errorf("10 points: %v", err)
	}
	if _, err := EnumerateCentred(g, prior, nil); !errors.Is(err, metrics.ErrTooFew) {
		t.Errorf("no points: %v", err)
	}
}

// enumerate returns the exact posterior of the partition of points x [N·D] under a prior, and log p(x).
func enumerate(g Gaussian, prior Prior, x []float64) (d *Distribution, logEvidence float64) {
	d = &Distribution{Labels: must.M1(Partitions(len(x) / g.Dim))}
	for _, labels := range d.Labels {
		d.LogProb = append(d.LogProb, must.M1(g.LogLikelihood(x, labels))+prior(sizesOf(labels)))
	}
	logEvidence = floats.LogSumExp(d.LogProb)
	floats.AddConst(-logEvidence, d.LogProb)
	return d, logEvidence
}

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
	d := must.M1(NewDistribution(3, logs(lawP...)))
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
