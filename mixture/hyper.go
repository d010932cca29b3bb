package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// hyper are the hyperparameters of the clusters' law.
//
//	centre ~ N(0, 4·I)           shared ~ Wishart(D+2, scale·I/(D+2))
//	scale  ~ IG(.5, .05)         df, with an even prior on its grid
//	ownScale and ownSpread: see scales.go
type hyper struct {
	centre    []float64 // [D], m₀
	scale     float64   // s
	shared    []float64 // [D·D], Ψ
	df        float64   // ν₀
	ownScale  []float64 // [D], l_d
	ownSpread float64   // τ
}

const (
	centreVariance = 4.0
	scaleShape     = 0.5
	scaleRate      = 0.05
)

// surplus is the grid of ν₀ beyond D + 1.
var surplus = [...]float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}

// newHyper returns the hyperparameters that chains start from.
func newHyper(dim int) hyper {
	const start, few, many = 0.1, 2, 20 // few and many: surplus
	h := hyper{centre: make([]float64, dim), scale: start, shared: make([]float64, dim*dim), ownSpread: 0.7}
	for d := range dim {
		h.shared[d*dim+d] = start
	}
	h.df = float64(dim) + 1 + few
	if dim > fewColumns {
		h.df = float64(dim) + 1 + many
	}
	h.ownScale = slices.Repeat([]float64{ownScaleMean}, dim)
	return h
}

// drawKappa draws κ of a cluster, its parameters integrated out.
func (c *chain) drawKappa(s *summary) float64 {
	c.law.fill(s)
	return kappas[c.rng.pick(c.law.table[:])]
}

// drawDegrees draws ν₀ given each κ, the clusters' parameters integrated out.
func (c *chain) drawDegrees() {
	var logs [len(surplus)]float64
	l, dim := c.law, c.rows.dim()
	for _, k := range c.clusters {
		clear(l.matrix)
		l.addPrior(&k.summary)
		before := l.surplus()
		sharedDet := cholesky(l.matrix, l.factor, dim) - float64(dim)*math.Log(before)
		for i, more := range surplus {
			df := float64(dim) + 1 + more
			l.around(&k.summary, k.kappa, more/before)
			logs[i] += 0.5*df*(sharedDet+float64(dim)*math.Log(more)) - logGammaD(0.5*df, dim) +
				logGammaD(0.5*(df+k.n), dim) - 0.5*(df+k.n)*cholesky(l.matrix, l.factor, dim)
		}
	}
	l.df = float64(dim) + 1 + surplus[c.rng.pick(logs[:])]
	if l.scaled {
		c.drawOwnScales()
	}
	l.refresh()
}

// drawHyper draws Ψ, s and the centre given the parameters of the clusters that have rows; all are conjugate.
func (c *chain) drawHyper() {
	if !c.law.scaled {
		c.drawShared()
	}
	c.drawCentre()
	c.law.refresh()
}

// drawShared draws Ψ and s.
func (c *chain) drawShared() {
	l, dim := c.law, c.rows.dim()
	df := float64(dim + 2)
	clear(c.precisions)
	for k := range c.clusters {
		addProduct(c.precisions, l.surplus(), general(c.components[k].factor, dim))
	}
	for d := range dim {
		c.precisions[d*dim+d] += df / l.scale
	}
	choleskyUpper(c.precisions, l.matrix, dim)
	c.rng.bartlett(df+float64(len(c.clusters))*l.df, l.factor, dim)
	divideUpper(l.matrix, l.factor, dim)
	clear(l.shared)
	addProduct(l.shared, 1, general(l.factor, dim))
	trace := 0.0
	for d := range dim {
		trace += l.shared[d*dim+d]
	}
	l.scale = (scaleRate + 0.5*df*trace) / c.rng.gamma(scaleShape+0.5*df*float64(dim))
}

// drawCentre draws m₀ given the means and precisions of all clusters.
func (c *chain) drawCentre() {
	l, dim := c.law, c.rows.dim()
	clear(l.matrix)
	clear(l.delta)
	for d := range dim {
		l.matrix[d*dim+d] = 1 / centreVariance
	}
	for k, cluster := range c.clusters {
		to := &c.components[k]
		addProduct(l.matrix, cluster.kappa, general(to.factor, dim))
		blas64.Gemv(blas.Trans, 1, general(to.factor, dim), vector(to.mean), 0, vector(c.vector))
		blas64.Gemv(blas.NoTrans, cluster.kappa, general(to.factor, dim), vector(c.vector), 1, vector(l.delta))
	}
	cholesky(l.matrix, l.factor, dim)
	solveLower(l.factor, l.delta)
	for d := range l.delta {
		l.delta[d] += c.rng.NormFloat64()
	}
	solveLowerTransposed(l.factor, l.delta)
	copy(l.centre, l.delta)
}
