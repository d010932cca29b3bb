package plot

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/internal/report/figure"
)

// PCA2 projects n points of d features (x is [n,d] row-major, not changed) on their first two principal components and
// returns [n,2] row-major coordinates, in the units of x and centred. In each component the coordinate that is largest
// in size is positive, so that the picture does not depend on the solver. A component that does not exist (d = 1, n ≤
// 2, equal points) is zero. It returns nil when len(x) ≠ n·d, n or d is below 1, or a value is not finite.
//
// The components come from the smaller of the covariance [d,d] and the Gram matrix [n,n].
func PCA2(x []float32, n, d int) []float32 {
	if n < 1 || d < 1 || len(x) != n*d {
		return nil
	}
	centred, ok := centre(x, n, d)
	if !ok {
		return nil
	}
	a := mat.NewDense(n, d, centred)
	var square mat.SymDense
	if d <= n {
		square.SymOuterK(1, a.T()) // AᵀA, [d,d]
	} else {
		square.SymOuterK(1, a) // AAᵀ, [n,n]
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(&square, true) {
		return nil
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	values := eigen.Values(nil) // ascending
	out := make([]float32, 2*n)
	for k := range min(2, len(values)) {
		j := len(values) - 1 - k
		if values[j] <= 1e-12*values[len(values)-1] {
			continue
		}
		scores := mat.NewVecDense(n, nil)
		if d <= n {
			scores.MulVec(a, vectors.ColView(j))
		} else {
			scores.ScaleVec(math.Sqrt(values[j]), vectors.ColView(j)) // A = U S Vᵀ, so A V = U S
		}
		put(out, k, scores.RawVector().Data)
	}
	return out
}

// centre returns x − mean in float64, and false when a value is not finite.
func centre(x []float32, n, d int) ([]float64, bool) {
	mean := make([]float64, d)
	for i, v := range x {
		if !figure.Finite(float64(v)) {
			return nil, false
		}
		mean[i%d] += float64(v) / float64(n)
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v) - mean[i%d]
	}
	return out, true
}

// put writes scores into column k of out [n,2], turned so that the largest in size is positive.
func put(out []float32, k int, scores []float64) {
	largest := 0.0
	for _, s := range scores {
		if math.Abs(s) > math.Abs(largest) {
			largest = s
		}
	}
	for i, s := range scores {
		out[2*i+k] = float32(math.Copysign(1, largest) * s)
	}
}
