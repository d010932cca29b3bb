package mixture

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// block is the number of rows whose distances are computed together. Such a block fits into the first cache.
const block = 128

// component is one component of the mixture with its parameters; Σ⁻¹ = P·Pᵀ. The first t components have rows.
type component struct {
	logWeight float64
	mean      []float64 // [D]
	factor    []float64 // [D·D], P, 0 above the diagonal
	halfLog   float64   // log |P|
	precision []float64 // [D·D], Σ⁻¹; only if cells are missing or rounded
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

// distances writes the squared distances |Pᵀ(x − mean)|² of rows of columns [D][n] to out, from row first on.
func (to *component) distances(columns [][]float64, first int, out []float64) {
	dim := len(to.mean)
	clear(out)
	for lo := 0; lo < len(out); lo += block {
		part := out[lo:min(lo+block, len(out))]
		for d, mean := range to.mean {
			delta := to.room[d*block:][:len(part)]
			for i, x := range columns[d][first+lo:][:len(part)] {
				delta[i] = x - mean
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
	to.halfLog = 0
	for d := range dim {
		to.halfLog += math.Log(to.factor[d*dim+d])
	}
	if c.rows.gapOf != nil || len(c.rows.rounded) > 0 {
		to.fillPrecision()
	}
	total := kappa + s.weight
	root := 1 / math.Sqrt(total)
	for d := range to.mean {
		to.mean[d] = root * c.rng.NormFloat64()
	}
	solveLowerTransposed(to.factor, to.mean)
	for d, m := range s.mean {
		to.mean[d] += (kappa*l.centre[d] + s.weight*m) / total
	}
	first := c.rows.first
	for q := range c.rows.variables() {
		logs, total := to.logLevel[first[q]:first[q+1]], 0.0
		for i := range logs {
			g := c.rng.gamma(1 + s.counts[first[q]+i])
			logs[i] = math.Log(g)
			total += g
		}
		floats.AddConst(-math.Log(total), logs)
	}
}

// drawEmpty draws the parameters of the components without rows from their prior, and the weights of all.
func (c *chain) drawEmpty() {
	for k := len(c.clusters); k < c.number; k++ {
		nothing := &c.nothing.summary
		c.law.drawScalesOf(nothing)
		c.drawParameters(&c.components[k], nothing, c.drawKappa(nothing))
	}
	share := c.alpha / float64(c.number)
	for k := range c.number {
		n := 0.0
		if k < len(c.clusters) {
			n = c.clusters[k].n
		}
		c.logs[k] = c.rng.logGamma(share + n)
	}
	total := floats.LogSumExp(c.logs[:c.number])
	for k := range c.number {
		c.components[k].logWeight = c.logs[k] - total
	}
}

// fillPrecision computes precision from factor.
func (to *component) fillPrecision() {
	dim := len(to.mean)
	clear(to.precision)
	addProduct(to.precision, 1, general(to.factor, dim))
	for i := range dim {
		for j := range i {
			to.precision[j*dim+i] = to.precision[i*dim+j]
		}
	}
}

// observed returns the squared distance of a row by its present cells alone, and log |P| of their distribution. It
// leaves the factor of the missing cells' precision in inner, and that factor's inverse times Λ_mo·(x_o − μ_o) in pull.
func (to *component) observed(of *rows, g *gap) (distance, halfLog float64) {
	dim, m := of.dim(), len(g.missing)
	for d, column := range of.columns {
		to.delta[d] = column[g.row] - to.mean[d]
	}
	for _, d := range g.missing {
		to.delta[d] = 0
	}
	pulls := to.room[:dim]
	blas64.Symv(1, symmetric(to.precision, dim), vector(to.delta), 0, vector(pulls))
	distance = floats.Dot(pulls, to.delta)
	for i, d := range g.missing {
		to.pull[i] = pulls[d]
		for j, e := range g.missing[:i+1] { // rising: in the lower triangle
			to.inner[i*m+j] = to.precision[d*dim+e]
		}
	}
	logDet := cholesky(to.inner[:m*m], to.inner[:m*m], m)
	solveLower(to.inner[:m*m], to.pull[:m])
	distance -= floats.Dot(to.pull[:m], to.pull[:m])
	return max(distance, 0), to.halfLog - 0.5*logDet
}

// drawCells draws the missing cells. of returns the component of a row with gaps, and its 1/√u.
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

// degrees is the grid of ν. The last stands for Gaussian rows and has half of the prior; the others share the rest.
var degrees = [...]float64{1, 1.5, 2, 3, 4, 6, 8, 12, 20, 40, math.Inf(1)}

const gaussian = len(degrees) - 1

func logDegreesPrior(at int) float64 {
	if at == gaussian {
		return math.Log(0.5)
	}
	return math.Log(0.5 / float64(gaussian))
}

// tail is a t density as a function of the squared distance, without the determinant.
type tail struct {
	constant float64
	factor   float64 // ½(ν + dim), ½ for Gaussian rows
	inverse  float64 // 1/ν, 0 for Gaussian rows
}

// newTails returns the t densities [dim+1] in 0..dim dimensions: rows with missing cells have fewer.
func newTails(nu float64, dim int) (all []tail) {
	for d := range dim + 1 {
		d := float64(d)
		if math.IsInf(nu, 1) {
			all = append(all, tail{-0.5 * d * math.Log(2*math.Pi), 0.5, 0})
			continue
		}
		constant := logGammaFunction(0.5*(nu+d)) - logGammaFunction(0.5*nu) - 0.5*d*math.Log(nu*math.Pi)
		all = append(all, tail{constant, 0.5 * (nu + d), 1 / nu})
	}
	return all
}

// log returns the log density at a squared distance.
func (t *tail) log(distance float64) float64 {
	if t.inverse > 0 {
		distance = math.Log(1 + distance*t.inverse)
	}
	return t.constant - t.factor*distance
}

// logSum returns the sum of the log densities at squared distances. For speed it takes logarithms of products of many
// factors.
func (t *tail) logSum(distances []float64) float64 {
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

// drawTail draws ν given labels and parameters, with the scales u integrated out.
func (c *chain) drawTail() {
	var logs [len(degrees)]float64
	for at := range logs {
		logs[at] = logDegreesPrior(at)
		if c.rows.gapOf == nil {
			logs[at] += c.tails[at][c.rows.dim()].logSum(c.own)
			continue
		}
		for i, d := range c.own {
			law := &c.tails[at][c.rows.dim()-c.rows.missingOf(i)]
			logs[at] += law.log(d)
		}
	}
	c.tail = c.rng.pick(logs[:])
}

// missingOf returns the number of missing cells of a row.
func (r *rows) missingOf(row int) int {
	if r.gapOf == nil || r.gapOf[row] < 0 {
		return 0
	}
	return len(r.gaps[r.gapOf[row]].missing)
}

// drawRowScales draws u of all rows given their labels and parameters.
func (c *chain) drawRowScales() {
	nu := degrees[c.tail]
	for i := range c.scales {
		c.scales[i] = c.rng.rowScale(nu, c.own[i], c.rows.dim()-c.rows.missingOf(i))
	}
}

// rowScale draws u of a row, given its squared distance in dim present cells.
func (r random) rowScale(nu, distance float64, dim int) float64 {
	if math.IsInf(nu, 1) {
		return 1
	}
	return r.gamma(0.5*(nu+float64(dim))) / (0.5 * (nu + distance))
}

// drawLabels draws the labels of all rows in one block given the parameters of all components, with u integrated out.
// Rows that must be together or apart come last: each unit is drawn given the labels of the other units.
func (c *chain) drawLabels() {
	c.logDensity = 0
	known := &c.rows.known
	clear(c.unitLogs)
	c.occupy()
	for lo := 0; lo < c.rows.n; lo += block {
		hi := min(lo+block, c.rows.n)
		for k := range c.number {
			c.components[k].distances(c.rows.columns, lo, c.distances[k][:hi-lo])
			c.components[k].join(c.rows, c.tails[c.tail], lo, c.distances[k][:hi-lo], c.blockLogs[k][:hi-lo])
		}
		for i := lo; i < hi; i++ {
			logs := c.logs[:c.number]
			for k := range logs {
				logs[k] = c.blockLogs[k][i-lo]
			}
			if u := known.unit(int32(i)); u >= 0 {
				floats.Add(c.logsOf(u), logs)
				continue
			}
			c.labels[i] = c.drawLabel(logs, c.labels[i])
			c.own[i] = c.distances[c.labels[i]][i-lo]
		}
	}
	c.drawUnits()
}

// join writes the log joint probabilities of rows with the component, from row lo on, given their squared distances.
// For rows with missing cells it also writes the distances, by the present cells alone. laws holds a t density for
// each number of present cells.
func (to *component) join(r *rows, laws []tail, lo int, distances, logs []float64) {
	full := &laws[r.dim()]
	base := to.logWeight + to.halfLog
	for i, d := range distances {
		if full.inverse == 0 { // faster than a call
			logs[i] = base + (full.constant - full.factor*d)
		} else {
			logs[i] = base + full.log(d)
		}
	}
	for q, codes := range r.codes {
		for i, code := range codes[lo : lo+len(logs)] {
			if code >= 0 {
				logs[i] += to.logLevel[r.first[q]+int(code)]
			}
		}
	}
	if r.gapOf == nil {
		return
	}
	for i, d := range distances {
		if at := r.gapOf[lo+i]; at >= 0 {
			gap := &r.gaps[at]
			present, halfLog := to.observed(r, gap)
			logs[i] += halfLog - to.halfLog + laws[r.dim()-len(gap.missing)].log(present) - full.log(d)
			distances[i] = present
		}
	}
}

// drawLabel draws a new component for a unit in component now, with probabilities in proportion to exp(logs). It
// overwrites logs. It returns now if the draw would leave too few clusters.
func (c *chain) drawLabel(logs []float64, now int32) int32 {
	to, total := c.rng.pickOf(logs)
	c.logDensity += total
	if c.least > 1 && !c.moveUnits(now, int32(to), 1) {
		return now
	}
	return int32(to)
}
