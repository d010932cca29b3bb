package mixture

import (
	"math"
	"slices"
)

// hyper are the hyperparameters of the clusters' law.
//
//	centre ~ N(0, 4·I)           shared ~ Wishart(D+2, scale·I/(D+2))
//	scale  ~ IG(.5, .05)
//	ownScale and ownSpread: see own.go
//	logFamily ~ Dirichlet(1, 1); in few columns pooled alone
//	the degrees of freedom have even priors on their grids
type hyper struct {
	centre    []float64 // [D], m₀
	scale     float64   // s
	shared    []float64 // [D·D], Ψ
	sharedDF  float64   // ν₀
	ownScale  []float64 // [D], l_d
	ownSpread float64   // τ
	ownDF     float64   // ν₃
	logFamily [families]float64
	prior     []float64 // [D·D], S₀ = (ν₀ − D − 1)·Ψ
}

const (
	centreVariance = 4.0
	scaleShape     = 0.5
	scaleRate      = 0.05
)

// surplus is the grid of ν₀ and ν₃ beyond D + 1.
var surplus = [...]float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}

// newHyper returns the hyperparameters that chains start from.
func newHyper(dim int) hyper {
	const start = 0.1
	h := hyper{centre: make([]float64, dim), scale: start}
	h.shared, h.prior = make([]float64, dim*dim), make([]float64, dim*dim)
	for d := range dim {
		h.shared[d*dim+d] = start
	}
	h.sharedDF, h.ownDF, h.ownSpread = float64(dim)+3, float64(dim)+21, 0.7
	h.ownScale = slices.Repeat([]float64{ownScaleMean}, dim)
	h.logFamily = [families]float64{own: math.Inf(-1)}
	if dim > manyColumns {
		h.logFamily = [families]float64{-math.Ln2, -math.Ln2}
	}
	return h
}

// drawFamilies draws family and κ of each cluster, its parameters integrated out, and then the families' weights.
func (c *chain) drawFamilies() {
	var counts [families]float64
	for _, k := range c.clusters {
		c.law.fill(&k.summary, &c.law.table)
		k.family, k.kappa = c.pickFamily()
		counts[k.family]++
	}
	if c.held || math.IsInf(c.law.logFamily[own], -1) {
		return
	}
	a, b := c.rng.gamma(1+counts[pooled]), c.rng.gamma(1+counts[own])
	c.law.logFamily = [families]float64{math.Log(a / (a + b)), math.Log(b / (a + b))}
}

// pickFamily draws from the law's table.
func (c *chain) pickFamily() (family int, kappa float64) {
	at := c.rng.pick(c.law.table[:])
	return at / len(kappas), kappas[at%len(kappas)]
}

// drawDegrees draws ν₀ and ν₃ given families and κ, the clusters' parameters integrated out.
func (c *chain) drawDegrees() {
	var logs [families][len(surplus)]float64
	for _, k := range c.clusters {
		shared := c.law.shared
		if k.family == own {
			shared = c.precisions
			clear(shared)
			for d, v := range k.own {
				shared[d*len(k.own)+d] = math.Exp(v)
			}
		}
		c.law.addSharedDF(k, shared, &logs[k.family])
	}
	c.law.ownDF = float64(c.rows.dim()) + 1 + surplus[c.rng.pick(logs[own][:])]
	c.drawOwnScales()
	c.law.sharedDF = float64(c.rows.dim()) + 1 + surplus[c.rng.pick(logs[pooled][:])]
	c.law.refresh()
}

// around writes shared·factor + scatter + c·δδᵀ to the law's matrix.
func (l *law) around(k *cluster, shared []float64, factor float64) {
	dim, c := len(k.mean), k.between(k.kappa)
	for d, m := range k.mean {
		l.delta[d] = m - l.centre[d]
	}
	for d := range dim {
		for e := range d + 1 {
			i := d*dim + e
			l.matrix[i] = factor*shared[i] + k.scatter[i] + c*l.delta[d]*l.delta[e]
		}
	}
}

func (l *law) addSharedDF(k *cluster, shared []float64, logs *[len(surplus)]float64) {
	dim := len(k.mean)
	sharedDet := cholesky(shared, l.factor, dim)
	for i, more := range surplus {
		df := float64(dim) + 1 + more
		l.around(k, shared, more)
		logs[i] += 0.5*df*(sharedDet+float64(dim)*math.Log(more)) - logGammaD(0.5*df, dim) +
			logGammaD(0.5*(df+k.n), dim) - 0.5*(df+k.n)*cholesky(l.matrix, l.factor, dim)
	}
}

// drawScales draws Ψ, s and the centre given the parameters of the clusters that have rows; all are conjugate.
func (c *chain) drawScales() {
	l, dim, count := c.law, c.rows.dim(), 0.0
	clear(c.precisions)
	for k, cluster := range c.clusters {
		if cluster.family == pooled {
			count++
			addProduct(c.precisions, l.sharedDF-float64(dim)-1, c.components[k].factor, dim)
		}
	}
	c.drawShared(count)
	trace := 0.0
	for d := range dim {
		trace += l.shared[d*dim+d]
	}
	df := float64(dim + 2)
	l.scale = (scaleRate + 0.5*df*trace) / c.rng.gamma(scaleShape+0.5*df*float64(dim))
	c.drawCentre()
	l.refresh()
}

// drawShared draws Ψ; precisions holds (ν₀−D−1)·Σ Λ_k of the count clusters of the pooled family.
func (c *chain) drawShared(count float64) {
	l, dim := c.law, c.rows.dim()
	df := float64(dim + 2)
	for d := range dim {
		c.precisions[d*dim+d] += df / l.scale
	}
	choleskyUpper(c.precisions, l.matrix, dim)
	c.rng.bartlett(df+count*l.sharedDF, l.factor, dim)
	divideUpper(l.matrix, l.factor, dim)
	clear(l.shared)
	addProduct(l.shared, 1, l.factor, dim)
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
		p := &c.components[k].shape
		addProduct(l.matrix, cluster.kappa, p.factor, dim)
		p.addPrecisionTimesMean(l.delta, cluster.kappa, c.vector)
	}
	cholesky(l.matrix, l.factor, dim)
	solveLower(l.factor, l.delta)
	for d := range l.delta {
		l.delta[d] += c.rng.NormFloat64()
	}
	solveLowerTransposed(l.factor, l.delta)
	copy(l.centre, l.delta)
}

// addPrecisionTimesMean adds factor·P·Pᵀ·mean to sum.
func (s *shape) addPrecisionTimesMean(sum []float64, factor float64, scratch []float64) {
	dim := len(s.mean)
	clear(scratch)
	for d, m := range s.mean {
		addScaled(scratch[:d+1], m, s.factor[d*dim:d*dim+d+1])
	}
	for d := range sum {
		sum[d] += factor * dot(s.factor[d*dim:d*dim+d+1], scratch[:d+1])
	}
}
