package em

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// Summary holds the statistics of a cluster's rows from which its law follows.
type Summary struct {
	N       float64   // rows
	Weight  float64   // Σ u
	Mean    []float64 // [D], weighted with u
	Scatter []float64 // [D·D], lower triangle of Σ u·(x − mean)(x − mean)ᵀ
	Counts  []float64 // of levels, of all variables
	Scales  []float64 // [D], log a, the scales of its own (package mixture, scales.go)
	Log     float64   // log marginal likelihood under the present law
}

// Part is all rows of a table, or some as columns of their own; with weights.
type Part struct {
	Rows
	whole   *Rows          // the table
	Weights []float64      // [n], u, or 1
	roots   []float64      // [n], scratch
	centred blas64.General // [D][n], scratch
}

// All returns all rows, with weight 1.
func (r *Rows) All() *Part {
	centred := blas64.General{Rows: r.Dim(), Cols: r.N, Stride: r.N, Data: make([]float64, r.Dim()*r.N)}
	return &Part{Rows: *r, whole: r, Weights: r.Ones(), roots: make([]float64, r.N), centred: centred}
}

// Some returns a part that can take rows.
func (r *Rows) Some() *Part {
	p := r.All()
	p.Columns, p.Codes, p.Gaps, p.GapOf = Grid(r.Dim(), r.N), nil, nil, nil
	for range r.Codes {
		p.Codes = append(p.Codes, make([]int32, r.N))
	}
	return p
}

// take copies the members' rows and their weights u. All cells count as known.
func (p *Part) take(members []int32, u []float64) {
	p.N = len(members)
	p.Weights, p.centred.Cols = p.Weights[:p.N], p.N
	for i, row := range members {
		p.Weights[i] = u[row]
	}
	for q, codes := range p.whole.Codes {
		p.Codes[q] = p.Codes[q][:p.N]
		for i, row := range members {
			p.Codes[q][i] = codes[row]
		}
	}
	for d, column := range p.whole.Columns {
		p.Columns[d] = p.Columns[d][:p.N]
		for i, row := range members {
			p.Columns[d][i] = column[row]
		}
	}
}

// moments writes mean and scatter of the rows under weights, and returns the sum of weights.
func (p *Part) moments(weights, mean, scatter []float64) (weight float64) {
	weight = floats.Sum(weights)
	roots := p.roots[:p.N]
	for i, w := range weights {
		roots[i] = math.Sqrt(w)
	}
	for d, column := range p.Columns {
		mean[d] = floats.Dot(weights, column) / max(weight, math.SmallestNonzeroFloat64)
		centred := p.centred.Data[d*p.centred.Stride:][:p.N]
		for i, x := range column {
			centred[i] = roots[i] * (x - mean[d])
		}
	}
	clear(scatter)
	AddProduct(scatter, 1, p.centred)
	return weight
}

// resolution is the assumed error of a cell, in scales of its column. Without it the density of equal rows is
// unbounded.
const resolution = 1e-4

// Summarize takes the members' rows with weights u and writes their statistics to s; scales and log stay.
func (p *Part) Summarize(s *Summary, members []int32, u []float64) {
	p.take(members, u)
	s.N = float64(p.N)
	s.Weight = p.moments(p.Weights, s.Mean, s.Scatter)
	for d, dim := 0, len(s.Mean); d < dim; d++ {
		s.Scatter[d*dim+d] += s.Weight * resolution * resolution
	}
	clear(s.Counts)
	for q, codes := range p.Codes {
		counts := s.Counts[p.First[q]:]
		for _, level := range codes {
			if level >= 0 {
				counts[level]++
			}
		}
	}
}

// Join writes the summary of the rows of a and b together.
func (s *Summary) Join(a, b *Summary) {
	s.N, s.Weight = a.N+b.N, a.Weight+b.Weight
	share, both := b.Weight/s.Weight, a.Weight*b.Weight/s.Weight
	dim := len(s.Mean)
	for d := range s.Mean {
		delta := b.Mean[d] - a.Mean[d]
		s.Mean[d] = a.Mean[d] + share*delta
		for e := range d + 1 {
			i := d*dim + e
			s.Scatter[i] = a.Scatter[i] + b.Scatter[i] + both*delta*(b.Mean[e]-a.Mean[e])
		}
	}
	floats.AddTo(s.Counts, a.Counts, b.Counts)
}
