package mixture

import (
	"math"
	"slices"
)

// hyper are the hyperparameters of the clusters' law.
//
//	centre ~ N(0, 4·I)           shared ~ Wishart(D+2, scale·I/(D+2))
//	scale  ~ IG(.5, .05)         axis_d, round ~ Exp with mean scale
//	ownScale and ownSpread: see own.go
//	logFamily ~ Dirichlet(1, 1, 1, 1); without the family own in few columns, in one column pooled alone
//	the degrees of freedom have even priors on their grids
type hyper struct {
	centre    []float64 // [D], m₀
	scale     float64   // s
	shared    []float64 // [D·D], Ψ
	sharedDF  float64   // ν₀
	axis      []float64 // [D], ψ_d
	axisDF    float64   // a₁
	round     float64   // ψ
	roundDF   float64   // a₂
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

// The grids: ν₀ = D + 1 + surplus; a₁ and a₂.
var (
	surplus = [...]float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}
	shapes  = [...]float64{1, 1.5, 2, 3, 5, 8, 16, 40, 100}
)

// newHyper returns the hyperparameters that chains start from.
func newHyper(dim int) hyper {
	const start = 0.1
	h := hyper{centre: make([]float64, dim), scale: start, axisDF: 2, roundDF: 2, round: start}
	h.shared, h.prior = make([]float64, dim*dim), make([]float64, dim*dim)
	h.axis = slices.Repeat([]float64{start}, dim)
	for d := range dim {
		h.shared[d*dim+d] = start
	}
	h.sharedDF, h.ownDF, h.ownSpread = float64(dim)+3, float64(dim)+21, 0.7
	h.ownScale = slices.Repeat([]float64{ownScaleMean}, dim)
	if dim <= 1 {
		h.logFamily = [families]float64{axes: math.Inf(-1), spherical: math.Inf(-1), own: math.Inf(-1)}
		return h
	}
	for f := range h.logFamily {
		h.logFamily[f] = -math.Log(families)
	}
	if dim <= manyColumns {
		third := -math.Log(families - 1)
		h.logFamily = [families]float64{pooled: third, axes: third, spherical: third, own: math.Inf(-1)}
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
	if c.rows.dim() <= 1 || c.held {
		return
	}
	total := 0.0
	for f := range counts {
		if math.IsInf(c.law.logFamily[f], -1) {
			counts[f] = 0
			continue
		}
		counts[f] = c.rng.gamma(1 + counts[f])
		total += counts[f]
	}
	for f := range counts {
		c.law.logFamily[f] = math.Log(counts[f] / total)
	}
}

// pickFamily draws from the law's table.
func (c *chain) pickFamily() (family int, kappa float64) {
	at := c.rng.pick(c.law.table[:])
	return at / len(kappas), kappas[at%len(kappas)]
}

// drawDegrees draws ν₀, a₁ and a₂ given families and κ, the clusters' parameters integrated out.
func (c *chain) drawDegrees() {
	var pooledLog, ownLog [len(surplus)]float64
	var axesLog, sphericalLog [len(shapes)]float64
	for _, k := range c.clusters {
		switch k.family {
		case pooled:
			c.law.addSharedDF(k, c.law.shared, &pooledLog)
		case axes:
			c.law.addAxisDF(k, &axesLog)
		case spherical:
			c.law.addRoundDF(k, &sphericalLog)
		default:
			clear(c.precisions)
			for d, v := range k.own {
				c.precisions[d*len(k.own)+d] = math.Exp(v)
			}
			c.law.addSharedDF(k, c.precisions, &ownLog)
		}
	}
	c.law.ownDF = float64(c.rows.dim()) + 1 + surplus[c.rng.pick(ownLog[:])]
	c.drawOwnScales()
	c.law.sharedDF = float64(c.rows.dim()) + 1 + surplus[c.rng.pick(pooledLog[:])]
	c.law.axisDF = shapes[c.rng.pick(axesLog[:])]
	c.law.roundDF = shapes[c.rng.pick(sphericalLog[:])]
	c.law.refresh()
}

// deviations writes mean − centre to delta, and returns the weight of its square beside the scatter.
func (l *law) deviations(k *cluster) float64 {
	for d, m := range k.mean {
		l.delta[d] = m - l.centre[d]
	}
	return k.between(k.kappa)
}

// around writes shared·factor + scatter + c·δδᵀ to the law's matrix.
func (l *law) around(k *cluster, shared []float64, factor float64) {
	dim, c := len(k.mean), l.deviations(k)
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

func (l *law) addAxisDF(k *cluster, logs *[len(shapes)]float64) {
	dim, c := len(k.mean), l.deviations(k)
	for i, a := range shapes {
		constant := logGammaFunction(a+0.5*k.n) - logGammaFunction(a)
		for d, delta := range l.delta {
			b := a * l.axis[d]
			logs[i] += constant + a*math.Log(b) -
				(a+0.5*k.n)*math.Log(b+0.5*(k.scatter[d*dim+d]+c*delta*delta))
		}
	}
}

func (l *law) addRoundDF(k *cluster, logs *[len(shapes)]float64) {
	dim, c, sum := len(k.mean), l.deviations(k), 0.0
	for d, delta := range l.delta {
		sum += k.scatter[d*dim+d] + c*delta*delta
	}
	half := 0.5 * k.n * float64(dim)
	for i, a := range shapes {
		b := a * l.round
		logs[i] += a*math.Log(b) - logGammaFunction(a) + logGammaFunction(a+half) - (a+half)*math.Log(b+0.5*sum)
	}
}

// drawScales draws Ψ, s, ψ_d, ψ and the centre given the parameters of the clusters that have rows; all are conjugate.
func (c *chain) drawScales() {
	l, dim := c.law, c.rows.dim()
	axesCount, sphericalCount, sphericalSum := 0.0, 0.0, 0.0
	clear(c.precisions)
	clear(c.axisSums)
	pooledCount := 0.0
	for k, cluster := range c.clusters {
		p := c.components[k].factor
		switch cluster.family {
		case pooled:
			pooledCount++
			addProduct(c.precisions, l.sharedDF-float64(dim)-1, p, dim)
		case axes:
			axesCount++
			for d := range dim {
				c.axisSums[d] += p[d*dim+d] * p[d*dim+d]
			}
		case spherical:
			sphericalCount++
			sphericalSum += p[0] * p[0]
		}
	}
	c.drawShared(pooledCount)
	c.drawScale()
	for d := range l.axis {
		l.axis[d] = c.rng.gamma(1+axesCount*l.axisDF) / (1/l.scale + l.axisDF*c.axisSums[d])
	}
	l.round = c.rng.gamma(1+sphericalCount*l.roundDF) / (1/l.scale + l.roundDF*sphericalSum)
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

// drawScale draws s given Ψ, ψ_d and ψ, of all of which it is the scale.
func (c *chain) drawScale() {
	l, dim := c.law, c.rows.dim()
	df, trace, sum := float64(dim+2), 0.0, l.round
	for d, v := range l.axis {
		trace += l.shared[d*dim+d]
		sum += v
	}
	shape := scaleShape + 0.5*df*float64(dim) + float64(dim) + 1
	l.scale = (scaleRate + 0.5*df*trace + sum) / c.rng.gamma(shape)
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
