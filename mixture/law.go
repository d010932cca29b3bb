package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/mixture/em"
)

// kappas is the grid of κ, with a uniform prior. κ·Σ⁻¹ is the prior precision of a cluster's mean around the centre.
var kappas = [...]float64{1, .3, .1, .03, .01, .003, .001, .0003}

var logKappas = math.Log(float64(len(kappas)))

// law is the distribution of the rows of a cluster given the hyperparameters, with the cluster's parameters integrated
// out. Either Σ ~ IW(ν₀, (ν₀−D−1)·Ψ), near a shape Ψ that the clusters share, or each cluster has its own scales a on
// the axes, see scales.go. With many columns the evidence decides, see evidence.go.
//
//	centre ~ N(0, 4·I)           shared ~ Wishart(D+2, scale·I/(D+2))
//	scale  ~ IG(.5, .05)         df uniform on its grid
type law struct {
	centre    []float64 // [D], m₀
	scale     float64   // s
	shared    []float64 // [D·D], Ψ
	df        float64   // ν₀
	ownScale  []float64 // [D], l_d
	ownSpread float64   // τ

	scaled         bool  // clusters have scales of their own
	first          []int // of levels, see em.Rows
	factor, matrix []float64
	delta          []float64
	table          [len(kappas)]float64 // log joint probabilities of a cluster's rows and its κ
	top            float64              // ½ν₀·log|S₀| − log Γ_D(½ν₀) of the shared shape
	gammas         []float64            // see gammaOf
	gammasDf       float64              // their ν₀
	rng            em.Random
	approximation  newton // of the scales, see scales.go
}

const (
	centreVariance = 4.0
	scaleShape     = 0.5
	scaleRate      = 0.05
)

// surplus is the grid of ν₀ − D − 1, with a uniform prior.
var surplus = [...]float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}

// newLaw returns the law of a chain that starts from labels.
func newLaw(r *em.Rows, labels []int32, rng em.Random) *law {
	const start, few, many, near = 0.1, 2, 20, 512 // few, many and near: surplus
	dim := r.Dim()
	vectors, matrices := em.Grid(5, dim), em.Grid(4, dim*dim)
	l := &law{
		centre: vectors[0], scale: start, shared: matrices[0], df: float64(dim) + 1 + few,
		ownScale: slices.Repeat([]float64{ownScaleMean}, dim), ownSpread: 0.7, scaled: dim > em.FewColumns && !r.Shared,
		first: r.First, factor: matrices[1], matrix: matrices[2], delta: vectors[1], rng: rng,
		approximation: newton{mean: vectors[2], step: vectors[3], scale: vectors[4], curvature: matrices[3]},
	}
	for d := range dim {
		l.shared[d*dim+d] = start
	}
	if l.scaled {
		l.df = float64(dim) + 1 + many
	}
	if r.Shared {
		l.shared = r.WithinShape(labels)
		l.df = float64(dim) + 1 + near
	}
	l.refresh()
	return l
}

// refresh recomputes top after a change of the hyperparameters.
func (l *law) refresh() {
	dim := len(l.centre)
	logDet := em.Cholesky(l.shared, l.factor, dim) + float64(dim)*math.Log(l.surplus())
	l.top = 0.5*l.df*logDet - em.LogGammaD(0.5*l.df, dim)
}

// surplus returns ν₀ − D − 1. With this factor in the scale matrix, the mean of Σ is Ψ, or diag(a).
func (l *law) surplus() float64 { return l.df - float64(len(l.centre)) - 1 }

// addPrior adds S₀ of a cluster to the law's matrix.
func (l *law) addPrior(s *em.Summary) {
	if !l.scaled {
		floats.AddScaled(l.matrix, l.surplus(), l.shared)
		return
	}
	for d, log := range s.Scales {
		l.matrix[d*len(s.Scales)+d] += l.surplus() * math.Exp(log)
	}
}

// logMarginal returns the log marginal likelihood of the rows of s, up to Π (u/π)^{D/2}, which is the same for all
// partitions. If clusters have scales of their own, call approximate for s first.
func (l *law) logMarginal(s *em.Summary) float64 {
	l.fill(s)
	top := l.top
	if l.scaled {
		top = l.logScales(s)
	}
	return top + floats.LogSumExp(l.table[:]) + l.logCategories(s)
}

// estimate returns logMarginal after it has drawn the cluster's scales anew, if it has any.
func (l *law) estimate(s *em.Summary) float64 {
	if l.scaled {
		l.approximate(s)
		l.drawScalesOf(s)
	}
	return l.logMarginal(s)
}

// fill writes the table of a cluster, up to a factor.
func (l *law) fill(s *em.Summary) {
	dim := len(s.Mean)
	for j := range kappas {
		l.table[j] = -logKappas
	}
	if s.N == 0 {
		return
	}
	l.around(s, 0, 1)
	logDet := em.Cholesky(l.matrix, l.factor, dim)
	em.SolveLower(l.factor, l.delta)
	distance, df := floats.Dot(l.delta, l.delta), 0.5*(l.df+s.N)
	top := em.LogGammaD(df, dim) - df*logDet
	for j, kappa := range kappas {
		l.table[j] += top + 0.5*float64(dim)*math.Log(kappa/(kappa+s.Weight)) -
			df*math.Log(1+between(s, kappa)*distance)
	}
}

// between returns the weight of (mean − centre)² that is added to the scatter.
func between(s *em.Summary, kappa float64) float64 { return kappa * s.Weight / (kappa + s.Weight) }

// around writes factor·S₀ + scatter + c·δδᵀ of a cluster to the law's matrix, where c follows from κ, and δ = mean −
// centre to the law's delta.
func (l *law) around(s *em.Summary, kappa, factor float64) {
	dim, c := len(s.Mean), between(s, kappa)
	clear(l.matrix)
	l.addPrior(s)
	for d, m := range s.Mean {
		l.delta[d] = m - l.centre[d]
		for e := range d + 1 {
			i := d*dim + e
			l.matrix[i] = factor*l.matrix[i] + s.Scatter[i] + c*l.delta[d]*l.delta[e]
		}
	}
}

// logCategories returns the log probability of the counts, with Dirichlet(1, …, 1) priors integrated out.
func (l *law) logCategories(s *em.Summary) float64 {
	sum := 0.0
	for q := range len(l.first) - 1 {
		counts := s.Counts[l.first[q]:l.first[q+1]]
		total := 0.0
		for _, c := range counts {
			sum += em.LogGammaFunction(c + 1)
			total += c
		}
		levels := float64(len(counts))
		sum += em.LogGammaFunction(levels) - em.LogGammaFunction(levels+total)
	}
	return sum
}

// drawKappa draws κ of a cluster, its parameters integrated out.
func (c *chain) drawKappa(s *em.Summary) float64 {
	c.law.fill(s)
	return kappas[c.rng.Pick(c.law.table[:])]
}

// drawDegrees draws ν₀ given each κ, the clusters' parameters integrated out.
func (c *chain) drawDegrees() {
	var logs [len(surplus)]float64
	l, dim := c.law, c.rows.Dim()
	for _, k := range c.clusters {
		clear(l.matrix)
		l.addPrior(&k.Summary)
		before := l.surplus()
		sharedDet := em.Cholesky(l.matrix, l.factor, dim) - float64(dim)*math.Log(before)
		for i, more := range surplus {
			df := float64(dim) + 1 + more
			l.around(&k.Summary, k.kappa, more/before)
			det := em.Cholesky(l.matrix, l.factor, dim)
			logs[i] += logWishart(dim, df, sharedDet+float64(dim)*math.Log(more), k.N, det)
		}
	}
	l.df = float64(dim) + 1 + surplus[c.rng.Pick(logs[:])]
	if l.scaled {
		c.drawOwnScales()
	}
	l.refresh()
}

// logWishart returns the log marginal likelihood of n rows around known means, up to a constant, if Σ ~ IW(df, S₀) in
// dim dimensions. prior is log |S₀|, posterior is log |S₀ + scatter|.
func logWishart(dim int, df, prior, n, posterior float64) float64 {
	return 0.5*df*prior - em.LogGammaD(0.5*df, dim) + em.LogGammaD(0.5*(df+n), dim) - 0.5*(df+n)*posterior
}

// drawShared draws Ψ and s given the parameters of the clusters that have rows. Both have conjugate priors.
func (c *chain) drawShared() {
	l, dim := c.law, c.rows.Dim()
	df := float64(dim + 2)
	clear(c.precisions)
	for k := range c.clusters {
		em.AddProduct(c.precisions, l.surplus(), em.General(c.components[k].Factor, dim))
	}
	for d := range dim {
		c.precisions[d*dim+d] += df / l.scale
	}
	em.CholeskyUpper(c.precisions, l.matrix, dim)
	c.rng.Bartlett(df+float64(len(c.clusters))*l.df, l.factor, dim)
	em.DivideUpper(l.matrix, l.factor, dim)
	clear(l.shared)
	em.AddProduct(l.shared, 1, em.General(l.factor, dim))
	trace := 0.0
	for d := range dim {
		trace += l.shared[d*dim+d]
	}
	l.scale = (scaleRate + 0.5*df*trace) / c.rng.Gamma(scaleShape+0.5*df*float64(dim))
}

// drawCentre draws m₀ given the means and precisions of all clusters.
func (c *chain) drawCentre() {
	l, dim := c.law, c.rows.Dim()
	clear(l.matrix)
	clear(l.delta)
	for d := range dim {
		l.matrix[d*dim+d] = 1 / centreVariance
	}
	for k, cluster := range c.clusters {
		to := &c.components[k]
		em.AddProduct(l.matrix, cluster.kappa, em.General(to.Factor, dim))
		blas64.Gemv(blas.Trans, 1, em.General(to.Factor, dim), em.Vector(to.Mean), 0, em.Vector(c.vector))
		blas64.Gemv(blas.NoTrans, cluster.kappa, em.General(to.Factor, dim), em.Vector(c.vector), 1, em.Vector(l.delta))
	}
	em.Cholesky(l.matrix, l.factor, dim)
	em.SolveLower(l.factor, l.delta)
	for d := range l.delta {
		l.delta[d] += c.rng.NormFloat64()
	}
	em.SolveLowerTransposed(l.factor, l.delta)
	copy(l.centre, l.delta)
}
