package mixture

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// Square matrices are [D·D], row by row. Of symmetric ones the lower triangle is read and written.

// smallestPivot keeps factors of singular matrices finite, as a share of the diagonal.
const smallestPivot = 1e-12

// grid returns so many slices of n zeros.
func grid(number, n int) [][]float64 {
	out := make([][]float64, number)
	for k := range out {
		out[k] = make([]float64, n)
	}
	return out
}

func general(a []float64, dim int) blas64.General {
	return blas64.General{Rows: dim, Cols: dim, Stride: max(dim, 1), Data: a}
}

func triangle(a []float64, dim int, side blas.Uplo) blas64.Triangular {
	return blas64.Triangular{N: dim, Stride: max(dim, 1), Data: a, Uplo: side, Diag: blas.NonUnit}
}

func symmetric(a []float64, dim int) blas64.Symmetric {
	return blas64.Symmetric{N: dim, Stride: max(dim, 1), Data: a, Uplo: blas.Lower}
}

func vector(a []float64) blas64.Vector { return blas64.Vector{N: len(a), Inc: 1, Data: a} }

func pivot(value, diagonal float64) float64 {
	return math.Sqrt(max(value, smallestPivot*diagonal, math.SmallestNonzeroFloat64))
}

// cholesky writes the lower factor L of a = L·Lᵀ and returns log |a|. l may be a.
func cholesky(a, l []float64, dim int) (logDet float64) {
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

// choleskyUpper writes the upper factor U of a = U·Uᵀ, whose inverse transposed is a lower factor of a⁻¹.
func choleskyUpper(a, u []float64, dim int) (logDet float64) {
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

// solveLower replaces b by L⁻¹·b.
func solveLower(l, b []float64) {
	blas64.Trsv(blas.NoTrans, triangle(l, len(b), blas.Lower), vector(b))
}

// solveLowerTransposed replaces b by L⁻ᵀ·b.
func solveLowerTransposed(l, b []float64) {
	blas64.Trsv(blas.Trans, triangle(l, len(b), blas.Lower), vector(b))
}

// divideUpper replaces the lower triangular p by U⁻ᵀ·p, lower triangular too.
func divideUpper(u, p []float64, dim int) {
	blas64.Trsm(blas.Left, blas.Trans, 1, triangle(u, dim, blas.Upper), general(p, dim))
}

// bartlett fills the lower triangular b, of which b·bᵀ ~ Wishart(df, I).
func (r random) bartlett(df float64, b []float64, dim int) {
	for d := range dim {
		row := b[d*dim : (d+1)*dim]
		for e := range d {
			row[e] = r.NormFloat64()
		}
		row[d] = math.Sqrt(2 * r.gamma(0.5*(df-float64(d))))
		clear(row[d+1:])
	}
}

// addProduct adds factor·p·pᵀ of [D·n] values to the lower triangle of sum.
func addProduct(sum []float64, factor float64, p blas64.General) {
	blas64.Syrk(blas.NoTrans, factor, p, 1, symmetric(sum, p.Rows))
}
