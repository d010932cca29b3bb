package clustering

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

// target is a posterior that chains sample: that of the partition of some points under a law that is known, or known up
// to a selection.
type target struct {
	likelihood posterior.Likelihood
	prior      posterior.CRP
	selection  *posterior.Selection // if not nil, in place of likelihood and frame
	frame      posterior.Frame
	x          []float64 // [N,D], the points as the law has them
	cost       float64   // of a predictive density, that of round clusters in the plane being 1
	stream     string    // names the random choices
}

// sample runs chains from some of the samples, those with the fewest and the most clusters among them.
func (t target) sample(
	ctx context.Context, o Options, samples []posterior.Sample,
) (*posterior.Draws, *Refinement, error) {
	starts, k := refineStarts(samples, t.prior)
	rngs := make([]*rand.Rand, len(starts))
	for i := range rngs {
		rngs[i] = data.Rand(o.Seed, t.stream, i)
	}
	ensemble, err := t.ensemble(starts, rngs)
	if err != nil {
		return nil, nil, err
	}
	return o.sweep(ctx, ensemble, t.affordable(len(starts[0]), k))
}

// affordable is the number of sweeps of each chain that sweepWork allows, of n points in about k clusters.
func (t target) affordable(n int, k float64) int {
	return int(sweepWork / (float64(n) * k * refineChains * t.cost))
}

// sweep runs the chains: half of a fixed number of sweeps as burn-in, or in rounds, each twice as long as the one
// before and the last alone counting, until the chains agree or limit sweeps of each are done.
func (o Options) sweep(ctx context.Context, e *posterior.Ensemble, limit int) (*posterior.Draws, *Refinement, error) {
	total, err := parseRefine(o.Refine)
	if err != nil {
		return nil, nil, err
	}
	r := &Refinement{Chains: refineChains, BurnIn: total / 2, Sweeps: total - total/2}
	if total == 0 {
		r.BurnIn = max(fewestSweeps/2, min(firstSweeps, limit/2))
		r.Sweeps = r.BurnIn
	}
	if _, err := e.Run(ctx, r.BurnIn, 0); err != nil {
		return nil, nil, err
	}
	for {
		draws, err := e.Run(ctx, r.Sweeps, o.Samples)
		if err != nil {
			return nil, nil, err
		}
		c, err := draws.Convergence()
		if err != nil {
			return nil, nil, err
		}
		if total > 0 || c.Converged(wantedSize) || r.BurnIn+3*r.Sweeps > limit {
			r.RHatK, r.RHatLogPosterior = finiteOrNil(c.RHatK), finiteOrNil(c.RHatLogPosterior)
			r.ESSK, r.ESSLogPosterior = c.ESSK, c.ESSLogPosterior
			return draws, r, nil
		}
		r.BurnIn += r.Sweeps
		r.Sweeps *= 2
	}
}

func finiteOrNil(v float64) *float64 {
	if !isFinite(v) {
		return nil
	}
	return &v
}

// refineStarts chooses, for each chain, one of the network's samples: from the fewest clusters to the most, since
// chains that start far apart and end together have forgotten their starts. What the prior excludes becomes a start
// with as many clusters as it allows. It returns the mean number of clusters, too.
func refineStarts(samples []posterior.Sample, prior posterior.CRP) (starts [][]int32, meanK float64) {
	sorted := slices.Clone(samples)
	slices.SortStableFunc(sorted, func(a, b posterior.Sample) int {
		return cmp.Compare(metrics.Clusters(a.Labels), metrics.Clusters(b.Labels))
	})
	for i := range refineChains {
		start := sorted[i*(len(sorted)-1)/(refineChains-1)].Labels
		k := metrics.Clusters(start)
		allowed := max(k, prior.MinK)
		if prior.MaxK > 0 {
			allowed = min(allowed, prior.MaxK)
		}
		if allowed != k {
			start = slices.Clone(start)
			for i := range start {
				start[i] = int32(i % allowed)
			}
		}
		starts = append(starts, start)
		meanK += float64(allowed) / refineChains
	}
	return starts, meanK
}

func (t target) ensemble(starts [][]int32, rngs []*rand.Rand) (*posterior.Ensemble, error) {
	if t.selection != nil {
		return posterior.NewSelectingEnsemble(t.selection, t.prior, t.x, starts, rngs)
	}
	return posterior.NewEnsemble(t.likelihood, t.prior, t.frame, t.x, starts, rngs)
}

// dimension is that of the points.
func (t target) dimension() int {
	if t.selection != nil {
		return t.selection.Dimension()
	}
	return t.likelihood.Dimension()
}
