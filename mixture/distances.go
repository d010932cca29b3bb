package mixture

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// block is the number of rows whose distances are taken together: small enough for the first cache.
const block = 128

// shape is a location and a lower triangular factor P with Σ⁻¹ = P·Pᵀ.
type shape struct {
	mean    []float64 // [D]
	factor  []float64 // [D·D], 0 above the diagonal
	halfLog float64   // log |P|
	room    []float64 // [D·block]
}

func newShape(dim int) shape {
	return shape{mean: make([]float64, dim), factor: make([]float64, dim*dim), room: make([]float64, dim*block)}
}

// distances writes the squared distances |Pᵀ(x − mean)|² of rows from first on of columns [D][n] to out.
func (s *shape) distances(columns [][]float64, first int, out []float64) {
	dim := len(s.mean)
	clear(out)
	for lo := 0; lo < len(out); lo += block {
		part := out[lo:min(lo+block, len(out))]
		for d, column := range columns {
			delta := s.room[d*block:][:len(part)]
			for i, x := range column[first+lo:][:len(part)] {
				delta[i] = x - s.mean[d]
			}
		}
		blas64.Trmm(blas.Left, blas.Trans, 1, triangle(s.factor, dim, blas.Lower),
			blas64.General{Rows: dim, Cols: len(part), Stride: block, Data: s.room})
		for d := range dim {
			for i, x := range s.room[d*block:][:len(part)] {
				part[i] += x * x
			}
		}
	}
}
