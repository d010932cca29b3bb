package evaluation

import (
	"context"
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/posterior"
)

// Reference is a method that clusters mixtures of Gaussians without training. A model is compared with its scores.
type Reference string

const (
	Oracle Reference = "oracle" // knows the components and their weights (data.MoG.BatchWithOracle)
	Gibbs  Reference = "gibbs"  // knows the generating process: collapsed Gibbs sampling
	// Sequential knows the process. It labels a point given the points before it (posterior.Sequential), for any K.
	Sequential Reference = "sequential"
)

// Quality returns the scores of a reference on the sets of a test.
func (r Reference) Quality(ctx context.Context, t Test) (Quality, error) {
	source, err := data.NewMoG(t.Data)
	if err != nil {
		return Quality{}, err
	}
	label := map[Reference]func(t Test, set int, x []float64) ([]int32, error){
		Gibbs: gibbsLabels, Sequential: sequentialLabels,
	}[r]
	return Labels(ctx, source, t.Seed, t.Sets, func(step int, batch *data.Batch) (found [][]int32, err error) {
		if r == Oracle {
			_, labels, err := source.BatchWithOracle(t.Seed, step)
			return slices.Collect(slices.Chunk(labels, batch.N)), err
		}
		all, original, err := source.BatchUncentred(t.Seed, step) // batch may be a part of it
		if err != nil {
			return nil, err
		}
		for x := range slices.Chunk(data.Float64s(original), batch.N*batch.D) {
			labels, err := label(t, step*all.B+len(found), x)
			if err != nil {
				return nil, err
			}
			found = append(found, labels)
		}
		return found, nil
	})
}

func priorOf(c data.Config) posterior.CRP {
	return posterior.CRP{Alpha: c.AlphaMin, AlphaMax: c.AlphaMax, MinK: c.MinK, MaxK: c.MaxK}
}

func likelihoodOf(c data.Config) posterior.Gaussian {
	return posterior.Gaussian{Dim: c.Dim, Tau: c.SigmaMu, Sigma: c.SigmaX}
}

// gibbsOf returns a sampler of a config's posterior. The caller sets its numbers of sweeps and samples.
func gibbsOf(c data.Config) posterior.Gibbs {
	return posterior.Gibbs{Model: likelihoodOf(c), Prior: priorOf(c)}
}

// gibbsChains samples the posterior of a set of points [N,D] before centring: two chains, from two clusters and from
// singletons.
func gibbsChains(t Test, set int, original []float64) (samples [][]int32, err error) {
	n := len(original) / t.Data.Dim
	g := gibbsOf(t.Data)
	g.BurnIn, g.Thin, g.Samples = 200, 5, 200
	halves := slices.Concat(make([]int32, n/2), slices.Repeat([]int32{1}, n-n/2))
	for i, start := range [][]int32{halves, partition.Singletons(n)} {
		some, err := g.Sample(data.Rand(t.Seed, fmt.Sprintf("gibbs/%d", i), set), original, start)
		if err != nil {
			return nil, err
		}
		samples = append(samples, some...)
	}
	return samples, nil
}

// gibbsLabels returns the Gibbs sample with the least expected variation of information; x [N,D] is not centred.
func gibbsLabels(t Test, set int, x []float64) ([]int32, error) {
	g := gibbsOf(t.Data)
	g.BurnIn, g.Thin, g.Samples = 100, 2, 50
	samples, err := g.Sample(data.Rand(t.Seed, "gibbs", set), x, partition.Singletons(len(x)/t.Data.Dim))
	if err != nil {
		return nil, err
	}
	best, _ := posterior.LossVI.PointEstimate(samples, samples)
	return samples[best], nil
}

// sequentialLabels returns the labels of posterior.Sequential, without the bounds on K, which concern whole sets.
func sequentialLabels(t Test, _ int, x []float64) ([]int32, error) {
	prior := priorOf(t.Data)
	prior.MinK, prior.MaxK = 0, 0
	return posterior.Sequential(likelihoodOf(t.Data), prior, x)
}
