package posterior

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/stattest"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
)

// Six overlapping points, 30,000 kept sweeps: the fractions of all 203 partitions are within Monte-Carlo error of the
// exact law. Independent draws would give a total variation of Σ√(p(1−p)/S)·√(2/π)/2 on average; the chain's
// autocorrelation may double that. The posterior for a τ half as large again is off by more.
func TestGibbsAgainstEnumeration(t *testing.T) {
	g := Gaussian{Dim: 2, Tau: 2, Sigma: 1}
	x := drawPoints(rand.New(rand.NewPCG(61, 62)), g, []int32{0, 0, 0, 1, 1, 2})
	const kept = 30_000
	for _, c := range []struct {
		prior CRP
		start []int32
	}{
		{CRP{Alpha: 1.5}, oneCluster(6)},
		{CRP{Alpha: 1.5}, partition.Singletons(6)},
		{CRP{Alpha: 1.5, MinK: 2}, []int32{0, 0, 0, 1, 1, 1}},
		{CRP{Alpha: 1.5, MinK: 3, MaxK: 3}, []int32{0, 1, 2, 2, 2, 2}},
		{CRP{Alpha: 1.5, MaxK: 2}, oneCluster(6)},
		{CRP{Alpha: 0.5, AlphaMax: 8, MinK: 2}, partition.Singletons(6)},
	} {
		settings := Gibbs{Model: g, Prior: c.prior, BurnIn: 100, Samples: kept}
		seen := &Distribution{LogProb: fromSamples(must.M1(settings.Sample(rand.New(rand.NewPCG(63, 64)), x, c.start)))}
		total := func(model Gaussian) (tv, noise float64) {
			exact, _ := enumerate(model, priorOf(c.prior, 6), x)
			for _, v := range exact.LogProb {
				p := math.Exp(v)
				noise += math.Sqrt(p*(1-p)/kept*2/math.Pi) / 2
			}
			return exact.TotalVariation(seen), noise
		}
		tv, noise := total(g)
		if tv > 2*noise {
			t.Errorf("%+v: total variation %v from the exact posterior, Monte-Carlo error %v", c.prior, tv, noise)
		}
		wrong := Gaussian{Dim: 2, Tau: 3, Sigma: 1}
		if tv, noise := total(wrong); tv < 3*noise {
			t.Errorf("%+v: total variation %v from the posterior for τ = 3: the test sees nothing", c.prior, tv)
		}
	}
}

// After many sweeps the running sums are those of the points, labels are canonical, and the samples those of the seed.
func TestGibbsBookkeeping(t *testing.T) {
	g := Gaussian{Dim: 2, Tau: 10, Sigma: 1}
	rng := rand.New(rand.NewPCG(65, 66))
	x := drawPoints(rng, g, data.CRP(rng, 60, 6))
	chain := must.M1(newChain(g, CRP{Alpha: 6}, x))
	must.M(chain.begin(partition.Singletons(60)))
	for range 200 {
		chain.sweep(rng)
	}
	sum, size := make([]float64, 2*len(chain.stats)), make([]int, len(chain.stats))
	for i, k := range chain.cluster {
		size[k]++
		sum[2*k] += x[2*i]
		sum[2*k+1] += x[2*i+1]
	}
	for k, n := range size {
		if n == 0 || n != chain.stats[k].n {
			t.Errorf("cluster %d has the size %d, want %d", k, chain.stats[k].n, n)
		}
	}
	for j, v := range sum {
		near(t, "sum of a cluster", chain.stats[j/2].sum[j%2], v, 1e-9)
	}
	settings := Gibbs{Model: g, Prior: CRP{Alpha: 6}, BurnIn: 3, Thin: 2, Samples: 4}
	run := func() [][]int32 {
		return must.M1(settings.Sample(rand.New(rand.NewPCG(1, 2)), x, oneCluster(60)))
	}
	first := run()
	if !reflect.DeepEqual(first, run()) {
		t.Error("two runs of one seed differ")
	}
	// Burn-in 3 and thinning 2 keep sweeps 5, 7, 9, 11.
	again := must.M1(newChain(g, CRP{Alpha: 6}, x))
	must.M(again.begin(oneCluster(60)))
	steps := rand.New(rand.NewPCG(1, 2))
	for sweep := 1; sweep <= 11; sweep++ {
		again.sweep(steps)
		if sweep >= 5 && sweep%2 == 1 && !slices.Equal(canonical(again.cluster), first[(sweep-5)/2]) {
			t.Errorf("sample %d is not sweep %d", (sweep-5)/2, sweep)
		}
	}
}

// gewekeScores runs Geweke's test on N = 5 points: the prior's K, sum of squared sizes, a pair sharing a cluster, and
// second moments of the points. The sampler may be told another prior or model than the one that draws labels and
// points.
func gewekeScores(t *testing.T, g Gaussian, sampler Gibbs) []float64 {
	const n, draws, alpha = 5, 20_000, 1.2
	rng := rand.New(rand.NewPCG(67, 68))
	functions := []func(c []int32, x []float64) float64{
		func(c []int32, _ []float64) float64 { return float64(metrics.Clusters(c)) },
		func(c []int32, _ []float64) float64 {
			s := 0.0
			for _, size := range sizesOf(c) {
				s += float64(size * size)
			}
			return s
		},
		func(c []int32, _ []float64) float64 { return 1 - math.Min(1, float64(c[n-1])) }, // c[0] is 0
		func(_ []int32, x []float64) float64 { return x[0] * x[0] },
		func(_ []int32, x []float64) float64 { return x[0] * x[g.Dim] },
	}
	independent, successive := make([][]float64, len(functions)), make([][]float64, len(functions))
	labels := data.CRP(rng, n, alpha)
	x := drawPoints(rng, g, labels)
	for range draws {
		fresh := data.CRP(rng, n, alpha)
		points := drawPoints(rng, g, fresh)
		chain := must.M1(newChain(sampler.Model, sampler.Prior, x))
		must.M(chain.begin(labels))
		chain.sweep(rng)
		labels = canonical(chain.cluster)
		x = drawPoints(rng, g, labels)
		for f, value := range functions {
			independent[f] = append(independent[f], value(fresh, points))
			successive[f] = append(successive[f], value(labels, x))
		}
	}
	scores := make([]float64, len(functions))
	for f := range functions {
		scores[f] = stattest.GewekeZ(independent[f], successive[f])
	}
	return scores
}

// Geweke's joint distribution test passes for the sampler, and finds a wrong α and a wrong τ.
func TestGibbsGeweke(t *testing.T) {
	right := Gibbs{Model: Gaussian{1, 2, 1}, Prior: CRP{Alpha: 1.2}}
	worst := func(g Gibbs) (z float64) {
		for _, v := range gewekeScores(t, Gaussian{1, 2, 1}, g) {
			z = max(z, math.Abs(v))
		}
		return z
	}
	if z := worst(right); z > 3.5 { // five scores: p < 0.003 for a right sampler
		t.Errorf("largest |z| = %v", z)
	}
	wrong := right
	wrong.Prior.Alpha = 1.5
	if z := worst(wrong); z < 5 {
		t.Errorf("α = 1.5 in place of 1.2: largest |z| = %v, not found", z)
	}
	wrong = right
	wrong.Model = Gaussian{1, 3, 1}
	if z := worst(wrong); z < 5 {
		t.Errorf("τ = 3 in place of 2: largest |z| = %v, not found", z)
	}
}

func TestGibbsErrors(t *testing.T) {
	g, crp, x := Gaussian{1, 1, 1}, CRP{Alpha: 1}, []float64{1, 2}
	good := Gibbs{Model: g, Prior: crp, Samples: 1}
	if samples, err := good.Sample(rand.New(rand.NewPCG(1, 2)), x, oneCluster(2)); err != nil || len(samples) != 1 {
		t.Errorf("one sample without burn-in: %v, %v", samples, err)
	}
	good.Prior.MinK = 2
	if _, err := good.Sample(rand.New(rand.NewPCG(1, 2)), x, oneCluster(2)); !usererr.Is(err) {
		t.Errorf("a start that the prior excludes: %v", err)
	}
}

// Only differences of log weights matter, also where their exponentials leave the range of float64.
func TestDrawLogIsFreeOfScale(t *testing.T) {
	draw := func(shift float64) (choices []int) {
		rng := rand.New(rand.NewPCG(5, 6))
		for range 200 {
			choices = append(choices, drawLog(rng, []float64{shift, shift + 1, shift - 1}))
		}
		return choices
	}
	want, count := draw(0), make([]int, 3)
	for _, c := range want {
		count[c]++
	}
	if count[1] <= count[0] || count[0] <= count[2] || count[2] == 0 {
		t.Errorf("weights 1, e and 1/e are drawn %v times", count)
	}
	for _, shift := range []float64{-3000, 3000} {
		if got := draw(shift); !reflect.DeepEqual(got, want) {
			t.Errorf("log weights shifted by %v are drawn otherwise", shift)
		}
	}
}

// Each label is the most probable one of the exact joint law of the points so far, given the labels before.
func TestSequential(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	model, prior := Gaussian{Dim: 2, Tau: 3, Sigma: 1}, CRP{Alpha: 1.5}
	truth := make([]int32, 60)
	for i := range truth {
		truth[i] = int32(rng.IntN(4))
	}
	x := drawPoints(rng, model, truth)
	labels := must.M1(Sequential(model, prior, x))
	k := int32(0)
	for n := range labels {
		law := must.M1(prior.Prior(n + 1))
		best, most := int32(-1), math.Inf(-1)
		for c := range k + 1 {
			tried := append(slices.Clone(labels[:n]), c)
			sizes := make([]int, max(k, c+1))
			for _, l := range tried {
				sizes[l]++
			}
			joint := law(sizes) + model.LogLikelihood(x[:2*(n+1)], tried)
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

// What cannot be known point by point is refused.
func TestSequentialRefuses(t *testing.T) {
	model, x := Gaussian{Dim: 1, Tau: 3, Sigma: 1}, []float64{1, 2}
	for _, prior := range []CRP{{Alpha: 1, AlphaMax: 2}, {Alpha: 1, MinK: 2}, {Alpha: 1, MaxK: 3}} {
		if _, err := Sequential(model, prior, x); err == nil {
			t.Errorf("%+v was taken", prior)
		}
	}
}
