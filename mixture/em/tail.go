package em

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Tail is a t density as a function of the squared distance, without the determinant.
type Tail struct {
	constant float64
	factor   float64 // ½(ν + dim), ½ for Gaussian rows
	inverse  float64 // 1/ν, 0 for Gaussian rows
}

// NewTails returns the t densities [dim+1] in 0..dim dimensions: rows with missing cells have fewer.
func NewTails(nu float64, dim int) (all []Tail) {
	for d := range dim + 1 {
		d := float64(d)
		if math.IsInf(nu, 1) {
			all = append(all, Tail{-0.5 * d * math.Log(2*math.Pi), 0.5, 0})
			continue
		}
		constant := LogGammaFunction(0.5*(nu+d)) - LogGammaFunction(0.5*nu) - 0.5*d*math.Log(nu*math.Pi)
		all = append(all, Tail{constant, 0.5 * (nu + d), 1 / nu})
	}
	return all
}

// Log returns the log density at a squared distance.
func (t *Tail) Log(distance float64) float64 {
	if t.inverse > 0 {
		distance = math.Log(1 + distance*t.inverse)
	}
	return t.constant - t.factor*distance
}

// LogSum returns the sum of the log densities at squared distances. For speed it takes logarithms of products of many
// factors.
func (t *Tail) LogSum(distances []float64) float64 {
	const large = 1e200
	sum := t.constant * float64(len(distances))
	if t.inverse == 0 {
		return sum - t.factor*floats.Sum(distances)
	}
	product := 1.0
	for _, d := range distances {
		if product *= 1 + d*t.inverse; product > large {
			sum -= t.factor * math.Log(product)
			product = 1
		}
	}
	return sum - t.factor*math.Log(product)
}

// RowScale draws u of a row, given its squared distance in dim present cells.
func (r Random) RowScale(nu, distance float64, dim int) float64 {
	if math.IsInf(nu, 1) {
		return 1
	}
	return r.Gamma(0.5*(nu+float64(dim))) / (0.5 * (nu + distance))
}
