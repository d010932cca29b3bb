package mixture

import "gonum.org/v1/gonum/floats"

// gapRoom is what a component needs for rows with missing cells.
type gapRoom struct {
	precision    []float64 // [D·D]
	delta, inner []float64 // scratch
	pull         []float64
}

func newGapRoom(dim int) gapRoom {
	return gapRoom{make([]float64, dim*dim), make([]float64, dim), make([]float64, dim*dim), make([]float64, dim)}
}

func (to *component) fillPrecision() {
	dim := len(to.mean)
	clear(to.precision)
	addProduct(to.precision, 1, general(to.factor, dim))
}

// at reads the symmetric matrix a.
func at(a []float64, dim, i, j int) float64 { return a[max(i, j)*dim+min(i, j)] }

// observed returns the squared distance of a row by its present cells alone, and log |P| of their law. It leaves the
// factor of the missing cells' precision in inner, and that factor's inverse times Λ_mo·(x_o − μ_o) in pull.
func (to *component) observed(of *rows, g *gap) (distance, halfLog float64) {
	r, dim, m := &to.gapRoom, of.dim(), len(g.missing)
	for d, column := range of.columns {
		r.delta[d] = column[g.row] - to.mean[d]
	}
	for _, d := range g.missing {
		r.delta[d] = 0
	}
	for i, d := range g.missing {
		r.pull[i] = 0
		for e, v := range r.delta {
			r.pull[i] += v * at(to.precision, dim, d, e)
		}
		for j, e := range g.missing[:i+1] {
			r.inner[i*m+j] = at(to.precision, dim, d, e)
		}
	}
	for d, x := range r.delta {
		row := to.precision[d*dim : d*dim+d]
		distance += x * (2*floats.Dot(row, r.delta[:d]) + x*to.precision[d*dim+d])
	}
	logDet := cholesky(r.inner[:m*m], r.inner[:m*m], m)
	solveLower(r.inner[:m*m], r.pull[:m])
	distance -= floats.Dot(r.pull[:m], r.pull[:m])
	return max(distance, 0), to.halfLog - 0.5*logDet
}

// drawCells draws the missing cells given the component of each row with gaps and its 1/√u.
func (r *rows) drawCells(rng random, of func(*gap) (*component, float64)) {
	for i := range r.gaps {
		gap, m := &r.gaps[i], len(r.gaps[i].missing)
		to, spread := of(gap)
		to.observed(r, gap)
		room := &to.gapRoom
		for j := range m {
			room.pull[j] = spread*rng.NormFloat64() - room.pull[j]
		}
		solveLowerTransposed(room.inner[:m*m], room.pull[:m])
		for j, d := range gap.missing {
			r.columns[d][gap.row] = to.mean[d] + room.pull[j]
		}
	}
}
