package clustering

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/posterior"
)

// MaxComponents is the most directions in which clusters of Exact differ: in more dimensions the chains need far longer
// than a person waits.
const MaxComponents = 10

// ExactVersion is the version of Exact's method. It is part of the key of what is kept of its answers (experiments), so
// raise it with every change of what Exact finds: its prior, its chains, its starts, its point estimate, its check.
const ExactVersion = 5

// pointsPerComponent is how many points Exact wants for each direction but two: a cluster of ten dimensions
// has 65 parameters, and with fewer points the posterior is one of many tiny clusters.
const pointsPerComponent = 20

// The range of α of Exact unless Options.Alpha gives another: 150 points have 2 to 12 clusters on average.
const (
	exactAlpha    = 0.3
	exactAlphaMax = 3
)

// Exact clusters the n points x [n,d], row by row, without a network, in any number of dimensions: by chains on the
// posterior of Gaussian clusters of any shape and size with a Chinese restaurant process whose α is log-uniform in
// 0.3..3, or as Options.Alpha says. In which directions the clusters differ, and what their covariances have in common,
// is unknown, too (posterior.Selection): the columns, standardized, and the first principal components are these
// directions, and at most MaxComponents count at a time, one for each 20 points but at least two. Result.Rotation are
// all principal components, up to 64.
//
// Of more than MaxRefined points a random subset of Options.Subset is sampled (ExactSubset is a good choice), the one
// of four that predicts the others best, and all others are assigned by its samples' predictive probability
// (Result.Subset).
//
// Options are those of Cluster. Refine is "auto", which ends when the chains agree or after some seconds of a core, or
// a number of sweeps; with Scale "none" the columns' standard deviations mean something, as those of a tabular.Encoding
// do, and they are centred alone. Faults of the points or the options are *usererr.Error. Time grows with N,
// K and D², memory with N·D.
func Exact[T Real](ctx context.Context, x []T, n, d int, o Options) (*Result, error) {
	if err := o.checkExact(len(x), n); err != nil {
		return nil, err
	}
	if o.Subset > 0 && n > max(MaxRefined, o.Subset) {
		return (&largeExact[T]{x, n, d, o}).cluster(ctx)
	}
	t, rotation, warnings, err := o.ellipsoids(widened(x), n, d)
	if err != nil {
		return nil, err
	}
	return o.exactly(ctx, t, rotation, warnings, t.guesses(data.Rand(o.Seed, "cluster/guesses", 0), n))
}

// Real are the types of coordinates.
type Real interface{ float32 | float64 }

// widened are coordinates as float64, a copy unless they are.
func widened[T Real](x []T) []float64 {
	if wide, are := any(x).([]float64); are {
		return wide
	}
	wide := make([]float64, len(x))
	for i, v := range x {
		wide[i] = float64(v)
	}
	return wide
}

// exactly is Exact of a target, from some starts on.
func (o Options) exactly(
	ctx context.Context, t target, rotation *tabular.Rotation, warnings []string, starts []posterior.Sample,
) (*Result, error) {
	draws, refinement, err := t.sample(ctx, o, starts)
	if err != nil {
		return nil, fmt.Errorf("cluster exactly: %w", err)
	}
	found, err := t.clusters(o, draws, refinement)
	if err != nil {
		return nil, fmt.Errorf("cluster exactly: %w", err)
	}
	o.Decode = o.resolve(true)
	samples := found.samples()
	best, err := o.pointEstimate(nil, &refined{Refinement: refinement, samples: samples})
	if err != nil {
		return nil, fmt.Errorf("cluster exactly: %w", err)
	}
	n := len(best.Labels)
	r := &Result{
		SchemaVersion: SchemaVersion, Decode: o.Decode, Seed: o.Seed, Labels: best.Labels, LogProb: best.LogProb,
		Center: []float32{}, ScaleFactor: 1, Rotation: rotation, Refinement: refinement,
		Exact: newExactFit(t, rotation, best.Labels, found),
	}
	if err := r.summarize(samples, o); err != nil {
		return nil, fmt.Errorf("cluster exactly: %w", err)
	}
	if refinement.Joined != nil {
		refinement.Joined.Clusters = r.K
	}
	r.KPosterior = found.law()
	if r.KPrior, err = t.prior.KLaw(n); err != nil {
		return nil, err
	}
	p := &prepared{n: n, noun: "point", warnings: warnings}
	p.warnRefined(refinement)
	p.warnGaussian(refinement)
	r.Warnings = p.warnings
	return r, nil
}

// clusters are those of the chains' samples: of Gaussians that describe the points, or of several pieces. What there is
// to say of them is added to the refinement.
func (t target) clusters(o Options, draws *posterior.Draws, r *Refinement) (found *pieces, err error) {
	rng := data.Rand(o.Seed, "cluster/fit", 0)
	if r.Gaussian, err = checkGaussian(rng, t.x, t.dimension(), draws.States); err != nil {
		return nil, err
	}
	found = &pieces{Draws: draws, labels: labelsOf(draws.Samples)}
	if !o.KeepPieces {
		if found, r.Joined, err = t.join(rng, draws, r.Gaussian); err != nil {
			return nil, err
		}
	}
	between, within, err := found.spread(r.Chains)
	r.VIBetween, r.VIWithin = &between, &within
	return found, err
}

// checkExact returns the faults of options for so many values of n points without a network.
func (o Options) checkExact(values, n int) error {
	if err := o.Validate(); err != nil {
		return err
	}
	sweeps, _ := parseRefine(o.Refine) // Validate saw its faults
	factor, _ := parseScale(o.Scale)
	switch {
	case o.ofNetwork():
		return usererr.New("use vi or binder", "Decode = %s is a network's, but there is none", o.Decode)
	case o.Samples == 0:
		return usererr.New("raise Samples", "exact sampling needs samples, but there are 0")
	case sweeps < 0:
		return usererr.New("use auto or a number of sweeps", "without Refine = %q there is nothing to sample", o.Refine)
	case factor != 0 && factor != 1:
		return usererr.New("use auto or none", "Scale = %s has no meaning here", o.Scale)
	case n < 2:
		return usererr.New("give at least 2 points", "there is nothing to cluster in %s", text.Count(n, "point"))
	case n > MaxRefined && o.Subset == 0:
		return usererr.New(fmt.Sprintf("cluster a random part of them: Subset = %d", ExactSubset),
			"%d points are too many for exact sampling: the limit is %d", n, MaxRefined)
	case n > o.Subset && n > MaxRefined && o.CoClustering:
		return usererr.New("leave CoClustering out",
			"there is no co-clustering matrix of %d points of which %d are sampled", n, o.Subset)
	case min(n, o.Subset) > MaxRefined:
		return usererr.New(fmt.Sprintf("use at most %d", MaxRefined), "Subset = %d", o.Subset)
	case values%n != 0:
		return usererr.New("give the points row by row, all with as many coordinates",
			"%d values are not those of %s", values, text.Count(n, "point"))
	}
	return nil
}

// ellipsoids is the posterior of clusters of any shape of points x [n,d] on their principal components.
func (o Options) ellipsoids(
	x []float64, n, d int,
) (t target, rotation *tabular.Rotation, warnings []string, err error) {
	most := min(MaxComponents, max(2, n/pointsPerComponent))
	find := tabular.Principal
	if factor, _ := parseScale(o.Scale); factor == 1 {
		find = tabular.PrincipalCentred
	}
	r, err := find(x, n, d, mostDirections)
	if err != nil {
		return t, nil, nil, usererr.New("mend or leave out such columns", "no principal components: %v", err)
	}
	dim := min(most, len(r.Components))
	t = target{
		selection: directions(&r, dim), prior: posterior.CRP{Alpha: exactAlpha, AlphaMax: exactAlphaMax},
		x: r.Apply(x), cost: ellipsoidCost(dim) / guessed, stream: "cluster/exact",
	}
	if lowest, highest, _ := parseAlpha(o.Alpha); lowest > 0 {
		t.prior.Alpha, t.prior.AlphaMax = lowest, highest
	}
	warnings = []string{}
	if dim == most && len(r.Components) > most {
		warnings = append(warnings, fmt.Sprintf("the clusters differ in at most %d directions: "+
			"the first %[1]d principal components, which hold %.3g %% of the variance, and the columns", dim,
			100*floats.Sum(r.Variance[:dim])/r.Total))
	}
	return t, &r, warnings, nil
}

// ellipsoidCost is what a predictive density of ellipsoids in D dimensions costs, that of a round cluster in the plane
// being 1: measured for D from 2 to 32.
func ellipsoidCost(dim int) float64 { return 15 + float64(dim*dim)/8 }

// guessed is how many times as many clusters the guesses have as the chains soon.
const guessed = 8

// guesses are partitions to start at: every point joins the nearest of 10, 20, 40 or 80 random ones. Clusters merge
// more easily than a long one splits where it should.
func (t target) guesses(rng *rand.Rand, n int) (all []posterior.Sample) {
	d := t.dimension()
	for k := 10; len(all) < refineChains; k *= 2 {
		centres, labels := rng.Perm(n)[:min(k, n)], make([]int32, n)
		for i := range labels {
			nearest := math.Inf(1)
			for c, at := range centres {
				far := floats.Distance(t.x[i*d:(i+1)*d], t.x[at*d:(at+1)*d], 2)
				if far < nearest {
					nearest, labels[i] = far, int32(c)
				}
			}
		}
		all = append(all, posterior.Sample{Labels: labels})
	}
	return all
}
