package evaluation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/train"
)

// Gibbs sampling of ellipsoids is no farther from the enumerated posterior than independent draws are, but for its
// autocorrelation; chains that suppose smaller clusters are.
func TestConjugateGibbsAgainstEnumeration(t *testing.T) {
	for d := 2; d <= 5; d++ {
		law := Conjugate{6, posterior.StandardNIW(d), posterior.CRP{Alpha: 0.7, AlphaMax: 7}}
		judge := func(draw Drawer) Exactness {
			return must.M1(law.AgainstEnumeration(t.Context(), 1, 4, draw))
		}
		noise, gibbs, exact := judge(Independent(1000)), judge(law.ByGibbs(1000)), judge(nil)
		if gibbs.Sets != 4 || gibbs.TV > 1.5*noise.TV || gibbs.CoClustering > 2*noise.CoClustering {
			t.Errorf("D = %d: Gibbs has TV %v and co-clustering %v, independent draws %v and %v", d,
				gibbs.TV, gibbs.CoClustering, noise.TV, noise.CoClustering)
		}
		if exact.TV != 0 || exact.K != exact.TrueK || exact.K != gibbs.TrueK || math.Abs(gibbs.K-exact.K) > 0.15 {
			t.Errorf("D = %d: E[K] %v by Gibbs, %v exactly (%+v)", d, gibbs.K, gibbs.TrueK, exact)
		}
		small := law
		narrow := posterior.StandardNIW(d)
		narrow.Psi.ScaleSym(0.2, narrow.Psi)
		small.Likelihood = narrow
		if wrong := judge(small.ByGibbs(1000)); wrong.TV < 2*noise.TV {
			t.Errorf("D = %d: chains of smaller clusters have TV %v: the test sees nothing", d, wrong.TV)
		}
	}
}

// Simulation-based calibration (Talts et al. 2018): over sets of the law, the ranks of the true partition's statistics
// among those of the sampler's are uniform; a sampler that supposes a fifth of the clusters' size is found.
func TestConjugateCalibration(t *testing.T) {
	const sets, draws = 160, 15
	law := Conjugate{10, posterior.StandardNIW(2), posterior.CRP{Alpha: 0.7, AlphaMax: 7}}
	statistics := []func(labels []int32) float64{
		func(labels []int32) float64 { return float64(metrics.Clusters(labels)) },
		func(labels []int32) float64 { return float64(slices.Max(partition.New(labels).Size)) },
	}
	worst := func(sampler Conjugate) float64 {
		ranks := make([][]int, len(statistics)+1)
		for set := range sets {
			x, truth := law.Draw(data.Rand(7, "calibration", set))
			prior := must.M1(law.Prior.Prior(law.Points))
			joint := func(labels []int32) float64 {
				return prior(partition.New(labels).Size) + must.M1(posterior.LogLikelihood(law.Likelihood, x, labels))
			}
			rng := data.Rand(7, "calibration/draws", set)
			samples := must.M1(sampler.ByGibbs(draws)(rng, x, nil))
			for i, of := range append(statistics, joint) {
				values := make([]float64, draws)
				for s, labels := range samples {
					values[s] = of(labels)
				}
				ranks[i] = append(ranks[i], must.M1(metrics.SBCRank(rng, of(truth), values)))
			}
		}
		least := 1.0
		for _, r := range ranks {
			_, p := must.M2(metrics.RankChiSquared(r, draws, 8))
			least = min(least, p)
		}
		return least
	}
	if p := worst(law); p < 0.003 { // three statistics: 0.9 % for a right sampler
		t.Errorf("p = %v", p)
	}
	wrong := law
	narrow := posterior.StandardNIW(2)
	narrow.Psi.ScaleSym(0.2, narrow.Psi)
	wrong.Likelihood = narrow
	if p := worst(wrong); p > 1e-6 {
		t.Errorf("smaller clusters: p = %v, not found", p)
	}
}

// Draws keep the bounds on K, with the exact law of K between them.
func TestConjugateDraw(t *testing.T) {
	prior := posterior.CRP{Alpha: 2, MinK: 2, MaxK: 4}
	law := Conjugate{12, posterior.StandardNIW(3), prior}
	counts := map[int]float64{}
	const draws = 4000
	for i := range draws {
		x, labels := law.Draw(data.Rand(1, "draws", i))
		if len(x) != 36 || len(labels) != 12 {
			t.Fatal(fmt.Sprint(len(x), len(labels)))
		}
		counts[metrics.Clusters(labels)] += 1. / draws
	}
	for _, k := range must.M1(prior.KLaw(12)) {
		if !(math.Abs(counts[k.K]-k.P) <= 0.03) {
			t.Errorf("K = %d in %v of the draws, want %v", k.K, counts[k.K], k.P)
		}
		delete(counts, k.K)
	}
	if len(counts) != 0 {
		t.Errorf("other K: %v", counts)
	}
}

func TestConjugateErrors(t *testing.T) {
	law := Conjugate{10, posterior.StandardNIW(2), posterior.CRP{Alpha: 1}}
	if _, err := law.AgainstEnumeration(t.Context(), 1, 1, nil); err == nil {
		t.Error("ten points are enumerated")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := law.AgainstEnumeration(ctx, 1, 1, nil); !errors.Is(err, train.ErrInterrupted) {
		t.Errorf("cancelled: %v", err)
	}
}
