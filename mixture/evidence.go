package mixture

import (
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/mixture/em"
	"github.com/gfncp/gfncp/mixture/tables"
)

const (
	evidenceSweeps = 120 // of a chain that estimates the evidence of a form
	evidenceChains = 2   // the best one counts
	lawChains      = 3   // the same of a law
)

// formEvidence estimates the log evidence of rows: the mean log density over the draws of a short chain, with Schwarz's
// penalty (see penalized). It takes the best of a few chains, because a chain may get stuck at a worse mode. The value
// has no meaning if ctx ended.
func formEvidence(ctx context.Context, r *em.Rows, seed uint64) float64 {
	return bestOf(evidenceChains, seed, func(_ int, rng em.Random) float64 {
		c := newChain(r, &knowledge{}, make([]int32, r.N), gaussian, rng)
		return c.shortMean(ctx, c.penalized)
	})
}

// shortMean returns the mean of a value over the later draws of a short chain. It has no meaning if ctx ended.
func (c *chain) shortMean(ctx context.Context, value func() float64) float64 {
	sum, count := 0.0, 0.0
	c.shortRun(ctx, func() {
		sum += value()
		count++
	})
	return sum / count
}

// shortRun runs a short chain and calls visit at its later draws, until ctx ends.
func (c *chain) shortRun(ctx context.Context, visit func()) {
	for sweep := 0; sweep < evidenceSweeps && ctx.Err() == nil; sweep++ {
		c.sweep(sweep < evidenceSweeps/2)
		if sweep >= evidenceSweeps*5/8 {
			visit()
		}
	}
}

// penalized returns the log density with Schwarz's penalty. It first adds half the number of parameters, by which the
// log density at the best parameters exceeds that of a draw on average.
func (c *chain) penalized() float64 {
	return c.logDensity + 0.5*c.parameters*(1-math.Log(float64(c.rows.N)))
}

// countParameters returns the number of free parameters of the current clusters.
func (c *chain) countParameters() float64 {
	dim := float64(c.rows.Dim())
	total := -1.0
	for _, k := range c.clusters {
		shape := dim * (dim + 1) / 2 * k.N / (k.N + c.law.df) // by the weight of its rows relative to the prior
		total += 1 + dim + float64(c.rows.Levels()-c.rows.Variables()) + shape
	}
	return total
}

// chooseLaw decides by evidence whether clusters of many columns share a shape, with its correlations, or have their
// own scales on the axes. Without the first law, clusters that are narrow along common oblique axes would merge. The
// result has no meaning if ctx ended.
func chooseLaw(ctx context.Context, r *em.Rows, seed uint64) (shared bool) {
	if r.Dim() <= em.FewColumns {
		return false
	}
	weigh := func() float64 {
		return bestOf(lawChains, seed, func(chain int, rng em.Random) float64 {
			return lawEvidence(ctx, r, 1+chain, rng)
		})
	}
	own := weigh()
	r.Shared = true
	return weigh() > own+tables.EvidenceGain
}

// lawEvidence estimates the log evidence of rows under their law: the mean of log p(rows, labels | hyperparameters)
// over the draws of a short chain. For the D(D+1)/2 numbers of a shared shape Schwarz's penalty is too large if
// clusters are few. So it returns the larger of two estimates: with that penalty, and logCommon. The value has no
// meaning if ctx ended.
func lawEvidence(ctx context.Context, r *em.Rows, start int, rng em.Random) float64 {
	free := &knowledge{}
	labels, _ := newStart(r, free, start, rng)
	c := newChain(r, free, labels, gaussian, rng)
	c.gaussian = true
	mean := c.shortMean(ctx, func() float64 { return c.logJoint })
	if c.law.scaled {
		return mean
	}
	dim := float64(r.Dim())
	return max(mean-0.25*dim*(dim+1)*math.Log(float64(r.N)), c.logCommon())
}

// logCommon returns log p(rows, labels) of Gaussian rows if all clusters have one covariance Σ ~ IW(ν₀,
// (ν₀−D−1)·diag(a)), which is integrated out. a has its prior of scales.go, and is integrated out by Laplace's method,
// so that for one cluster the laws have about the same evidence. κ and ν₀ are the best of their grids, with Schwarz's
// penalty for both. It overwrites ν₀ of the law.
func (c *chain) logCommon() float64 {
	l, dim, n := c.law, c.rows.Dim(), float64(c.rows.N)
	pooled, best := &newCluster(c.rows).Summary, math.Inf(-1)
	pooled.N = n
	for _, k := range c.clusters {
		c.gather.Summarize(&k.Summary, k.members, c.scales)
	}
	for _, kappa := range kappas {
		clear(pooled.Scatter)
		log := -0.5 * float64(dim) * math.Log(ownWider) // q is that much wider than Laplace's normal distribution
		for _, k := range c.clusters {
			log += 0.5*float64(dim)*math.Log(kappa/(kappa+k.Weight)) + l.logCategories(&k.Summary)
			l.around(&k.Summary, kappa, 0)
			floats.Add(pooled.Scatter, l.matrix)
		}
		for _, more := range surplus {
			l.df = float64(dim) + 1 + more
			l.approximate(pooled)
			copy(pooled.Scales, l.approximation.mean)
			copy(l.matrix, pooled.Scatter)
			for d, scale := range pooled.Scales {
				l.matrix[d*dim+d] += more * math.Exp(scale)
			}
			half := 0.5 * (l.df + n)
			shape := em.LogGammaD(half, dim) - half*em.Cholesky(l.matrix, l.factor, dim)
			best = max(best, log+l.logScales(pooled)+shape)
		}
	}
	c.partition.begin(c.alpha, c.clusters)
	return best - c.ofCells + c.partition.log(len(c.clusters)) - math.Log(n)
}

// bestOf returns the largest evidence of count short chains, as a chain may stay at a worse mode.
func bestOf(count int, seed uint64, evidence func(chain int, rng em.Random) float64) float64 {
	chains := make([]float64, count)
	var beside sync.WaitGroup
	for i := range chains {
		beside.Go(func() { chains[i] = evidence(i, em.NewRandom(seed, math.MaxUint64-uint64(i))) })
	}
	beside.Wait()
	return slices.Max(chains)
}
