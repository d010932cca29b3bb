package clustering

import (
	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/posterior"
)

// mostDirections bounds the principal components that points are kept in, and the columns that are directions of their
// own: of more columns only the components are.
const mostDirections = 64

// directions is what is unknown of the clusters of points on all their principal components: at most so many
// directions, of the first components or of the columns, in which noise stays by itself, and the shapes.
func directions(r *tabular.Rotation, most int) *posterior.Selection {
	p := len(r.Components)
	s := &posterior.Selection{
		Covariance: mat.NewSymDense(p, nil), Axes: most, Most: most,
		Shapes: []posterior.Shape{
			posterior.ShapeFull, posterior.ShapeAxes, posterior.ShapeTied, posterior.ShapeTiedAxes,
		},
	}
	for i, v := range r.Variance {
		s.Covariance.SetSym(i, i, v)
	}
	for i := range most {
		component := make([]float64, p)
		component[i] = 1
		s.Directions, s.Start = append(s.Directions, component), append(s.Start, i)
	}
	for j, scale := range r.Scale {
		if scale == 0 || len(r.Scale) > mostDirections {
			continue
		}
		column := make([]float64, p)
		for i, component := range r.Components {
			column[i] = component[j]
		}
		s.Directions = append(s.Directions, column)
	}
	return s
}
