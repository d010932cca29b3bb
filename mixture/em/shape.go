package em

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// Core returns labels [n]: 1 for the rows in the densest place, 0 for all others. A group that is narrow inside a wide
// one lies there. No split of the wide group finds it.
func (r *Rows) Core() []int32 {
	const share, most, wider = 30, 300, 2 // of the rows; places that are tried; radius in distances to the share
	distances, densest, least := make([]float64, r.N), 0, math.Inf(1)
	from := func(centre int) []float64 {
		clear(distances)
		for _, column := range r.Columns {
			for i, x := range column {
				distances[i] += (x - column[centre]) * (x - column[centre])
			}
		}
		return distances
	}
	places := min(most, r.N)
	for k := range places {
		centre := k * r.N / places
		rising := from(centre)
		slices.Sort(rising)
		if radius := rising[r.N/share]; radius < least {
			densest, least = centre, radius
		}
	}
	labels := make([]int32, r.N)
	for i, distance := range from(densest) {
		if distance <= wider*wider*least {
			labels[i] = 1
		}
	}
	return labels
}

// AssignNearest gives each row the label of the nearest centre; centres are rows. Cells are bounded. Otherwise all
// other rows would share a cluster if a few rows lie far out.
func (r *Rows) AssignNearest(centres []int, labels []int32) {
	const bound = 6
	nearest := make([]float64, r.N)
	for k, centre := range centres {
		for i := range r.N {
			distance := 0.0
			for _, column := range r.Columns {
				x := max(-bound, min(bound, column[i])) - max(-bound, min(bound, column[centre]))
				distance += x * x
			}
			for _, codes := range r.Codes {
				if codes[i] != codes[centre] {
					distance += differingVar
				}
			}
			if k == 0 || distance < nearest[i] {
				nearest[i], labels[i] = distance, int32(k)
			}
		}
	}
}

// WithinShape returns the covariance within the clusters of labels [n], slightly enlarged, and their means [K][D], NaN
// for a cluster without rows.
func (r *Rows) WithinShape(labels []int32) (shape []float64, means [][]float64) {
	const wider, floor = 1.01, 1e-4
	dim, number := r.Dim(), int(slices.Max(labels))+1
	sizes := make([]float64, number)
	for _, label := range labels {
		sizes[label]++
	}
	means, shape = Grid(number, dim), make([]float64, dim*dim)
	for k, mean := range means {
		if sizes[k] == 0 {
			floats.AddConst(math.NaN(), mean)
		}
	}
	deviations := r.matrix()
	for d, column := range r.Columns {
		for i, x := range column {
			means[labels[i]][d] += x / sizes[labels[i]]
		}
		row := deviations.Data[d*r.N : (d+1)*r.N]
		for i, label := range labels {
			row[i] -= means[label][d]
		}
	}
	AddProduct(shape, wider/float64(r.N), deviations)
	for d := range dim {
		shape[d*dim+d] += floor
	}
	return shape, means
}

// matrix returns a copy of the columns [D,n].
func (r *Rows) matrix() blas64.General {
	return blas64.General{Rows: r.Dim(), Cols: r.N, Stride: r.N, Data: slices.Concat(r.Columns...)}
}

// Narrowest returns the labels [n] of number clusters that have, of some random starts, the least determinant of the
// covariance within them (Friedman & Rubin 1967).
func (r *Rows) Narrowest(number int, rng Random) (best []int32) {
	const work, most = 3e8, 100
	starts := max(1, min(most, int(work/float64(narrowSteps*r.N*r.Dim()*(r.Dim()+number)))))
	least := math.Inf(1)
	for range starts {
		labels := make([]int32, r.N)
		r.AssignNearest(rng.Perm(r.N)[:number], labels)
		if volume := r.narrow(labels); volume < least {
			best, least = labels, volume
		}
	}
	return best
}

const narrowSteps = 12

// narrow moves each row to the nearest mean, by the covariance within all clusters, several times: the clusters become
// narrow where all of them can be. It returns the log determinant of the last covariance.
func (r *Rows) narrow(labels []int32) (volume float64) {
	nearest, distances := make([]float64, r.N), make([]float64, r.N)
	for range narrowSteps {
		floats.AddConst(math.Inf(1), nearest)
		factor, means := r.WithinShape(labels)
		volume = Cholesky(factor, factor, r.Dim())
		whitened := r.matrix()
		blas64.Trsm(blas.Left, blas.NoTrans, 1, Triangle(factor, r.Dim(), blas.Lower), whitened)
		for k, mean := range means { // NaN is never nearest
			SolveLower(factor, mean)
			clear(distances)
			for d, centre := range mean {
				for i, x := range whitened.Data[d*r.N : (d+1)*r.N] {
					distances[i] += (x - centre) * (x - centre)
				}
			}
			for i, distance := range distances {
				if distance < nearest[i] {
					nearest[i], labels[i] = distance, int32(k)
				}
			}
		}
	}
	return volume
}
