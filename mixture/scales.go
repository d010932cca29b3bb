package mixture

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/gfncp/gfncp/mixture/em"
)

// In many columns clusters may have scales of their own (evidence.go): Σ ~ IW(ν₀, (ν₀−D−1)·diag(a)), log a_d ~ N(l_d,
// τ²), l_d ~ N(log .3, ½²), τ uniform on a grid. Correlations are shrunk towards 0. The marginal likelihood has no
// closed form. So a is drawn from a normal approximation q of its posterior, and p(rows | a)·p(a)/q(a) replaces the
// marginal. This estimate is unbiased, so the chain keeps the posterior exactly (pseudo-marginal, Andrieu & Roberts
// 2009). A cluster keeps its a until a new one is accepted.

var spreads = [...]float64{.2, .4, .7, 1.1, 1.6}

const (
	ownScaleVariance = 0.25
	ownWider         = 1.15 // variance of q over that of the approximation
	ownSteps         = 8    // at most, of Newton's method to the mode of q
	ownNear          = 0.3  // the method ends when all steps of log scales are smaller
)

var ownScaleMean = math.Log(0.3)

// newton is q of a cluster: a normal distribution at the mode of log a, with the curvature there. A few steps of
// Newton's method find the mode, because the log density of log a is concave.
type newton struct {
	mean, step []float64 // [D]
	scale      []float64 // [D], (ν₀−D−1)·a
	curvature  []float64 // [D·D], its lower factor
	logDet     float64   // log of the curvature's determinant
}

// approximate finds q for the log scales of a cluster.
func (l *law) approximate(s *em.Summary) {
	q, dim := &l.approximation, len(s.Mean)
	prior := 1 / (l.ownSpread * l.ownSpread)
	surplus, total := l.surplus(), l.df+s.N
	for d := range q.mean {
		// start between the mode for a diagonal scatter and the prior mean, weighted by their curvatures
		mode := math.Log((s.Scatter[d*dim+d] + 1e-9) * l.df / (surplus * max(s.N, 1)))
		own := 0.5 * l.df * s.N / total
		q.mean[d] = (own*mode + prior*l.ownScale[d]) / (own + prior)
	}
	for range ownSteps {
		copy(l.matrix, s.Scatter)
		for d, mean := range q.mean {
			q.scale[d] = surplus * math.Exp(mean)
			l.matrix[d*dim+d] += q.scale[d]
		}
		em.Cholesky(l.matrix, l.factor, dim)
		lapack64.Potri(em.Triangle(l.factor, dim, blas.Lower))
		for d := range dim {
			for e := range d + 1 {
				m := l.factor[d*dim+e]
				q.curvature[d*dim+e] = -0.5 * total * q.scale[d] * q.scale[e] * m * m
				if d == e {
					w := q.scale[d] * m
					q.curvature[d*dim+d] += 0.5*total*w + prior
					q.step[d] = 0.5*l.df - 0.5*total*w - prior*(q.mean[d]-l.ownScale[d])
				}
			}
		}
		q.logDet = em.Cholesky(q.curvature, q.curvature, dim)
		em.SolveLower(q.curvature, q.step)
		em.SolveLowerTransposed(q.curvature, q.step)
		largest := 0.0
		for d, step := range q.step {
			q.mean[d] += max(-2, min(2, step))
			largest = max(largest, math.Abs(step))
		}
		if largest < ownNear {
			break
		}
	}
}

// drawScalesOf draws log a of a cluster from its q, or from the prior for no rows.
func (l *law) drawScalesOf(s *em.Summary) {
	for d := range s.Scales {
		s.Scales[d] = l.rng.NormFloat64()
	}
	if s.N == 0 {
		for d, v := range s.Scales {
			s.Scales[d] = l.ownScale[d] + l.ownSpread*v
		}
		return
	}
	em.SolveLowerTransposed(l.approximation.curvature, s.Scales)
	for d, mean := range l.approximation.mean {
		s.Scales[d] = mean + math.Sqrt(ownWider)*s.Scales[d]
	}
}

// logScales returns log p(a)/q(a) for a cluster's a, plus the part of the log marginal that depends on a and ν₀ alone.
func (l *law) logScales(s *em.Summary) float64 {
	q, dim := &l.approximation, len(s.Mean)
	weight, sum := -float64(dim)*math.Log(l.ownSpread)-0.5*(q.logDet-float64(dim)*math.Log(ownWider)), 0.0
	for d, v := range s.Scales {
		fromPrior := (v - l.ownScale[d]) / l.ownSpread
		weight -= 0.5 * fromPrior * fromPrior
		q.step[d] = v - q.mean[d]
		sum += v
	}
	blas64.Trmv(blas.Trans, em.Triangle(q.curvature, dim, blas.Lower), em.Vector(q.step))
	weight += 0.5 * floats.Dot(q.step, q.step) / ownWider
	logDet := sum + float64(dim)*math.Log(l.surplus())
	return weight + 0.5*l.df*logDet - em.LogGammaD(0.5*l.df, dim)
}

// refresh brings a cluster's log marginal up to date with its rows and the hyperparameters. It proposes a new a, too.
func (c *chain) refresh(k *cluster) {
	l := c.law
	if l.scaled {
		l.approximate(&k.Summary)
	}
	k.Log = l.logMarginal(&k.Summary)
	if !l.scaled {
		return
	}
	copy(c.vector, k.Scales)
	l.drawScalesOf(&k.Summary)
	if log := l.logMarginal(&k.Summary); c.rng.LogUniform() < log-k.Log {
		k.Log = log
	} else {
		copy(k.Scales, c.vector)
	}
}

// drawOwnScales draws l_d and τ given the scales of the clusters.
func (c *chain) drawOwnScales() {
	l, count := c.law, float64(len(c.clusters))
	clear(c.vector)
	for _, k := range c.clusters {
		floats.Add(c.vector, k.Scales)
	}
	precision := count / (l.ownSpread * l.ownSpread)
	total := precision + 1/ownScaleVariance
	for d, sum := range c.vector {
		mean := (sum/(l.ownSpread*l.ownSpread) + ownScaleMean/ownScaleVariance) / total
		l.ownScale[d] = mean + c.rng.NormFloat64()/math.Sqrt(total)
	}
	squares := 0.0
	for _, k := range c.clusters {
		floats.SubTo(c.vector, k.Scales, l.ownScale)
		squares += floats.Dot(c.vector, c.vector)
	}
	var logs [len(spreads)]float64
	for i, spread := range spreads {
		logs[i] = -count*float64(len(l.ownScale))*math.Log(spread) - 0.5*squares/(spread*spread)
	}
	l.ownSpread = spreads[c.rng.Pick(logs[:])]
}
