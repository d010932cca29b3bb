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
	"github.com/gfncp/gfncp/metrics"
)

// Bell numbers: OEIS A000110.
func TestPartitions(t *testing.T) {
	for n, bell := range map[int]int{1: 1, 2: 2, 3: 5, 4: 15, 5: 52, 6: 203, 7: 877, 8: 4140, 9: 21147} {
		parts := Partitions(n)
		if len(parts) != bell {
			t.Fatalf("Partitions(%d): %d, want %d", n, len(parts), bell)
		}
		for i, labels := range parts {
			if at := PartitionIndex(parts, labels); at != i {
				t.Fatalf("PartitionIndex(%v) = %d, want %d", labels, at, i)
			}
		}
	}
	want := [][]int32{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {0, 1, 2}}
	if parts := Partitions(3); !reflect.DeepEqual(parts, want) {
		t.Errorf("Partitions(3) = %v", parts)
	}
	if at := PartitionIndex(want, []int32{7, 7, -1}); at != 1 { // 000, 001, 010, 011, 012
		t.Errorf("PartitionIndex of 001 renamed = %d, want 1", at)
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
			d := EnumerateCentred(g, prior, x)
			var want []float64
			for _, labels := range d.Labels {
				want = append(want, prior(sizesOf(labels))+g.LogLikelihoodCentred(x, labels))
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

// enumerate returns the exact posterior of the partition of points x [N·D] under a prior, and log p(x).
func enumerate(g Gaussian, prior Prior, x []float64) (d *Distribution, logEvidence float64) {
	d = &Distribution{Labels: Partitions(len(x) / g.Dim)}
	for _, labels := range d.Labels {
		d.LogProb = append(d.LogProb, g.LogLikelihood(x, labels)+prior(sizesOf(labels)))
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
	near(t, "KL", d.KL(model), math.Ln2/2, 1e-15)
	near(t, "TV", d.TotalVariation(model), 0.25, 1e-15)
	near(t, "exact K", d.ExpectedK(), 1.5, 1e-15)
	near(t, "model K", model.ExpectedK(), 1.875, 1e-15)
	mean := CoClusteringError(d.CoClustering(), model.CoClustering())
	near(t, "co-clustering", mean, 0.625/3, 1e-15)
	if kl := model.KL(d); !math.IsInf(kl, 1) {
		t.Errorf("KL where q excludes what p does not = %v, want +Inf", kl)
	}
	near(t, "KL of a law with itself", d.KL(d), 0, 0)
	one := must.M1(NewDistribution(1, []float64{0}))
	near(t, "one point", CoClusteringError(one.CoClustering(), one.CoClustering()), 0, 0)
}

func TestKTotalVariation(t *testing.T) {
	a, b := []KProb{{1, 0.5}, {2, 0.5}}, []KProb{{2, 0.25}, {4, 0.75}}
	near(t, "TV of K", KTotalVariation(a, b), 0.75, 1e-15) // ½(0.5 + 0.25 + 0.75)
	near(t, "TV of K", KTotalVariation(a, a), 0, 0)
	near(t, "expected K", ExpectedK(b), 3.5, 1e-15)
}

// Probabilities that do not sum to 1 are refused.
func TestDistributionErrors(t *testing.T) {
	for _, bad := range [][]float64{
		logs(0.5, 0.1, 0.1, 0.1, 0.1), logs(0.5, 0.5, 0.5, 0.1, 0.1), {0, math.NaN(), math.Inf(-1)},
	} {
		if _, err := NewDistribution(3, bad); !errors.Is(err, ErrMass) {
			t.Errorf("NewDistribution(%v): %v", bad, err)
		}
	}
}
