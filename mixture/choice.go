package mixture

import (
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
)

// lawChains is the number of short chains that estimate the evidence of a law.
const lawChains = 3

// chooseLaw decides by evidence whether clusters of many columns share a shape, with its correlations, or have their
// own scales on the axes. Without the first law, clusters that are narrow along common oblique axes would merge.
func (e *encoder) chooseLaw(ctx context.Context, t Table, seed uint64) error {
	r := e.encode(e.evidenceRows(e.known(t)), true)
	if r.dim() <= fewColumns {
		return nil
	}
	weigh := func() float64 {
		return bestOf(lawChains, seed, func(chain int, rng random) float64 { return lawEvidence(ctx, r, 1+chain, rng) })
	}
	own := weigh()
	r.shared = true
	e.shared = weigh() > own+evidenceGain
	return ctx.Err()
}

// lawEvidence estimates the log evidence of rows under their law: the mean of log p(rows, labels | hyperparameters)
// over the draws of a short chain. For the D(D+1)/2 numbers of a shared shape Schwarz's penalty is too large if
// clusters are few. So it returns the larger of two estimates: with that penalty, and logCommon. The value has no
// meaning if ctx ended.
func lawEvidence(ctx context.Context, r *rows, start int, rng random) float64 {
	labels, _ := newStart(r, start, rng)
	c := newChain(r, labels, gaussian, rng)
	c.gaussian = true
	mean := c.shortMean(ctx, func() float64 { return c.logJoint })
	if c.law.scaled {
		return mean
	}
	dim := float64(r.dim())
	return max(mean-0.25*dim*(dim+1)*math.Log(float64(r.n)), c.logCommon())
}

// logCommon returns log p(rows, labels) of Gaussian rows if all clusters have one covariance Σ ~ IW(ν₀,
// (ν₀−D−1)·diag(v)), which is integrated out. v are the variances within clusters. κ and ν₀ are the best of their
// grids, with Schwarz's penalty for both. v has no penalty, as the D scales of the other law have none.
func (c *chain) logCommon() float64 {
	l, dim, n := c.law, c.rows.dim(), float64(c.rows.n)
	within, best := make([]float64, dim*dim), math.Inf(-1)
	for _, k := range c.clusters {
		c.gather.summarize(&k.summary, k.members, c.scales)
	}
	for _, kappa := range kappas {
		clear(within)
		log := 0.0
		for _, k := range c.clusters {
			log += 0.5*float64(dim)*math.Log(kappa/(kappa+k.weight)) + l.logCategories(&k.summary)
			l.around(&k.summary, kappa, 0)
			floats.Add(within, l.matrix)
		}
		for _, more := range surplus {
			prior := 0.0
			copy(l.matrix, within)
			for d := range dim {
				v := more * within[d*dim+d] / n
				l.matrix[d*dim+d] += v
				prior += math.Log(v)
			}
			best = max(best, log+logWishart(dim, float64(dim)+1+more, prior, n, cholesky(l.matrix, l.factor, dim)))
		}
	}
	c.partition.begin(c.alpha, c.clusters)
	return best - c.ofCells + c.partition.log(len(c.clusters)) - math.Log(n)
}

// bestOf returns the largest evidence of count short chains, as a chain may stay at a worse mode.
func bestOf(count int, seed uint64, evidence func(chain int, rng random) float64) float64 {
	chains := make([]float64, count)
	var beside sync.WaitGroup
	for i := range chains {
		beside.Go(func() { chains[i] = evidence(i, newRandom(seed, math.MaxUint64-uint64(i))) })
	}
	beside.Wait()
	return slices.Max(chains)
}
