package mixture

import (
	"context"
	"math"
	"slices"
	"sync"
)

// lawChains is the number of short chains that weigh a law.
const lawChains = 3

// chooseLaw decides by evidence whether clusters of many columns share a shape, with its correlations, or have their
// own scales on the axes. Without the first law, clusters that are narrow along common oblique axes would be one.
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
// over the draws of a short chain, with Schwarz's penalty for the shared shape. The value has no meaning if ctx ended.
func lawEvidence(ctx context.Context, r *rows, start int, rng random) float64 {
	labels, _ := newStart(r, start, rng)
	c := newChain(r, labels, gaussian, rng)
	c.gaussian = true
	mean := c.shortMean(ctx, func() float64 { return c.logJoint })
	if c.law.scaled {
		return mean
	}
	dim := float64(r.dim())
	return mean - 0.25*dim*(dim+1)*math.Log(float64(r.n))
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
