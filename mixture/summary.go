package mixture

import (
	"math"

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

func newSummary(dim, levels int) summary {
	return summary{
		mean: make([]float64, dim), scatter: make([]float64, dim*dim), counts: make([]float64, levels),
		scales: make([]float64, dim),
	}
}

// gatherer copies the rows of a cluster to where they lie side by side.
type gatherer struct {
	rows    *rows
	columns [][]float64 // [D][n]
	centred [][]float64 // [D][n], scratch
	weights []float64   // [n], u
	space   [][]float64
}

func newGatherer(r *rows) *gatherer {
	g := &gatherer{rows: r, columns: make([][]float64, r.dim()), centred: make([][]float64, r.dim())}
	g.space = make([][]float64, 2*r.dim()+2)
	for i := range g.space {
		g.space[i] = make([]float64, r.n)
	}
	return g
}

// take gathers the members' rows and their weights u.
func (g *gatherer) take(members []int32, u []float64) {
	n, dim := len(members), len(g.columns)
	g.weights = g.space[2*dim][:n]
	for i, row := range members {
		g.weights[i] = u[row]
	}
	for d, column := range g.rows.columns {
		out := g.space[d][:n]
		for i, row := range members {
			out[i] = column[row]
		}
		g.columns[d], g.centred[d] = out, g.space[dim+d][:n]
	}
}

// moments writes mean and scatter of the gathered rows under weights, and returns the sum of weights.
func (g *gatherer) moments(weights, mean, scatterOut []float64) (weight float64) {
	for _, w := range weights {
		weight += w
	}
	few := len(g.columns) < 3 // few products: a root for each row costs more
	roots := g.space[2*len(g.columns)+1][:len(weights)]
	if !few {
		for i, w := range weights {
			roots[i] = math.Sqrt(w)
		}
	}
	for d, column := range g.columns {
		m := dot(weights, column) / max(weight, math.SmallestNonzeroFloat64)
		mean[d] = m
		out := g.centred[d][:len(column)]
		if few {
			for i, x := range column {
				out[i] = x - m
			}
			continue
		}
		for i, x := range column {
			out[i] = roots[i] * (x - m)
		}
	}
	switch {
	case len(g.columns) == 0:
	case few:
		smallScatter(g.centred, weights, scatterOut)
	default:
		scatter(g.centred, scatterOut)
	}
	return weight
}

// diagonalMoments is moments with the diagonal of the scatter alone.
func (g *gatherer) diagonalMoments(weights, mean, scatterOut []float64) {
	weight := max(floats.Sum(weights), math.SmallestNonzeroFloat64)
	for d, column := range g.columns {
		m, sum := dot(weights, column)/weight, 0.0
		for i, x := range column {
			x -= m
			sum += weights[i] * x * x
		}
		mean[d], scatterOut[d*len(g.columns)+d] = m, sum
	}
}

// smallScatter is scatter of one or two columns with weights.
func smallScatter(centred [][]float64, weights, out []float64) {
	a := centred[0][:len(weights)]
	b := centred[len(centred)-1][:len(weights)]
	var aa, ab, bb float64
	for i, w := range weights {
		wb := w * b[i]
		ab += wb * a[i]
		bb += wb * b[i]
		aa += w * a[i] * a[i]
	}
	out[0] = aa
	if len(centred) == 2 {
		out[2], out[3] = ab, bb
	}
}

// summarize fills the summary of members.
func (g *gatherer) summarize(s *summary, members []int32, u []float64) {
	g.take(members, u)
	s.n = g.rows.known.size(members)
	s.weight = g.moments(g.weights, s.mean, s.scatter)
	clear(s.counts)
	for q, codes := range g.rows.codes {
		counts := s.counts[g.rows.first[q]:g.rows.first[q+1]]
		for _, row := range members {
			if level := codes[row]; level >= 0 {
				counts[level] += g.rows.known.count(row)
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

func (s *summary) copyFrom(other *summary) {
	s.n, s.weight, s.log = other.n, other.weight, other.log
	copy(s.mean, other.mean)
	copy(s.scatter, other.scatter)
	copy(s.counts, other.counts)
	copy(s.scales, other.scales)
}
