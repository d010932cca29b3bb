package em

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// Block is the number of rows whose distances are computed together. Such a block fits into the first cache.
const Block = 128

// Component is one component of the mixture with its parameters; Σ⁻¹ = P·Pᵀ. The first t components have rows.
type Component struct {
	LogWeight float64
	Mean      []float64 // [D]
	Factor    []float64 // [D·D], P, 0 above the diagonal
	HalfLog   float64   // log |P|
	Precision []float64 // [D·D], Σ⁻¹; only if cells are missing or rounded
	LogLevel  []float64 // log probabilities of the levels, of all variables
	Scales    []float64 // [D], log a

	room               []float64 // [D·block], scratch
	delta, pull, inner []float64 // scratch for rows with missing cells
}

// NewComponent returns a component without parameters, with its scratch space.
func NewComponent(dim, levels int) Component {
	vectors, matrices := Grid(4, dim), Grid(3, dim*dim)
	return Component{
		Mean: vectors[0], Scales: vectors[1], delta: vectors[2], pull: vectors[3],
		Factor: matrices[0], Precision: matrices[1], inner: matrices[2],
		LogLevel: make([]float64, levels), room: make([]float64, dim*Block),
	}
}

// Distances writes the squared distances |Pᵀ(x − mean)|² of rows of columns [D][n] to out, from row first on.
func (to *Component) Distances(columns [][]float64, first int, out []float64) {
	dim := len(to.Mean)
	clear(out)
	for lo := 0; lo < len(out); lo += Block {
		part := out[lo:min(lo+Block, len(out))]
		for d, mean := range to.Mean {
			delta := to.room[d*Block:][:len(part)]
			for i, x := range columns[d][first+lo:][:len(part)] {
				delta[i] = x - mean
			}
		}
		blas64.Trmm(blas.Left, blas.Trans, 1, Triangle(to.Factor, dim, blas.Lower),
			blas64.General{Rows: dim, Cols: len(part), Stride: Block, Data: to.room})
		for d := range dim {
			for i, x := range to.room[d*Block:][:len(part)] {
				part[i] += x * x
			}
		}
	}
}

// FillPrecision computes precision from factor.
func (to *Component) FillPrecision() {
	dim := len(to.Mean)
	clear(to.Precision)
	AddProduct(to.Precision, 1, General(to.Factor, dim))
	for i := range dim {
		for j := range i {
			to.Precision[j*dim+i] = to.Precision[i*dim+j]
		}
	}
}

// observed returns the squared distance of a row by its present cells alone, and log |P| of their distribution. It
// leaves the factor of the missing cells' precision in inner, and that factor's inverse times Λ_mo·(x_o − μ_o) in pull.
func (to *Component) observed(of *Rows, g *Gap) (distance, halfLog float64) {
	dim, m := of.Dim(), len(g.Missing)
	for d, column := range of.Columns {
		to.delta[d] = column[g.Row] - to.Mean[d]
	}
	for _, d := range g.Missing {
		to.delta[d] = 0
	}
	pulls := to.room[:dim]
	blas64.Symv(1, symmetric(to.Precision, dim), Vector(to.delta), 0, Vector(pulls))
	distance = floats.Dot(pulls, to.delta)
	for i, d := range g.Missing {
		to.pull[i] = pulls[d]
		for j, e := range g.Missing[:i+1] { // rising: in the lower triangle
			to.inner[i*m+j] = to.Precision[d*dim+e]
		}
	}
	logDet := Cholesky(to.inner[:m*m], to.inner[:m*m], m)
	SolveLower(to.inner[:m*m], to.pull[:m])
	distance -= floats.Dot(to.pull[:m], to.pull[:m])
	return max(distance, 0), to.HalfLog - 0.5*logDet
}

// DrawCells draws the missing cells. of returns the component of a row with gaps, and its 1/√u.
func (r *Rows) DrawCells(rng Random, of func(*Gap) (*Component, float64)) {
	for i := range r.Gaps {
		gap, m := &r.Gaps[i], len(r.Gaps[i].Missing)
		to, spread := of(gap)
		to.observed(r, gap)
		for j := range m {
			to.pull[j] = spread*rng.NormFloat64() - to.pull[j]
		}
		SolveLowerTransposed(to.inner[:m*m], to.pull[:m])
		for j, d := range gap.Missing {
			r.Columns[d][gap.Row] = to.Mean[d] + to.pull[j]
		}
	}
}

// Join writes the log joint probabilities of rows with the component, from row lo on, given their squared distances.
// For rows with missing cells it also writes the distances, by the present cells alone. laws holds a t density for
// each number of present cells.
func (to *Component) Join(r *Rows, laws []Tail, lo int, distances, logs []float64) {
	full := &laws[r.Dim()]
	base := to.LogWeight + to.HalfLog
	for i, d := range distances {
		if full.inverse == 0 { // faster than a call
			logs[i] = base + (full.constant - full.factor*d)
		} else {
			logs[i] = base + full.Log(d)
		}
	}
	for q, codes := range r.Codes {
		for i, code := range codes[lo : lo+len(logs)] {
			if code >= 0 {
				logs[i] += to.LogLevel[r.First[q]+int(code)]
			}
		}
	}
	if r.GapOf == nil {
		return
	}
	for i, d := range distances {
		if at := r.GapOf[lo+i]; at >= 0 {
			gap := &r.Gaps[at]
			present, halfLog := to.observed(r, gap)
			logs[i] += halfLog - to.HalfLog + laws[r.Dim()-len(gap.Missing)].Log(present) - full.Log(d)
			distances[i] = present
		}
	}
}
