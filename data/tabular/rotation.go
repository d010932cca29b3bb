package tabular

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Rotation is an affine map of rows of D numbers to their P principal components:
//
//	y_p = Σ_d Components[p][d] · Scale[d] · (x_d − Mean[d])
type Rotation struct {
	Mean       []float64   // [D] of the columns
	Scale      []float64   // [D] 1 over the standard deviation; 0 for a column without variance
	Components [][]float64 // [P][D] orthonormal; the first of the largest entries is positive
	Variance   []float64   // [P] of the components over the rows (1/N), descending
}

const (
	// Largest bounds numbers, so that no sum of squares overflows.
	Largest = 1e140
	// leastShare is the share of the total variance above which a component is kept.
	leastShare = 1e-9
	// Covariances are rounded to multiples of grain. Their last bits vary with the order of the rows, and would rotate
	// the eigenvectors of equal eigenvalues arbitrarily.
	grain = 1.0 / (1 << 40)
)

// Principal finds at most `most` first principal components of n rows of d columns. Each column is centred and, if
// standardize, brought to standard deviation 1 first (Jolliffe 2002, on correlation matrices). x is [n,d], row by row;
// all numbers are within ±Largest.
//
// A column without variance has Scale 0 and moves nothing. Components with less than 1e-9 of the variance are left out.
// It is an error if all columns are constant.
func Principal(x []float64, n, d, most int, standardize bool) (Rotation, error) {
	r := Rotation{Mean: make([]float64, d), Scale: make([]float64, d)}
	all := mat.NewDense(n, d, x)
	for j := range d {
		mean, deviation := moments(mat.Col(nil, j, all))
		if r.Mean[j] = mean; deviation > 0 {
			r.Scale[j] = 1
			if standardize {
				r.Scale[j] = 1 / deviation
			}
		}
	}
	return r, r.decompose(mat.NewDense(n, d, r.standardized(x)), most)
}

// moments returns the mean and the standard deviation (1/N) of numbers within ±Largest. The standard deviation is 0 if
// the numbers differ only by a few rounding errors, or if its inverse would overflow.
func moments(x []float64) (mean, deviation float64) {
	mean = floats.Sum(x) / float64(len(x))
	lowest, highest := floats.Min(x), floats.Max(x)
	const roundings = 8 * 0x1p-52
	if highest-lowest <= roundings*max(math.Abs(lowest), math.Abs(highest)) {
		return mean, 0
	}
	span := highest - lowest // in units of span no square underflows
	var squares, rest float64
	for _, v := range x {
		off := (v - mean) / span
		squares += off * off
		rest += off
	}
	rest /= float64(len(x))
	deviation = span * math.Sqrt(squares/float64(len(x))-rest*rest)
	if math.IsInf(1/deviation, 0) {
		deviation = 0
	}
	return mean + span*rest, deviation
}

// standardized is Scale·(x − Mean) for each row of x [n,D].
func (r Rotation) standardized(x []float64) []float64 {
	z := make([]float64, len(x))
	for at := 0; at < len(x); at += len(r.Mean) {
		for j, scale := range r.Scale {
			z[at+j] = scale * (x[at+j] - r.Mean[j])
		}
	}
	return z
}

// decompose finds Components and Variance of centred rows z [n,d]: the eigenvectors of zᵀz/n. With fewer rows than
// columns they are zᵀu for the eigenvectors u of zzᵀ/n, which has the same eigenvalues.
func (r *Rotation) decompose(z *mat.Dense, most int) error {
	n, d := z.Dims()
	small := z.T()
	if n < d {
		small = z
	}
	products := mat.NewSymDense(min(n, d), nil)
	products.SymOuterK(1/float64(n), small)
	var total float64
	size := products.SymmetricDim()
	for i := range size {
		for j := i; j < size; j++ {
			products.SetSym(i, j, math.Round(products.At(i, j)/grain)*grain)
		}
		total += products.At(i, i)
	}
	if total == 0 {
		return fmt.Errorf("tabular: all %d columns are constant", d)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(products, true) {
		return fmt.Errorf("tabular: the eigenvectors of %d columns were not found", d)
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	values := eigen.Values(nil) // ascending
	for p := size - 1; p >= 0 && len(r.Components) < most && values[p] > leastShare*total; p-- {
		component := mat.NewVecDense(d, nil)
		if n < d {
			component.MulVec(z.T(), vectors.ColView(p))
			component.ScaleVec(1/mat.Norm(component, 2), component)
		} else {
			component.CopyVec(vectors.ColView(p))
		}
		r.Components = append(r.Components, oriented(component.RawVector().Data))
		r.Variance = append(r.Variance, values[p])
	}
	return nil
}

// oriented flips a vector so that its largest entry is positive, the first one if several are equal up to rounding. It
// changes v and returns it.
func oriented(v []float64) []float64 {
	const nearly = 1 - 1e-6
	largest := nearly * floats.Norm(v, math.Inf(1))
	for _, e := range v {
		if math.Abs(e) < largest {
			continue
		}
		if e < 0 {
			floats.Scale(-1, v)
		}
		break
	}
	return v
}

// Apply returns the components [n,P] of rows x [n,D], which must be finite.
func (r Rotation) Apply(x []float64) []float64 {
	d, p := len(r.Mean), len(r.Components)
	z := r.standardized(x)
	y := make([]float64, 0, len(x)/max(d, 1)*p)
	for at := 0; at < len(z); at += d {
		for _, component := range r.Components {
			y = append(y, floats.Dot(component, z[at:at+d]))
		}
	}
	return y
}
