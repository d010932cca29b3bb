package mixture

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// random is the stream of random numbers of one chain.
type random struct{ *rand.Rand }

func newRandom(seed, stream uint64) random { return random{rand.New(rand.NewPCG(seed, stream))} }

// logUniform returns log U of a uniform U in (0, 1].
func (r random) logUniform() float64 { return math.Log(1 - r.Float64()) }

// gamma draws from Gamma(shape, 1) (Marsaglia & Tsang 2000).
func (r random) gamma(shape float64) float64 {
	if shape < 1 {
		return math.Exp(r.logGamma(shape))
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		u := 1 - r.Float64()
		x *= x
		if u < 1-0.0331*x*x || math.Log(u) < 0.5*x+d*(1-v+math.Log(v)) {
			return d * v
		}
	}
}

// logGamma draws the logarithm of a Gamma(shape, 1) variable; it stays finite for small shapes.
func (r random) logGamma(shape float64) float64 {
	if shape < 1 {
		return math.Log(r.gamma(shape+1)) + r.logUniform()/shape
	}
	return math.Log(r.gamma(shape))
}

// negligible is a difference of log probabilities beyond which pick ignores the smaller one.
const negligible = 40

// pick draws an index with probabilities in proportion to exp(logWeights), and overwrites logWeights.
func (r random) pick(logWeights []float64) int {
	at, _ := r.pickOf(logWeights)
	return at
}

// pickOf is pick, and returns the log of the sum of the weights, too.
func (r random) pickOf(logWeights []float64) (at int, logTotal float64) {
	largest, total := slices.Max(logWeights), 0.0
	for i, v := range logWeights {
		logWeights[i] = 0
		if v -= largest; v > -negligible {
			logWeights[i] = math.Exp(v)
			total += logWeights[i]
		}
	}
	left := r.Float64() * total
	for i, v := range logWeights {
		if v == 0 {
			continue
		}
		at = i
		if left -= v; left < 0 {
			break
		}
	}
	return at, largest + math.Log(total)
}

const halfLog2Pi = 0.9189385332046727 // ½·log 2π

// logGammaFunction returns log Γ(x) for x > 0. From 8 on it uses Stirling's series, which is faster than math.Lgamma.
func logGammaFunction(x float64) float64 {
	if x < 8 {
		value, _ := math.Lgamma(x)
		return value
	}
	y := 1 / (x * x)
	return (x-0.5)*math.Log(x) - x + halfLog2Pi + (1.0/12-y*(1.0/360-y*(1.0/1260-y*(1.0/1680-y/1188))))/x
}

// logGammaD returns log Γ_D(x), the multivariate gamma function, without its power of π.
func logGammaD(x float64, dim int) float64 {
	sum := 0.0
	for d := range dim {
		sum += logGammaFunction(x - 0.5*float64(d))
	}
	return sum
}

// Square matrices are [D·D], row by row. Only the lower triangle of symmetric matrices is read and written.

// smallestPivot bounds pivots from below, as a share of the diagonal, so that factors of singular matrices are finite.
const smallestPivot = 1e-12

// grid returns [number][n] zeros.
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

// choleskyUpper writes the upper factor U of a = U·Uᵀ and returns log |a|. U⁻ᵀ is a lower factor of a⁻¹.
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

// divideUpper replaces the lower triangular p by U⁻ᵀ·p, which is lower triangular too.
func divideUpper(u, p []float64, dim int) {
	blas64.Trsm(blas.Left, blas.Trans, 1, triangle(u, dim, blas.Upper), general(p, dim))
}

// bartlett fills a lower triangular b so that b·bᵀ ~ Wishart(df, I).
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
