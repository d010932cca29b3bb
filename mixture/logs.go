package mixture

import (
	"context"
	"math"
	"slices"
	"sync"
)

const (
	evidenceSweeps = 120  // of a chain that weighs whether to take logarithms
	evidenceChains = 2    // of which the best counts
	evidenceCells  = 8000 // that it looks at, at least 300 rows and at most 1,000
	evidenceGain   = 3.0  // of log evidence that logarithms must bring
	mostFlips      = 12   // skewed columns, beyond which none is tried alone
	mostToFlip     = 20   // columns, likewise
)

// chooseLogs decides by evidence which of the skewed columns are replaced by their logarithms: all or none, and then
// one by one.
func (e *encoder) chooseLogs(ctx context.Context, t Table, seed uint64) error {
	t = e.known(t)
	var skewed []int
	for i, n := range e.Numbers {
		if n.skewed {
			skewed = append(skewed, i)
		}
	}
	if len(skewed) == 0 || e.Projection != nil {
		return nil
	}
	part := t.runs(e.evidenceRows(), 1)
	best := e.evidence(ctx, part, seed)
	try := func(columns ...int) {
		least := evidenceGain
		if e.Numbers[columns[0]].Log { // which are to be taken back
			least = -evidenceGain
		}
		e.flip(t, columns)
		if gain := e.evidence(ctx, part, seed) - best; gain <= least {
			e.flip(t, columns)
		} else {
			best += gain
		}
	}
	try(skewed...)
	if len(skewed) > 1 && len(skewed) <= mostFlips && len(e.Numbers) <= mostToFlip {
		for _, i := range skewed {
			try(i)
		}
	}
	return ctx.Err()
}

// evidenceRows is how many rows are looked at for evidence.
func (e *encoder) evidenceRows() int {
	return min(1000, max(300, evidenceCells/max(len(e.Numbers), 1)))
}

// flip takes logarithms of columns, or takes them back.
func (e *encoder) flip(t Table, columns []int) {
	for _, i := range columns {
		n := &e.Numbers[i]
		n.Log = !n.Log
		n.fitScale(t)
		e.uses[n.Column] = Number
		if n.Zeros {
			e.uses[n.Column] = ManyZeros
		} else if n.Log {
			e.uses[n.Column] = Logarithm
		}
	}
}

// evidence estimates the log evidence of a table in its own units: the largest of some short chains, which may stay at
// a worse mode, plus the Jacobian. When ctx ends the value has no meaning.
func (e *encoder) evidence(ctx context.Context, t Table, seed uint64) float64 {
	var chains [evidenceChains]float64
	var beside sync.WaitGroup
	for i := range chains {
		beside.Go(func() { chains[i] = shortChain(ctx, e.encode(t, true), newRandom(seed, math.MaxUint64-uint64(i))) })
	}
	beside.Wait()
	jacobian := 0.0
	for i := range e.Numbers {
		n := &e.Numbers[i]
		for _, x := range n.values(t, false) {
			if !math.IsNaN(x) {
				jacobian += n.logSlope(x)
			}
		}
	}
	return slices.Max(chains[:]) + jacobian
}

// shortChain returns the mean log density of the draws of a short chain with Schwarz's penalty: the mean density lies
// half a parameter's count below the largest one. When ctx ends the value has no meaning.
func shortChain(ctx context.Context, r *rows, rng random) float64 {
	c := newChain(r, make([]int32, r.n), gaussian, rng)
	sum, count := 0.0, 0.0
	for sweep := 0; sweep < evidenceSweeps && ctx.Err() == nil; sweep++ {
		c.sweep(sweep < evidenceSweeps/2)
		if sweep >= evidenceSweeps*5/8 {
			sum += c.logDensity + 0.5*c.parameters*(1-math.Log(float64(r.n)))
			count++
		}
	}
	return sum / count
}

// countParameters counts the free parameters of the clusters at hand.
func (c *chain) countParameters() float64 {
	dim := float64(c.rows.dim())
	total := -1.0
	for _, k := range c.clusters {
		total += 1 + dim + float64(c.rows.levels()-c.rows.variables())
		shape := dim * (dim + 1) / 2
		if c.rows.dim() > fewColumns { // by how far its rows outweigh the prior
			shape *= k.n / (k.n + c.law.df)
		}
		total += shape
	}
	return total
}
