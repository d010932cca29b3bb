package mixture

import "math"

// The families of a cluster's covariance.
const (
	pooled = iota // Σ ~ IW(ν₀, (ν₀−D−1)·Ψ): near a shape that the clusters share
	own           // its own scale on each axis, correlations shrunken to none, see own.go
	families
)

// kappas is the grid of κ, the precision of a cluster's mean around the centre in units of its own Σ. Its prior is
// even.
var kappas = [...]float64{1, .3, .1, .03, .01, .003, .001, .0003}

// terms are the log joint probabilities of a cluster's rows, its family and its κ.
type terms [families * len(kappas)]float64

// law is the law of clusters given its hyperparameters, with the parameters of clusters integrated out.
type law struct {
	hyper
	first         []int // of levels, see rows
	factor        []float64
	matrix        []float64
	delta         []float64
	table         terms
	pooledTop     float64 // ½ν₀·log|S₀| − log Γ_D(½ν₀)
	rng           random
	approximation newton // of the family own, see own.go
}

func newLaw(h hyper, first []int, rng random) *law {
	dim := len(h.centre)
	l := &law{hyper: h, first: first, rng: rng, factor: make([]float64, dim*dim), matrix: make([]float64, dim*dim)}
	l.delta, l.approximation = make([]float64, dim), newNewton(dim)
	l.refresh()
	return l
}

// refresh follows a change of the hyperparameters.
func (l *law) refresh() {
	dim := len(l.centre)
	for i, v := range l.shared {
		l.prior[i] = v * (l.sharedDF - float64(dim) - 1)
	}
	logDet := cholesky(l.prior, l.factor, dim)
	l.pooledTop = 0.5*l.sharedDF*logDet - logGammaD(0.5*l.sharedDF, dim)
}

// logMarginal returns the log marginal likelihood of the rows of s, up to Π (u/π)^{D/2}, which no partition changes.
func (l *law) logMarginal(s *summary) float64 {
	l.fill(s, &l.table)
	return logSumExp(l.table[:]) + l.logCategories(s)
}

// estimate is logMarginal with a new draw of the scales of the family own.
func (l *law) estimate(s *summary) float64 {
	if math.IsInf(l.logFamily[own], -1) {
		return l.logMarginal(s)
	}
	l.drawOwn(s)
	l.approximation.known = true
	log := l.logMarginal(s)
	l.approximation.known = false
	return log
}

// fill writes the terms of all families and κ.
func (l *law) fill(s *summary, out *terms) {
	var spread [len(kappas)]float64 // ½D·log(κ/(κ + Σu)) and the even prior
	for j, kappa := range kappas {
		spread[j] = -logKappas
		if s.n > 0 {
			spread[j] += 0.5 * float64(len(s.mean)) * math.Log(kappa/(kappa+s.weight))
		}
	}
	for f := range families {
		part := out[f*len(kappas) : (f+1)*len(kappas)]
		for j, v := range spread {
			part[j] = l.logFamily[f] + v
		}
		if s.n == 0 || math.IsInf(l.logFamily[f], -1) {
			continue
		}
		if f == own {
			l.fillOwn(s, part)
			continue
		}
		for i, scatter := range s.scatter {
			l.matrix[i] = l.prior[i] + scatter
		}
		l.fillWishart(s, part, l.sharedDF, l.pooledTop)
	}
}

var logKappas = math.Log(float64(len(kappas)))

// between is the weight of (mean − centre)² beside the scatter.
func (s *summary) between(kappa float64) float64 { return kappa * s.weight / (kappa + s.weight) }

// fillWishart adds the log marginals under IW(df, S₀), where the law's matrix is S₀ + scatter; top is what the prior
// adds to them.
func (l *law) fillWishart(s *summary, part []float64, df, top float64) {
	dim := len(s.mean)
	logDet := cholesky(l.matrix, l.factor, dim)
	for d, m := range s.mean {
		l.delta[d] = m - l.centre[d]
	}
	solveLower(l.factor, l.delta)
	distance := dot(l.delta, l.delta)
	df = 0.5 * (df + s.n)
	base := top - df*logDet + logGammaD(df, dim)
	for j, kappa := range kappas {
		part[j] += base - df*math.Log(1+s.between(kappa)*distance)
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
