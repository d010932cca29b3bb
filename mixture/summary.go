package mixture

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// summary is what the law of a cluster needs to know of its rows.
type summary struct {
	n       float64   // rows
	weight  float64   // Σ u
	mean    []float64 // [D], weighted with u
	scatter []float64 // [D·D], lower triangle of Σ u·(x − mean)(x − mean)ᵀ
	counts  []float64 // of levels, of all variables
	scales  []float64 // [D], log a, see scales.go
	log     float64   // log marginal likelihood under the present law
}

// cluster is one cluster of the partition at hand.
type cluster struct {
	summary
	members []int32 // rows, rising
	kappa   float64
}

func newCluster(r *rows) *cluster {
	return &cluster{summary: newSummary(r.dim(), r.levels()), members: make([]int32, 0, r.n)}
}

func newSummary(dim, levels int) summary {
	return summary{
		mean: make([]float64, dim), scatter: make([]float64, dim*dim), counts: make([]float64, levels),
		scales: make([]float64, dim),
	}
}

// gatherer copies the rows of a cluster to where they lie side by side.
type gatherer struct {
	rows    *rows
	columns [][]float64    // [D][n]
	centred blas64.General // [D][n], scratch
	codes   [][]int32      // [Q][n]
	weights []float64      // [n], u
	counts  []float64      // [n], how many rows each stands for
	roots   []float64      // [n], scratch
}

func newGatherer(r *rows) *gatherer {
	dim, scratch := r.dim(), grid(3, r.n)
	g := &gatherer{rows: r, columns: grid(dim, r.n), weights: scratch[0], counts: scratch[1], roots: scratch[2]}
	g.centred = blas64.General{Rows: dim, Stride: r.n, Data: make([]float64, dim*r.n)}
	for range r.codes {
		g.codes = append(g.codes, make([]int32, r.n))
	}
	return g
}

// take gathers the members' rows and their weights u.
func (g *gatherer) take(members []int32, u []float64) {
	n := len(members)
	g.weights, g.counts, g.centred.Cols = g.weights[:n], g.counts[:n], n
	for i, row := range members {
		g.weights[i], g.counts[i] = u[row], g.rows.known.count(row)
	}
	for q, codes := range g.rows.codes {
		g.codes[q] = g.codes[q][:n]
		for i, row := range members {
			g.codes[q][i] = codes[row]
		}
	}
	for d, column := range g.rows.columns {
		g.columns[d] = g.columns[d][:n]
		for i, row := range members {
			g.columns[d][i] = column[row]
		}
	}
}

// moments writes mean and scatter of the gathered rows under weights, and returns the sum of weights.
func (g *gatherer) moments(weights, mean, scatter []float64) (weight float64) {
	weight = floats.Sum(weights)
	roots := g.roots[:len(weights)]
	for i, w := range weights {
		roots[i] = math.Sqrt(w)
	}
	for d, column := range g.columns {
		mean[d] = floats.Dot(weights, column) / max(weight, math.SmallestNonzeroFloat64)
		centred := g.centred.Data[d*g.rows.n:][:len(column)]
		for i, x := range column {
			centred[i] = roots[i] * (x - mean[d])
		}
	}
	clear(scatter)
	addProduct(scatter, 1, g.centred)
	return weight
}

// summarize fills the summary of members.
func (g *gatherer) summarize(s *summary, members []int32, u []float64) {
	g.take(members, u)
	s.n = floats.Sum(g.counts)
	s.weight = g.moments(g.weights, s.mean, s.scatter)
	clear(s.counts)
	for q, codes := range g.codes {
		counts := s.counts[g.rows.first[q]:]
		for i, level := range codes {
			if level >= 0 {
				counts[level] += g.counts[i]
			}
		}
	}
}

// join writes the summary of the rows of a and b together.
func (s *summary) join(a, b *summary) {
	s.n, s.weight = a.n+b.n, a.weight+b.weight
	share, both := b.weight/s.weight, a.weight*b.weight/s.weight
	dim := len(s.mean)
	for d := range s.mean {
		delta := b.mean[d] - a.mean[d]
		s.mean[d] = a.mean[d] + share*delta
		for e := range d + 1 {
			i := d*dim + e
			s.scatter[i] = a.scatter[i] + b.scatter[i] + both*delta*(b.mean[e]-a.mean[e])
		}
	}
	for l := range s.counts {
		s.counts[l] = a.counts[l] + b.counts[l]
	}
}
