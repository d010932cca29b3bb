package posterior

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
)

// evidence is what the points in all directions say of a choice of these, given a partition.
type evidence struct {
	*Selection
	n        int
	cov      []float64 // [F,F] of the directions over the points
	all      moments
	clusters []moments
	gammas   [][]float64 // [q][m] log Γ_q((q+2+m)/2), for q = 1..Most
	logPrior []float64   // [q] log prior of a choice of q directions
	constant float64     // log p₁ of the points
	own      []float64   // [F] log p₁ in each direction
	apart    float64     // log-density of the points if the axes are independent; −Inf if they do not span all
	room     square
}

// newEvidence takes the points in all directions, rows [N,F].
func newEvidence(s *Selection, x, rows []float64, n int) *evidence {
	f, p := len(s.Directions), s.Dimension()
	e := &evidence{Selection: s, n: n, cov: make([]float64, f*f)}
	e.all.reset(f)
	for i := range n {
		e.all.add(rows[i*f : (i+1)*f])
	}
	half := make([]float64, p)
	for i, a := range s.Directions {
		for k := range p {
			half[k] = 0
			for l, v := range a {
				half[k] += v * s.Covariance.At(l, k)
			}
		}
		for j, b := range s.Directions {
			e.cov[i*f+j] = floats.Dot(half, b)
		}
	}
	e.gammas, e.logPrior = make([][]float64, s.Most+1), make([]float64, s.Most+1)
	for q := 1; q <= s.Most; q++ {
		e.gammas[q] = make([]float64, n+1)
		for m := range e.gammas[q] {
			e.gammas[q][m] = mathext.MvLgamma(float64(q+2+m)/2, q)
		}
		e.logPrior[q] = -math.Log(float64(s.Most)) - logChoose(f, q)
	}
	one := NIW{Mean: make([]float64, p), Kappa: 1, Nu: float64(p) + 2, Psi: s.Covariance}.Clusters(n)()
	for i := range n {
		one.Add(x[i*p : (i+1)*p])
	}
	e.constant = one.LogMarginal()
	e.separate()
	return e
}

// separate takes the directions by themselves, and the axes as coordinates.
func (e *evidence) separate() {
	f, p := len(e.Directions), e.Dimension()
	e.own = make([]float64, f)
	for i := range f {
		e.own[i] = e.common([]int{i}, math.Log(e.cov[i*(f+1)]))
	}
	if e.apart = math.Inf(-1); f-e.Axes != p {
		return
	}
	axes := mat.NewDense(p, p, nil)
	for i, w := range e.Directions[e.Axes:] {
		axes.SetRow(i, w)
	}
	volume, _ := mat.LogDet(axes)
	e.apart = volume + floats.Sum(e.own[e.Axes:])
}

// copies is for another chain.
func (e *evidence) copies() *evidence {
	own := *e
	own.clusters, own.room = nil, square{}
	return &own
}

// logChoose returns the logarithm of the number of choices of k of n.
func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// gather takes the k clusters of labels [N].
func (e *evidence) gather(rows []float64, labels []int32, k int) {
	f := len(e.Directions)
	for len(e.clusters) < k {
		e.clusters = append(e.clusters, moments{})
	}
	e.clusters = e.clusters[:k]
	for j := range e.clusters {
		e.clusters[j].reset(f)
	}
	for i, j := range labels {
		e.clusters[j].add(rows[i*f : (i+1)*f])
	}
}

// posterior puts share·C and the scatter of some clusters, in chosen directions, into the room.
func (e *evidence) posterior(chosen []int, share, kappa float64, of ...moments) *square {
	f, q := len(e.Directions), len(chosen)
	e.room.resize(q)
	for a, i := range chosen {
		for b := a; b < q; b++ {
			v := share * e.cov[i*f+chosen[b]]
			for c := range of {
				v += of[c].scatter(i, chosen[b], kappa)
			}
			e.room.data[a*q+b] = v
		}
	}
	return &e.room
}

// leastPivot is the share of a direction's variance that the chosen ones before it must leave unexplained.
const leastPivot = 1e-6

// volume returns log|C| in chosen directions; ok says whether they are independent.
func (e *evidence) volume(chosen []int) (logDet float64, ok bool) {
	logDet, ok = e.posterior(chosen, 1, 0).logDet()
	for a, i := range chosen {
		pivot := e.room.data[a*(len(chosen)+1)]
		ok = ok && pivot*pivot > leastPivot*e.cov[i*(len(e.Directions)+1)]
	}
	return logDet, ok
}

// log returns log p(x, S | partition) of chosen directions S, rising, summed over shapes and over what the others may
// hang on; terms [len(Shapes)] gets the logarithms of the shapes' weights. Time O(K·q³).
func (e *evidence) log(chosen []int, terms []float64) float64 {
	logDet, ok := e.volume(chosen)
	if !ok {
		return math.Inf(-1)
	}
	possible, axes := 0.0, chosen[0] >= e.Axes
	for i, shape := range e.Shapes {
		if terms[i] = math.Inf(-1); axes || !shape.hasAxes() {
			terms[i] = e.marginal(chosen, shape, logDet)
			possible++
		}
	}
	return e.logPrior[len(chosen)] + e.rest(chosen, logDet, axes) + floats.LogSumExp(terms) - math.Log(possible)
}

// rest is the log-density of all that the points have beyond chosen directions.
func (e *evidence) rest(chosen []int, logDet float64, axes bool) float64 {
	given := e.constant - e.common(chosen, logDet)
	if !axes || math.IsInf(e.apart, -1) {
		return given
	}
	apart := e.apart
	for _, i := range chosen {
		apart -= e.own[i]
	}
	return floats.LogSumExp([]float64{given, apart}) - math.Ln2
}

// logs are what a covariance Σ ~ IW(q+2, Ψ) brings to the log-marginal of m points, with log|Ψ| before and after them.
func (e *evidence) logs(q, m int, before, after float64) float64 {
	nu := float64(q + 2)
	return e.gammas[q][m] - e.gammas[q][0] + nu/2*before - (nu+float64(m))/2*after -
		float64(m*q)/2*math.Log(math.Pi)
}

// common is log p₁(x_S).
func (e *evidence) common(chosen []int, logDet float64) float64 {
	q := len(chosen)
	after, _ := e.posterior(chosen, 1, 1, e.all).logDet()
	return e.logs(q, e.n, logDet, after) - float64(q)/2*math.Log1p(float64(e.n))
}

// clusterPrior is what share of the points' covariance a cluster in q directions is expected to have, and how many
// points the prior of its mean is worth.
func (e *evidence) clusterPrior(q int) (share, kappa float64) {
	share = math.Pow(priorClusters, -2/float64(q))
	return share, share / (1 - share)
}

// marginal is log p(x_S | partition, shape).
func (e *evidence) marginal(chosen []int, shape Shape, logDet float64) (total float64) {
	q := len(chosen)
	share, kappa := e.clusterPrior(q)
	for _, m := range e.clusters {
		total += float64(q) / 2 * math.Log(kappa/(kappa+float64(m.n)))
	}
	logDet += float64(q) * math.Log(share)
	switch shape {
	case ShapeFull:
		for c := range e.clusters {
			after, _ := e.posterior(chosen, share, kappa, e.clusters[c]).logDet()
			total += e.logs(q, e.clusters[c].n, logDet, after)
		}
	case ShapeTied:
		after, _ := e.posterior(chosen, share, kappa, e.clusters...).logDet()
		total += e.logs(q, e.n, logDet, after)
	case ShapeAxes, ShapeTiedAxes:
		for _, i := range chosen {
			total += e.axis(i, share, kappa, shape == ShapeTiedAxes)
		}
	}
	return total
}

// axis is what the variances in a direction bring to the log-marginal.
func (e *evidence) axis(i int, share, kappa float64, tied bool) (total float64) {
	prior := share * e.cov[i*(len(e.Directions)+1)]
	pooled := prior
	for c := range e.clusters {
		m := &e.clusters[c]
		scatter := m.scatter(i, i, kappa)
		pooled += scatter
		if !tied {
			total += e.logs(1, m.n, math.Log(prior), math.Log(prior+scatter))
		}
	}
	if tied {
		return e.logs(1, e.n, math.Log(prior), math.Log(pooled))
	}
	return total
}
