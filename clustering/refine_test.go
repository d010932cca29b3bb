package clustering

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

// exactK is P(K) of a set of n ≤ 9 points: the mean of the exact laws over grids of the factor, weighed by their
// evidence, in float64 and without chains. With one factor it is the law of the known scale.
func exactK(t *testing.T, x []float32, known data.Config, factors []float64) []posterior.KProb {
	t.Helper()
	n := len(x) / known.Dim
	prior := must.M1(priorOf(known).Prior(n))
	g := posterior.Gaussian{Dim: known.Dim, Tau: known.SigmaMu, Sigma: known.SigmaX}
	law, total := make([]posterior.KProb, n), 0.0
	for _, f := range factors {
		wide := make([]float64, len(x))
		for i, v := range x {
			wide[i] = float64(v) * f
		}
		// The density of f² = λ under Gamma(2, b), times dλ = 2f² dlog f; e^ψ(2) = e^(1−γ).
		const rate = 1.5262
		weight := math.Exp(math.Log(f)*float64(4+(n-1)*known.Dim) - rate*f*f)
		for _, labels := range must.M1(posterior.Partitions(n)) {
			k := metrics.Clusters(labels)
			sizes := make([]int, k)
			for _, c := range labels {
				sizes[c]++
			}
			p := weight * math.Exp(prior(sizes)+must.M1(g.LogLikelihoodCentred(wide, labels)))
			law[k-1].K, law[k-1].P, total = k, law[k-1].P+p, total+p
		}
	}
	for i := range law {
		law[i].P /= total
	}
	return law
}

// Refined P(K) of seven points is the exact law, for a scale that is given and for one that is not; the untrained
// network's is not.
func TestRefinedLawIsExact(t *testing.T) {
	c := known()
	c.NMin, c.SigmaMu = 7, 4
	x := []float32{0, 0, 1, 0.5, -0.6, 1.2, 4, 4.2, 5.1, 3, -3, 2.5, 2.1, -2.2}
	var grid []float64
	for logF := -3.0; logF < 3; logF += 0.05 {
		grid = append(grid, math.Exp(logF))
	}
	for scale, factors := range map[string][]float64{"none": {1}, "auto": grid} {
		o := DefaultOptions()
		o.Scale, o.Refine = scale, "20000"
		r, err := Cluster(t.Context(), tinyNet(), c, x, 7, 2, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Decode != DecodeVI || r.Refinement == nil || (r.Refinement.ScaleFactor == nil) != (scale == "none") {
			t.Fatalf("scale %s: %s of %+v", scale, r.Decode, r.Refinement)
		}
		centred := must.M1(prepare(t.Context(), tinyNet(), c, x, 7, 2, scale))
		exact := exactK(t, centred.x, c, factors)
		if tv := posterior.KTotalVariation(r.KPosterior, exact); tv > 0.015 {
			t.Errorf("scale %s: P(K) %v, want %v", scale, r.KPosterior, exact)
		}
		if tv := posterior.KTotalVariation(r.Refinement.Network.KPosterior, exact); tv < 0.1 {
			t.Errorf("scale %s: the network alone has P(K) within %v: the test sees nothing", scale, tv)
		}
	}
}

// The network's own numbers are those of as few samples without refinement; the refined result obeys the laws of a
// result and is that of its seed.
func TestRefinementKeepsTheNetwork(t *testing.T) {
	x, truth := trainingSet(t, 40)
	o := DefaultOptions()
	refined := must.M1(Cluster(t.Context(), tinyNet(), known(), x, 40, 2, o))
	again := must.M1(Cluster(t.Context(), tinyNet(), known(), x, 40, 2, o))
	o.Refine, o.Samples = "none", startDraws
	plain := must.M1(Cluster(t.Context(), tinyNet(), known(), x, 40, 2, o))
	n := refined.Refinement.Network
	if plain.Refinement != nil || plain.Decode != DecodeGreedy || !slices.Equal(n.Labels, plain.Labels) ||
		!slices.Equal(n.KPosterior, plain.KPosterior) || n.K != plain.K {
		t.Errorf("network %+v, without refinement %+v", n.KPosterior, plain.KPosterior)
	}
	near(t, "log p of the network's labels", n.LogProb, plain.LogProb, 1e-4)
	if !slices.Equal(refined.Labels, again.Labels) || !slices.Equal(refined.KPosterior, again.KPosterior) {
		t.Error("two runs with one seed differ")
	}
	r := refined.Refinement
	if max(*r.RHatK, *r.RHatLogPosterior) >= posterior.Agreed || min(r.ESSK, r.ESSLogPosterior) < wantedSize {
		t.Errorf("chains of 40 points do not agree: %+v", r)
	}
	if f := r.ScaleFactor; f.Low > 1 || f.High < 1 || f.Low >= f.Mean || f.Mean >= f.High {
		t.Errorf("the scale factor of a training set is %+v", f)
	}
	was, now := must.M1(metrics.ARI(truth, plain.Labels)), must.M1(metrics.ARI(truth, refined.Labels))
	if now < was+0.1 || now < 0.8 || refined.Ball == nil || r.Fit.Any() < misfitBelow {
		t.Errorf("ARI %v of an untrained network becomes %v, fit %+v", was, now, r.Fit)
	}
}

// What is asked for and impossible is a fault that names the option; what auto cannot refine it leaves alone.
func TestRefineOptions(t *testing.T) {
	x, _ := trainingSet(t, 20)
	for name, change := range map[string]func(*Options){
		"few":     func(o *Options) { o.Refine = "9" },
		"word":    func(o *Options) { o.Refine = "yes" },
		"samples": func(o *Options) { o.Refine, o.Samples = "50", 0 },
		"greedy":  func(o *Options) { o.Refine, o.Decode = "50", DecodeGreedy },
	} {
		o := DefaultOptions()
		change(&o)
		if _, err := Cluster(t.Context(), tinyNet(), known(), x, 20, 2, o); !usererr.Is(err) {
			t.Errorf("%s: %v, want a fault of the user", name, err)
		}
	}
	instance := known()
	instance.Mode = data.ModeInstance
	o := DefaultOptions()
	o.Refine = "50"
	if _, err := Cluster(t.Context(), tinyNet(), instance, x, 20, 2, o); !usererr.Is(err) {
		t.Errorf("a model without a posterior: %v", err)
	}
	o.Refine = "auto"
	if r, err := Cluster(t.Context(), tinyNet(), instance, x, 20, 2, o); err != nil ||
		r.Refinement != nil || r.Decode != DecodeGreedy {
		t.Errorf("auto refines a model without a posterior (%v)", err)
	}
	for name, want := range map[string]bool{
		DecodeAuto: true, DecodeBinder: true, DecodeGreedy: false, DecodeBeam: false,
	} {
		o.Decode = name
		if got := must.M1(o.refines(known(), MaxRefined)); got != want {
			t.Errorf("decode %s: refined %v", name, got)
		}
	}
	o.Decode, o.Samples = DecodeAuto, 0
	if must.M1(o.refines(known(), 20)) {
		t.Error("auto refines without samples")
	}
	o.Samples = 10
	p := &prepared{n: MaxRefined + 1}
	if o.warnUnrefined(p, known()); must.M1(o.refines(known(), p.n)) || !hasWarning(p.warnings, "5001 points", "5000") {
		t.Errorf("too many points: %q", p.warnings)
	}
}

// Starts span the numbers of clusters of the samples, and what the prior excludes is replaced.
func TestRefineStarts(t *testing.T) {
	var samples []posterior.Sample
	for _, k := range []int32{3, 1, 5, 2, 4, 1, 2} {
		labels := make([]int32, 6)
		for i := range labels {
			labels[i] = int32(i) % k
		}
		samples = append(samples, posterior.Sample{Labels: labels})
	}
	for prior, want := range map[posterior.CRP][]int{
		{Alpha: 1, MinK: 2}:          {2, 2, 3, 5},
		{Alpha: 1, MinK: 3, MaxK: 3}: {3, 3, 3, 3},
	} {
		starts, mean := refineStarts(samples, prior)
		var got []int
		for _, s := range starts {
			got = append(got, metrics.Clusters(s))
		}
		if !slices.Equal(got, want) || mean != float64(want[0]+want[1]+want[2]+want[3])/4 {
			t.Errorf("%+v: starts with %v clusters, mean %v, want %v", prior, got, mean, want)
		}
	}
	starts, _ := refineStarts(samples[:1], posterior.CRP{Alpha: 1})
	if len(starts) != refineChains {
		t.Errorf("%d starts from one sample", len(starts))
	}
	fixed := known()
	fixed.FixedK = 4
	if p := priorOf(fixed); p.MinK != 4 || p.MaxK != 4 || p.Validate() != nil {
		t.Errorf("prior of sets with four clusters: %+v", p)
	}
}

// Long clusters are no round ones, a scale that is far off is told, and chains that are stopped early do not agree.
func TestRefinementWarns(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	var long []float32
	for i := range 60 {
		long = append(long, float32(12*rng.NormFloat64()), float32(0.4*rng.NormFloat64())+20*float32(i%2))
	}
	r := must.M1(Cluster(t.Context(), tinyNet(), known(), long, 60, 2, DefaultOptions()))
	if !hasWarning(r.Warnings, "round clusters of one width do not describe") {
		t.Errorf("long clusters, fit %+v: %q", r.Refinement.Fit, r.Warnings)
	}
	p := &prepared{factor: 2}
	p.warnRefined(&Refinement{Chains: 4, ScaleFactor: &Interval{Mean: 3.5}})
	if !hasWarning(p.warnings, "do not agree") || !hasWarning(p.warnings, "3.5", "suppose 2") {
		t.Errorf("%q", p.warnings)
	}
	one := 1.0
	p = &prepared{factor: 2}
	fit := posterior.Misfit{Widths: 1, Roundness: 1, Tails: 1, Alignment: 1}
	if p.warnRefined(
		&Refinement{RHatK: &one, RHatLogPosterior: &one, ScaleFactor: &Interval{Mean: 2.4}, Fit: &fit},
	); len(p.warnings) > 0 {
		t.Errorf("nothing is wrong: %q", p.warnings)
	}
}

// The context ends a refinement.
func TestRefineStops(t *testing.T) {
	x, _ := trainingSet(t, 40)
	ctx, cancel := context.WithCancel(t.Context())
	o := DefaultOptions()
	o.Refine = "100000000"
	o.Progress = func(done, total int) {
		if done == total {
			cancel()
		}
	}
	if _, err := Cluster(ctx, tinyNet(), known(), x, 40, 2, o); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that of the context", err)
	}
}
