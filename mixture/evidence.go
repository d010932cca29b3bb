package mixture

import (
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
)

const (
	evidenceSweeps = 120  // of a chain that estimates the evidence of a form
	evidenceChains = 2    // the best one counts
	evidenceCells  = 8000 // of its table, which has at least 300 and at most 1,000 rows
	evidenceGain   = 3.0  // of log evidence that another form must bring
	zerosGain      = 10.0 // the same for a change of the zeros of one column
	mostFlips      = 12   // most skewed columns that are tried one by one
	mostToFlip     = 20   // most columns of a table in which columns are tried one by one
)

// form is how a column is used as a number.
type form struct {
	log   bool // by its logarithm
	zeros bool // zero or not is a category, and the zeros are missing numbers
}

// chooseForms decides by evidence which skewed columns are replaced by their logarithms, and in which columns many
// zeros become a category.
func (e *encoder) chooseForms(ctx context.Context, t Table, seed uint64) error {
	t = e.known(t)
	var zeros []int
	skewed := false
	for i := range e.Numbers {
		skewed = skewed || e.Numbers[i].skewed
		if e.Numbers[i].manyZeros(t) {
			zeros = append(zeros, i)
		}
	}
	if len(zeros) < 2 || len(e.Numbers) > mostToFlip { // in one column alone the zeros are a cluster
		zeros = nil
	}
	if !skewed && len(zeros) == 0 || e.Projection != nil {
		return nil
	}
	part := e.evidenceRows(t)
	e.take(t, e.bestForms(t, zeros, func() float64 { return e.evidence(ctx, part, seed) }))
	return ctx.Err()
}

// bestForms searches the forms with the most evidence. It first tries all or none of the logarithms, and of the zeros
// as categories, and then one column after the other, if they are few. The encoder has the last forms that were tried.
func (e *encoder) bestForms(t Table, zeros []int, evidence func() float64) (now []form) {
	best := math.Inf(-1)
	try := func(forms []form, gain float64) {
		e.take(t, forms)
		if found := evidence(); found > best+gain {
			now, best = forms, found
		}
	}
	none, parted := make([]form, len(e.Numbers)), make([]form, len(e.Numbers))
	for _, i := range zeros {
		parted[i].zeros = true
	}
	for _, forms := range slices.CompactFunc([][]form{none, parted}, slices.Equal) {
		try(forms, evidenceGain)
		logs := slices.Clone(forms)
		for i, n := range e.Numbers {
			logs[i].log = n.skewed
		}
		if !slices.Equal(logs, forms) {
			try(logs, evidenceGain)
		}
	}
	if len(e.Numbers) > mostToFlip {
		return now
	}
	for _, i := range zeros {
		forms := slices.Clone(now)
		forms[i].zeros = !forms[i].zeros
		try(forms, zerosGain)
	}
	e.take(t, now)
	var skewed []int
	for i, n := range e.Numbers {
		if n.skewed {
			skewed = append(skewed, i)
		}
	}
	if len(skewed) < 2 || len(skewed) > mostFlips {
		return now
	}
	for _, i := range skewed {
		forms, gain := slices.Clone(now), evidenceGain
		if forms[i].log = !forms[i].log; !forms[i].log { // the simpler form may have a little less evidence
			gain = -evidenceGain
		}
		try(forms, gain)
	}
	return now
}

// take uses the columns in these forms.
func (e *encoder) take(t Table, forms []form) {
	for i, f := range forms {
		n := &e.Numbers[i]
		if n.Zeros != f.zeros {
			n.Zeros = f.zeros
			e.Indicators = slices.DeleteFunc(e.Indicators, func(v []indicator) bool {
				return len(v) == 1 && v[0].Rest && v[0].Column == n.Column
			})
			if n.Zeros {
				e.Indicators = append(e.Indicators, []indicator{{Column: n.Column, On: 0, Rest: true}})
			}
			n.fit(t)
		}
		if log := f.log && n.skewed; n.Log != log {
			n.Log = log
			n.fitScale(t)
		}
		switch {
		case n.Zeros:
			e.uses[n.Column] = ManyZeros
		case n.Log:
			e.uses[n.Column] = Logarithm
		default:
			e.uses[n.Column] = Number
		}
	}
	e.fitRemainders(t)
}

// evidenceRows returns the rows from which the evidence is estimated.
func (e *encoder) evidenceRows(t Table) Table {
	return t.runs(min(1000, max(300, evidenceCells/max(len(e.Numbers), 1))), 1)
}

// evidence estimates the log evidence of a table in its own units: the mean log density over the draws of a short
// chain, with Schwarz's penalty (see penalized), plus the log Jacobian. It takes the best of a few chains, because a
// chain may get stuck at a worse mode. The value has no meaning if ctx ended.
func (e *encoder) evidence(ctx context.Context, t Table, seed uint64) float64 {
	r := e.encode(t, true)
	log := bestOf(evidenceChains, seed, func(_ int, rng random) float64 {
		c := newChain(r, make([]int32, r.n), gaussian, rng)
		return c.shortMean(ctx, c.penalized)
	})
	low := make([][]float64, len(e.Numbers))
	for _, cells := range r.rounded {
		low[cells.column] = cells.low
	}
	for i := range e.Numbers {
		log += e.Numbers[i].logJacobian(t, low[i])
	}
	for _, m := range e.Remainders {
		log -= float64(t.Rows) * math.Log(m.Scale)
	}
	return log
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
	return c.logDensity + 0.5*c.parameters*(1-math.Log(float64(c.rows.n)))
}

// countParameters returns the number of free parameters of the current clusters.
func (c *chain) countParameters() float64 {
	dim := float64(c.rows.dim())
	total := -1.0
	for _, k := range c.clusters {
		shape := dim * (dim + 1) / 2 * k.n / (k.n + c.law.df) // by the weight of its rows relative to the prior
		total += 1 + dim + float64(c.rows.levels()-c.rows.variables()) + shape
	}
	return total
}

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
