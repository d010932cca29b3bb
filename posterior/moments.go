package posterior

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// moments are sums over the points of a cluster in F directions.
type moments struct {
	n     int
	sum   []float64 // [F]
	cross []float64 // [F,F], the upper triangle of Σ x·xᵀ
}

func (m *moments) reset(f int) {
	if m.n = 0; m.sum == nil {
		m.sum, m.cross = make([]float64, f), make([]float64, f*f)
	}
	clear(m.sum)
	clear(m.cross)
}

func (m *moments) add(x []float64) {
	m.n++
	floats.Add(m.sum, x)
	for i, v := range x {
		floats.AddScaled(m.cross[i*len(x)+i:(i+1)*len(x)], v, x[i:])
	}
}

// scatter is an entry of the sum of squares about a mean whose prior, around 0, is worth kappa points; i ≤ j.
func (m *moments) scatter(i, j int, kappa float64) float64 {
	return m.cross[i*len(m.sum)+j] - m.sum[i]*m.sum[j]/(kappa+float64(m.n))
}

// square is room for the upper triangle of a symmetric matrix.
type square struct {
	size int
	data []float64
}

func (q *square) resize(size int) {
	q.size = size
	if cap(q.data) < size*size {
		q.data = make([]float64, size*size)
	}
	q.data = q.data[:size*size]
}

// logDet factorizes the matrix in place, and returns the logarithm of its determinant. ok says whether it is positive
// definite.
func (q *square) logDet() (log float64, ok bool) {
	_, ok = lapack64.Potrf(blas64.Symmetric{N: q.size, Stride: q.size, Data: q.data, Uplo: blas.Upper})
	product := 1.0
	for i := range q.size {
		if product *= q.data[i*(q.size+1)]; product > 1e100 || product < 1e-100 {
			log, product = log+math.Log(product), 1
		}
	}
	return 2 * (log + math.Log(product)), ok
}
