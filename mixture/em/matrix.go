package em

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// Square matrices are [D·D], row by row. Only the lower triangle of symmetric matrices is read and written.

// smallestPivot bounds pivots from below, as a share of the diagonal, so that factors of singular matrices are finite.
const smallestPivot = 1e-12

// Grid returns [number][n] zeros.
func Grid(number, n int) [][]float64 {
	out := make([][]float64, number)
	for k := range out {
		out[k] = make([]float64, n)
	}
	return out
}

// General returns a square matrix as an argument of gonum's products.
func General(a []float64, dim int) blas64.General {
	return blas64.General{Rows: dim, Cols: dim, Stride: max(dim, 1), Data: a}
}

// Triangle returns one triangle of a square matrix as an argument of gonum's products.
func Triangle(a []float64, dim int, side blas.Uplo) blas64.Triangular {
	return blas64.Triangular{N: dim, Stride: max(dim, 1), Data: a, Uplo: side, Diag: blas.NonUnit}
}

func symmetric(a []float64, dim int) blas64.Symmetric {
	return blas64.Symmetric{N: dim, Stride: max(dim, 1), Data: a, Uplo: blas.Lower}
}

// Vector returns a as an argument of gonum's products.
func Vector(a []float64) blas64.Vector { return blas64.Vector{N: len(a), Inc: 1, Data: a} }

func pivot(value, diagonal float64) float64 {
	return math.Sqrt(max(value, smallestPivot*diagonal, math.SmallestNonzeroFloat64))
}

// Cholesky writes the lower factor L of a = L·Lᵀ and returns log |a|. l may be a.
func Cholesky(a, l []float64, dim int) (logDet float64) {
	for i := range dim {
		row := l[i*dim : i*dim+i+1]
		for j := range i {
			row[j] = (a[i*dim+j] - floats.Dot(row[:j], l[j*dim:j*dim+j])) / l[j*dim+j]
		}
		diagonal := a[i*dim+i]
		row[i] = pivot(diagonal-floats.Dot(row[:i], row[:i]), diagonal)
		logDet += 2 * math.Log(row[i])
	}
	return logDet
}

// CholeskyUpper writes the upper factor U of a = U·Uᵀ and returns log |a|. U⁻ᵀ is a lower factor of a⁻¹.
func CholeskyUpper(a, u []float64, dim int) (logDet float64) {
	for j := dim - 1; j >= 0; j-- {
		right := u[j*dim+j+1 : (j+1)*dim]
		diagonal := a[j*dim+j]
		p := pivot(diagonal-floats.Dot(right, right), diagonal)
		u[j*dim+j] = p
		logDet += 2 * math.Log(p)
		for i := range j {
			u[i*dim+j] = (a[j*dim+i] - floats.Dot(u[i*dim+j+1:(i+1)*dim], right)) / p
		}
	}
	return logDet
}

// SolveLower replaces b by L⁻¹·b.
func SolveLower(l, b []float64) {
	blas64.Trsv(blas.NoTrans, Triangle(l, len(b), blas.Lower), Vector(b))
}

// SolveLowerTransposed replaces b by L⁻ᵀ·b.
func SolveLowerTransposed(l, b []float64) {
	blas64.Trsv(blas.Trans, Triangle(l, len(b), blas.Lower), Vector(b))
}

// DivideUpper replaces the lower triangular p by U⁻ᵀ·p, which is lower triangular too.
func DivideUpper(u, p []float64, dim int) {
	blas64.Trsm(blas.Left, blas.Trans, 1, Triangle(u, dim, blas.Upper), General(p, dim))
}

// AddProduct adds factor·p·pᵀ of [D·n] values to the lower triangle of sum.
func AddProduct(sum []float64, factor float64, p blas64.General) {
	blas64.Syrk(blas.NoTrans, factor, p, 1, symmetric(sum, p.Rows))
}
