package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

const (
	mostNumbers    = 40 // columns of numbers that the sampler takes as they are
	mostPrincipal  = 40 // principal components that take their place
	leastPrincipal = 5  // of them, though no more have a variance above that of noise
	farBound       = 6  // scales, by which cells are bounded where components are found
)

// projection maps columns of numbers to principal components.
type projection struct {
	Axes   [][]float64 `json:"axes"`   // [components][D], of scaled columns
	Centre []float64   `json:"centre"` // [components]
	Scale  []float64   `json:"scale"`  // [components]
}

// reduce replaces many columns by principal components.
func (e *encoder) reduce(t Table) {
	if len(e.Numbers) <= mostNumbers {
		return
	}
	const rows = 2000
	part := t.runs(rows, 1)
	columns, deviations := standardized(e.encode(part, true).columns)
	p := &projection{Axes: principalAboveNoise(columns)}
	for _, axis := range p.Axes {
		floats.Div(axis, deviations)
	}
	for _, column := range p.apply(e.encode(t, true).columns) {
		centre, scale := robustScale(column)
		p.Centre, p.Scale = append(p.Centre, centre), append(p.Scale, scale)
	}
	e.Projection = p
}

// principalAboveNoise returns the principal axes whose variance is above that of noise, of the columns in random order;
// and of the others those with several humps, as large variances without clusters raise that of noise.
func principalAboveNoise(columns [][]float64) (kept [][]float64) {
	axes, variances := principal(columns, mostPrincipal)
	scores := (&projection{Axes: axes}).apply(columns)
	noise := noiseVariance(columns)
	for k, axis := range axes {
		if k < leastPrincipal || variances[k] > noise || bimodal(scores[k]) {
			kept = append(kept, axis)
		}
	}
	return kept
}

// moreThanNoise tells whether some component of the columns is larger than those of noise.
func moreThanNoise(columns [][]float64) bool {
	const above = 1.2
	columns, _ = standardized(columns)
	_, variances := principal(columns, 1)
	return variances[0] > above*noiseVariance(columns)
}

// standardized returns columns without far cells, centred and divided by their standard deviations.
func standardized(columns [][]float64) (out [][]float64, deviations []float64) {
	out = grid(len(columns), len(columns[0]))
	for d, column := range columns {
		for i, x := range column {
			out[d][i] = max(-farBound, min(farBound, x))
		}
		mean, deviation := stat.PopMeanStdDev(out[d], nil)
		deviation = max(deviation, 1e-9)
		for i, x := range out[d] {
			out[d][i] = (x - mean) / deviation
		}
		deviations = append(deviations, deviation)
	}
	return out, deviations
}

// noiseVariance is the largest variance of a component of the columns, each in a random order of its own.
func noiseVariance(columns [][]float64) float64 {
	rng := newRandom(uint64(len(columns)), 0x6f72646572)
	shuffled := make([][]float64, len(columns))
	for d := range columns {
		column := slices.Clone(columns[d])
		shuffled[d] = column
		rng.Shuffle(len(column), func(i, j int) { column[i], column[j] = column[j], column[i] })
	}
	_, variances := principal(shuffled, 1)
	return variances[0]
}

// principal returns at most most principal axes [components][D] of centred columns [D][n], and their variances,
// falling, by subspace iteration.
func principal(columns [][]float64, most int) (axes [][]float64, variances []float64) {
	const spare, iterations = 10, 12
	dim, n := len(columns), len(columns[0])
	width := min(most+spare, dim, n)
	rows := mat.NewDense(n, dim, nil)
	for d, column := range columns {
		rows.SetCol(d, column)
	}
	rng := newRandom(uint64(dim), 0x61786573)
	subspace := mat.NewDense(dim, width, nil)
	for i := range dim {
		for j := range width {
			subspace.Set(i, j, rng.NormFloat64())
		}
	}
	var scores mat.Dense
	for range iterations {
		scores.Mul(rows, subspace)
		subspace.Mul(rows.T(), &scores)
		orthonormalize(subspace)
	}
	scores.Mul(rows, subspace)
	var svd mat.SVD
	if !svd.Factorize(&scores, mat.SVDThin) {
		return nil, nil
	}
	var turn, turned mat.Dense
	svd.VTo(&turn)
	turned.Mul(subspace, &turn)
	for k, value := range svd.Values(nil)[:min(most, width)] {
		axes = append(axes, mat.Col(nil, k, &turned))
		variances = append(variances, value*value/float64(n))
	}
	return axes, variances
}

// orthonormalize replaces a by an orthonormal basis of its columns, in place: mat.QR would hold a square matrix of its
// rows.
func orthonormalize(a *mat.Dense) {
	_, width := a.Dims()
	raw, tau, size := a.RawMatrix(), make([]float64, width), []float64{0}
	lapack64.Geqrf(raw, tau, size, -1)
	work := make([]float64, max(int(size[0]), width))
	lapack64.Geqrf(raw, tau, work, len(work))
	lapack64.Orgqr(raw, tau, work, len(work))
}

// apply returns the components of columns, scaled if centre and scale are known.
func (p *projection) apply(columns [][]float64) [][]float64 {
	out := grid(len(p.Axes), len(columns[0]))
	for k, axis := range p.Axes {
		for d, column := range columns {
			floats.AddScaled(out[k], axis[d], column)
		}
		if k < len(p.Scale) {
			for i, x := range out[k] {
				out[k][i] = (x - p.Centre[k]) / max(p.Scale[k], math.SmallestNonzeroFloat64)
			}
		}
	}
	return out
}
