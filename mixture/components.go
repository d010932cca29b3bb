package mixture

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// block is the number of rows whose distances are taken together: small enough for the first cache.
const block = 128

// component is one component of the mixture with its parameters; the first t have rows. Σ⁻¹ = P·Pᵀ.
type component struct {
	logWeight float64
	mean      []float64 // [D]
	factor    []float64 // [D·D], P, 0 above the diagonal
	halfLog   float64   // log |P|
	precision []float64 // [D·D], Σ⁻¹, where cells are missing
	logLevel  []float64 // log probabilities of the levels, of all variables
	scales    []float64 // [D], log a

	room               []float64 // [D·block], scratch
	delta, pull, inner []float64 // scratch for rows with missing cells
}

func newComponent(dim, levels int) component {
	vectors, matrices := grid(4, dim), grid(3, dim*dim)
	return component{
		mean: vectors[0], scales: vectors[1], delta: vectors[2], pull: vectors[3],
		factor: matrices[0], precision: matrices[1], inner: matrices[2],
		logLevel: make([]float64, levels), room: make([]float64, dim*block),
	}
}

// distances writes the squared distances |Pᵀ(x − mean)|² of rows from first on of columns [D][n] to out.
func (to *component) distances(columns [][]float64, first int, out []float64) {
	dim := len(to.mean)
	clear(out)
	for lo := 0; lo < len(out); lo += block {
		part := out[lo:min(lo+block, len(out))]
		for d, column := range columns {
			delta := to.room[d*block:][:len(part)]
			for i, x := range column[first+lo:][:len(part)] {
				delta[i] = x - to.mean[d]
			}
		}
		blas64.Trmm(blas.Left, blas.Trans, 1, triangle(to.factor, dim, blas.Lower),
			blas64.General{Rows: dim, Cols: len(part), Stride: block, Data: to.room})
		for d := range dim {
			for i, x := range to.room[d*block:][:len(part)] {
				part[i] += x * x
			}
		}
	}
}

// drawParameters draws mean, covariance and category probabilities of a component given the summary of its rows.
func (c *chain) drawParameters(to *component, s *summary, kappa float64) {
	copy(to.scales, s.scales)
	l, dim := c.law, c.rows.dim()
	l.around(s, kappa, 1)
	choleskyUpper(l.matrix, l.factor, dim)
	c.rng.bartlett(l.df+s.n, to.factor, dim)
	divideUpper(l.factor, to.factor, dim)
	c.drawMean(to, s, kappa)
	to.halfLog = 0
	for d := range dim {
		to.halfLog += math.Log(to.factor[d*dim+d])
	}
	c.drawLevels(to, s)
	if c.rows.gapOf != nil {
		to.fillPrecision()
	}
}

// drawMean draws a mean given the factor of the precision.
func (c *chain) drawMean(to *component, s *summary, kappa float64) {
	total := kappa + s.weight
	root := 1 / math.Sqrt(total)
	for d := range to.mean {
		to.mean[d] = root * c.rng.NormFloat64()
	}
	solveLowerTransposed(to.factor, to.mean)
	for d, m := range s.mean {
		to.mean[d] += (kappa*c.law.centre[d] + s.weight*m) / total
	}
}

func (c *chain) drawLevels(to *component, s *summary) {
	first := c.rows.first
	for q := range c.rows.variables() {
		logs, total := to.logLevel[first[q]:first[q+1]], 0.0
		for l := range logs {
			g := c.rng.gamma(1 + s.counts[first[q]+l])
			logs[l] = math.Log(g)
			total += g
		}
		for l := range logs {
			logs[l] -= math.Log(total)
		}
	}
}

// drawOccupied draws the parameters of the components that have rows.
func (c *chain) drawOccupied() {
	for k, cluster := range c.clusters {
		c.drawParameters(&c.components[k], &cluster.summary, cluster.kappa)
	}
}

// drawEmpty draws the parameters of the components without rows from their prior, and the weights of all.
func (c *chain) drawEmpty() {
	for k := len(c.clusters); k < c.number; k++ {
		c.law.drawScalesOf(&c.nothing)
		c.drawParameters(&c.components[k], &c.nothing, c.drawKappa(&c.nothing))
	}
	share := c.alpha / float64(c.number)
	for k := range c.number {
		n := 0.0
		if k < len(c.clusters) {
			n = c.clusters[k].n
		}
		c.logs[k] = c.rng.logGamma(share + n)
	}
	total := logSumExp(c.logs[:c.number])
	for k := range c.number {
		c.components[k].logWeight = c.logs[k] - total
	}
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
	dim, m := of.dim(), len(g.missing)
	for d, column := range of.columns {
		to.delta[d] = column[g.row] - to.mean[d]
	}
	for _, d := range g.missing {
		to.delta[d] = 0
	}
	for i, d := range g.missing {
		to.pull[i] = 0
		for e, v := range to.delta {
			to.pull[i] += v * at(to.precision, dim, d, e)
		}
		for j, e := range g.missing[:i+1] {
			to.inner[i*m+j] = at(to.precision, dim, d, e)
		}
	}
	for d, x := range to.delta {
		row := to.precision[d*dim : d*dim+d]
		distance += x * (2*floats.Dot(row, to.delta[:d]) + x*to.precision[d*dim+d])
	}
	logDet := cholesky(to.inner[:m*m], to.inner[:m*m], m)
	solveLower(to.inner[:m*m], to.pull[:m])
	distance -= floats.Dot(to.pull[:m], to.pull[:m])
	return max(distance, 0), to.halfLog - 0.5*logDet
}

// drawCells draws the missing cells given the component of each row with gaps and its 1/√u.
func (r *rows) drawCells(rng random, of func(*gap) (*component, float64)) {
	for i := range r.gaps {
		gap, m := &r.gaps[i], len(r.gaps[i].missing)
		to, spread := of(gap)
		to.observed(r, gap)
		for j := range m {
			to.pull[j] = spread*rng.NormFloat64() - to.pull[j]
		}
		solveLowerTransposed(to.inner[:m*m], to.pull[:m])
		for j, d := range gap.missing {
			r.columns[d][gap.row] = to.mean[d] + to.pull[j]
		}
	}
}
