package mixture

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// kappas is the grid of κ, the precision of a cluster's mean around the centre in units of its own Σ. Its prior is
// even.
var kappas = [...]float64{1, .3, .1, .03, .01, .003, .001, .0003}

// fewColumns is the most columns in which clusters share a shape.
const fewColumns = 6

var logKappas = math.Log(float64(len(kappas)))

// law is the law of clusters given its hyperparameters, with the parameters of clusters integrated out. In few columns
// Σ ~ IW(ν₀, (ν₀−D−1)·Ψ): near a shape that the clusters share. In many each cluster has its own scales a on the axes,
// see scales.go.
type law struct {
	hyper
	scaled        bool  // clusters have scales of their own
	first         []int // of levels, see rows
	factor        []float64
	matrix        []float64
	delta         []float64
	table         [len(kappas)]float64 // log joint probabilities of a cluster's rows and its κ
	top           float64              // ½ν₀·log|S₀| − log Γ_D(½ν₀) of the shared shape
	rng           random
	approximation newton // of the scales, see scales.go
}

func newLaw(h hyper, first []int, rng random) *law {
	dim := len(h.centre)
	l := &law{hyper: h, first: first, rng: rng, factor: make([]float64, dim*dim), matrix: make([]float64, dim*dim)}
	l.delta, l.scaled = make([]float64, dim), dim > fewColumns
	l.approximation = newNewton(dim)
	l.refresh()
	return l
}

// refresh follows a change of the hyperparameters.
func (l *law) refresh() {
	dim := len(l.centre)
	l.top = 0.5*l.df*(cholesky(l.shared, l.factor, dim)+float64(dim)*math.Log(l.surplus())) - logGammaD(0.5*l.df, dim)
}

// surplus is ν₀ − D − 1, which makes Ψ or the scales a the mean of Σ.
func (l *law) surplus() float64 { return l.df - float64(len(l.centre)) - 1 }

// addPrior adds S₀ of a cluster to the law's matrix.
func (l *law) addPrior(s *summary) {
	if !l.scaled {
		floats.AddScaled(l.matrix, l.surplus(), l.shared)
		return
	}
	for d, log := range s.scales {
		l.matrix[d*len(s.scales)+d] += l.surplus() * math.Exp(log)
	}
}

// logMarginal returns the log marginal likelihood of the rows of s, up to Π (u/π)^{D/2}, which no partition changes.
func (l *law) logMarginal(s *summary) float64 {
	l.fill(s)
	return logSumExp(l.table[:]) + l.logCategories(s)
}

// estimate is logMarginal with a new draw of the cluster's scales.
func (l *law) estimate(s *summary) float64 {
	if !l.scaled {
		return l.logMarginal(s)
	}
	l.drawScalesOf(s)
	l.approximation.known = true
	log := l.logMarginal(s)
	l.approximation.known = false
	return log
}

// fill writes the table.
func (l *law) fill(s *summary) {
	dim := len(s.mean)
	for j := range kappas {
		l.table[j] = -logKappas
	}
	if s.n == 0 {
		return
	}
	top := l.top
	if l.scaled {
		top = l.logScales(s)
	}
	l.around(s, 0, 1)
	logDet := cholesky(l.matrix, l.factor, dim)
	solveLower(l.factor, l.delta)
	distance, df := floats.Dot(l.delta, l.delta), 0.5*(l.df+s.n)
	for j, kappa := range kappas {
		l.table[j] += top - df*logDet + logGammaD(df, dim) + 0.5*float64(dim)*math.Log(kappa/(kappa+s.weight)) -
			df*math.Log(1+s.between(kappa)*distance)
	}
}

// between is the weight of (mean − centre)² beside the scatter.
func (s *summary) between(kappa float64) float64 { return kappa * s.weight / (kappa + s.weight) }

// around writes factor·S₀ + scatter + c·δδᵀ of a cluster to the law's matrix, with c of its κ, and δ.
func (l *law) around(s *summary, kappa, factor float64) {
	dim, c := len(s.mean), s.between(kappa)
	clear(l.matrix)
	l.addPrior(s)
	for d, m := range s.mean {
		l.delta[d] = m - l.centre[d]
		for e := range d + 1 {
			i := d*dim + e
			l.matrix[i] = factor*l.matrix[i] + s.scatter[i] + c*l.delta[d]*l.delta[e]
		}
	}
}

// logCategories is the log probability of the counts, with even Dirichlet(1, …, 1) priors integrated out.
func (l *law) logCategories(s *summary) float64 {
	sum := 0.0
	for q := range len(l.first) - 1 {
		counts := s.counts[l.first[q]:l.first[q+1]]
		total := 0.0
		for _, c := range counts {
			sum += logGammaFunction(c + 1)
			total += c
		}
		levels := float64(len(counts))
		sum += logGammaFunction(levels) - logGammaFunction(levels+total)
	}
	return sum
}
