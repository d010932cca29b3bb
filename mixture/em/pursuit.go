package em

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/metrics"
)

// Revealed returns labels [n] of groups that are separated in directions of least kurtosis, or nil if there are no such
// groups, or fewer than least or more than largest. Two distant groups of equal size have kurtosis 1, a normal
// distribution has 3 (Peña & Prieto 2001). Such directions find groups that are hidden in many columns with common
// factors.
func (r *Rows) Revealed(rng Random, least, largest int) []int32 {
	const most = 3              // directions
	const deep, gain = 0.3, 10. // of a cut
	labels, order := make([]int32, r.N), make([]int, r.N)
	p := newPursuit(r)
	for len(p.found) < most && p.next(rng) {
		rising := p.projected(p.found[len(p.found)-1])
		floats.ArgsortStable(rising, order)
		cuts := cutAtValleys(rising, deep, gain, 0)
		for k, lo := range cuts[:len(cuts)-1] {
			for _, i := range order[lo:cuts[k+1]] {
				labels[i] = labels[i]*mostGroups + int32(k)
			}
		}
	}
	labels, groups := metrics.Canonical(labels)
	if groups < least || groups > largest {
		return nil
	}
	return labels
}

// pursuit searches directions of least kurtosis among whitened rows.
type pursuit struct {
	z      blas64.General // [D,n], uncorrelated, with variance 1
	factor []float64      // [D,D], the columns are factor·z
	found  [][]float64    // [·][D], orthogonal unit vectors
}

func newPursuit(r *Rows) *pursuit {
	factor := r.WithinShape(make([]int32, r.N))
	Cholesky(factor, factor, r.Dim())
	p := &pursuit{z: r.matrix(), factor: factor}
	for row := range slices.Chunk(p.z.Data, r.N) {
		mean := 0.0
		for _, x := range row {
			mean += x / float64(r.N)
		}
		floats.AddConst(-mean, row)
	}
	blas64.Trsm(blas.Left, blas.NoTrans, 1, Triangle(factor, r.Dim(), blas.Lower), p.z)
	return p
}

// next finds a direction of least kurtosis orthogonal to those found, and adds it. It runs a fixed-point iteration from
// each column and from random directions, more of them in small tables (Hyvärinen & Oja 1997). It returns false if no
// kurtosis is below the normal 3.
func (p *pursuit) next(rng Random) bool {
	const steps, work, fewest, most = 10, 2e6, 10, 60
	dim, least := p.z.Rows, 3.0
	random := max(fewest, min(most, work/(dim*p.z.Cols)))
	var best []float64
	for start := range dim + random {
		w := make([]float64, dim)
		if start < dim {
			copy(w, p.factor[start*dim:start*dim+start+1])
		} else {
			for d := range w {
				w[d] = rng.NormFloat64()
			}
		}
		for range steps {
			if !p.orthogonal(w) {
				break
			}
			cubes := p.projected(w)
			kurtosis := 0.0
			for i, y := range cubes {
				cubes[i] = y * y * y
				kurtosis += y * cubes[i] / float64(len(cubes))
			}
			if kurtosis < least {
				best, least = slices.Clone(w), kurtosis
			}
			blas64.Gemv(blas.NoTrans, 1/float64(len(cubes)), p.z, Vector(cubes), -3, Vector(w))
		}
	}
	if best != nil {
		p.found = append(p.found, best)
	}
	return best != nil
}

// orthogonal makes w a unit vector that is orthogonal to the directions found. It returns false for zero.
func (p *pursuit) orthogonal(w []float64) bool {
	for _, u := range p.found {
		floats.AddScaled(w, -floats.Dot(w, u), u)
	}
	norm := floats.Norm(w, 2)
	if !(norm > 1e-9) || math.IsInf(norm, 0) {
		return false
	}
	floats.Scale(1/norm, w)
	return true
}

// projected returns the coordinates [n] of the rows along direction w [D].
func (p *pursuit) projected(w []float64) []float64 {
	y := make([]float64, p.z.Cols)
	blas64.Gemv(blas.Trans, 1, p.z, Vector(w), 0, Vector(y))
	return y
}
