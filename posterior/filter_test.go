package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/gfncp/gfncp/metrics"
)

var plane = Gaussian{Dim: 2, Tau: 10, Sigma: 1}

func filtered(t *testing.T, prior CRP, most int, seed uint64, x []float64) *Filter {
	t.Helper()
	f := must[*Filter](t)(NewFilter(plane, prior, most))
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := 0; i < len(x); i += plane.Dim {
		if err := f.Add(rng, x[i:i+plane.Dim]); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// With room for all partitions the filter is the exact posterior, α known or not.
func TestFilterAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, prior := range []CRP{{Alpha: 2}, {Alpha: 0.7, AlphaMax: 7}} {
		x := drawPoints(rng, Gaussian{Dim: 2, Tau: 2, Sigma: 1}, drawCRP(rng, 7, 2))
		d, _, err := enumerate(plane, mustPrior(t, prior, 7), x)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "total variation", KTotalVariation(filtered(t, prior, 877, 1, x).KPosterior(), d.KPosterior()), 0, 1e-9)
	}
}

// With room for 200 of very many partitions P(K) is that of long Gibbs chains but for a few hundredths, and E[K] has no
// bias that 10 sets would show.
func TestFilterAgainstGibbs(t *testing.T) {
	const n, sets = 60, 10
	rng, prior := rand.New(rand.NewPCG(5, 6)), CRP{Alpha: 0.7, AlphaMax: 7}
	var apart, bias float64
	for range sets {
		labels := drawCRP(rng, n, 0.7*math.Pow(10, rng.Float64()))
		x := drawPoints(rng, plane, labels)
		gibbs := Gibbs{Model: plane, Prior: prior, Samples: 500, BurnIn: 500, Thin: 1}
		exact := KPosterior(must[[][]int32](t)(gibbs.Sample(rng, x, labels)))
		law := filtered(t, prior, 200, 1, x).KPosterior()
		apart += KTotalVariation(law, exact) / sets
		bias += (ExpectedK(law) - ExpectedK(exact)) / sets
	}
	t.Logf("total variation %.3f, bias of E[K] %.3f", apart, bias)
	if !(apart < 0.1) || !(math.Abs(bias) < 0.1) {
		t.Errorf("total variation %.3f, bias of E[K] %.3f", apart, bias)
	}
}

// What is left of many candidates has the weights of all of them in expectation, and is no more than asked for.
func TestReduceIsUnbiased(t *testing.T) {
	weights := []float64{0.3, 0.02, 0.05, 0.0, 0.25, 0.01, 0.07, 0.1, 0.2}
	rng, mean := rand.New(rand.NewPCG(7, 8)), make([]float64, len(weights))
	const draws, most = 20000, 5
	for range draws {
		var all []candidate
		for i, w := range weights {
			all = append(all, candidate{from: i, weight: w})
		}
		kept := reduce(rng, all, most)
		if len(kept) != most {
			t.Fatalf("%d of %d are left", len(kept), most)
		}
		for _, c := range kept {
			mean[c.from] += c.weight / draws
		}
	}
	for i, w := range weights {
		near(t, "the mean weight", mean[i], w, 0.005)
	}
}

func TestFilterErrors(t *testing.T) {
	for _, prior := range []CRP{{}, {Alpha: 1, MinK: 2}, {Alpha: 1, MaxK: 3}} {
		if _, err := NewFilter(plane, prior, 10); err == nil {
			t.Errorf("prior %+v passes", prior)
		}
	}
	if _, err := NewFilter(plane, CRP{Alpha: 1}, 0); err == nil {
		t.Error("no partitions at all")
	}
	f := must[*Filter](t)(NewFilter(plane, CRP{Alpha: 1}, 10))
	rng := rand.New(rand.NewPCG(1, 1))
	if err := f.Add(rng, []float64{1}); !errors.Is(err, metrics.ErrLength) {
		t.Errorf("one coordinate: %v", err)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), 1e200} {
		if err := f.Add(rng, []float64{v, 0}); !errors.Is(err, metrics.ErrNotFinite) {
			t.Errorf("%v: %v", v, err)
		}
	}
	if law := f.KPosterior(); !reflect.DeepEqual(law, []KProb{{0, 1}}) {
		t.Errorf("after errors P(K) is %v", law)
	}
}
