package em

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
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
	const bound, differing = 6, 4 // differing: squared distance of two rows that differ in a category
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
					distance += differing
				}
			}
			if k == 0 || distance < nearest[i] {
				nearest[i], labels[i] = distance, int32(k)
			}
		}
	}
}

// WithinShape returns the covariance within the clusters of labels [n], slightly enlarged.
func (r *Rows) WithinShape(labels []int32) (shape []float64) {
	const wider, floor = 1.01, 1e-4
	dim, number := r.Dim(), int(slices.Max(labels))+1
	sizes := make([]float64, number)
	for _, label := range labels {
		sizes[label]++
	}
	shape = make([]float64, dim*dim)
	deviations := r.matrix()
	for d, column := range r.Columns {
		means := make([]float64, number)
		for i, x := range column {
			means[labels[i]] += x / sizes[labels[i]]
		}
		row := deviations.Data[d*r.N : (d+1)*r.N]
		for i, label := range labels {
			row[i] -= means[label]
		}
	}
	AddProduct(shape, wider/float64(r.N), deviations)
	for d := range dim {
		shape[d*dim+d] += floor
	}
	return shape
}

// matrix returns a copy of the columns [D,n].
func (r *Rows) matrix() blas64.General {
	return blas64.General{Rows: r.Dim(), Cols: r.N, Stride: r.N, Data: slices.Concat(r.Columns...)}
}
