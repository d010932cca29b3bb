package mixture

import (
	"context"
	"math"
)

// ShapeCheck compares the clusters' shapes with those of sets drawn from the mixture.
type ShapeCheck struct {
	Chance  float64 // of such a set to depart as much as the table; 1 where nothing can be compared
	Fault   Fault   // what departs most
	Cluster int     // it is about, or −1
}

// Fault is a way in which rows depart from a mixture.
type Fault int

// The faults of shape.
const (
	Skewed     Fault = iota // a cluster has a longer tail to one side
	HeavyTails              // a cluster has more rows far out
	LightTails              // a cluster ends sharply
	faults
)

// MostShapeChance is the chance at which the shape of clusters is in doubt.
const MostShapeChance = 0.02

// InDoubt reports whether the table departs from the mixture more than chance does.
func (s ShapeCheck) InDoubt() bool { return s.Chance <= MostShapeChance }

const shapeSets = 100 // that are drawn

var noShape = ShapeCheck{Chance: 1, Cluster: -1}

// departure is how far rows depart from their mixture, by fault, and which cluster does.
type departure struct {
	size    [faults]float64
	cluster [faults]int
}

// checkShape draws sets from the fit and compares the departures: each over its spread among the sets, and of these the
// largest.
func (c *checker) checkShape(ctx context.Context, m *em) (ShapeCheck, error) {
	own, sets := c.departure(m), make([]departure, shapeSets)
	var mean, spread [faults]float64
	for b := range sets {
		if err := ctx.Err(); err != nil {
			return noShape, err
		}
		set := c.fit.on(c.draw(m.rows))
		set.expect()
		sets[b] = c.departure(set)
		for f, size := range sets[b].size {
			mean[f] += size / shapeSets
		}
	}
	for _, s := range sets {
		for f, size := range s.size {
			spread[f] += (size - mean[f]) * (size - mean[f]) / shapeSets
		}
	}
	worst := func(d departure) (at Fault, most float64) {
		most = math.Inf(-1)
		for f := range faults {
			if z := (d.size[f] - mean[f]) / math.Sqrt(spread[f]); z > most { // never where no cluster has enough rows
				at, most = f, z
			}
		}
		return at, most
	}
	fault, most := worst(own)
	beyond := 1.0
	for _, s := range sets {
		if _, z := worst(s); z >= most {
			beyond++
		}
	}
	return ShapeCheck{Chance: beyond / (shapeSets + 1), Fault: fault, Cluster: own.cluster[fault]}, nil
}

// departure measures the clusters' skewness and kurtosis (Mardia 1970) in units of chance; of the third moments those
// of one coordinate with the square of one.
func (c *checker) departure(m *em) departure {
	out := departure{cluster: [faults]int{-1, -1, -1}}
	for k, rows := range m.nearestRows() {
		if !c.counted[k] || len(rows) < fewestMembers(m.rows.dim()) {
			continue
		}
		z := m.residuals(k, rows)
		n, dim := float64(len(rows)), float64(len(z))
		skew, norms, square := 0.0, make([]float64, len(rows)), make([]float64, len(rows))
		for _, column := range z {
			for i, x := range column {
				square[i] = x * x
				norms[i] += x * x
			}
			for _, other := range z {
				third := dot(other, square)
				skew += third * third / n
			}
		}
		tail := math.Sqrt(n) * (dot(norms, norms)/n/(dim*(dim+2)) - 1)
		for f, size := range [...]float64{Skewed: skew, HeavyTails: tail, LightTails: -tail} {
			if out.cluster[f] < 0 || size > out.size[f] {
				out.size[f], out.cluster[f] = size, k
			}
		}
	}
	return out
}

// fewestMembers is the number of rows below which a cluster's own covariance is not trusted.
func fewestMembers(dim int) int { return 4*dim + 6 }

// nearestRows lists the rows of each component, by the most probable one.
func (m *em) nearestRows() [][]int {
	all := make([][]int, len(m.components))
	for i := range m.rows.n {
		k := m.nearest(i)
		all[k] = append(all[k], i)
	}
	return all
}

// residuals returns the distances of rows from the centre of component k along each column [D][n], bounded where tails
// are heavy, with mean 0 and covariance I; of few rows the correlations stay.
func (m *em) residuals(k int, rows []int) [][]float64 {
	dim, n := m.rows.dim(), float64(len(rows))
	out, covariance := make([][]float64, dim), make([]float64, dim*dim)
	for d := range out {
		out[d] = make([]float64, len(rows))
		mean := 0.0
		for j, i := range rows {
			x := m.rows.columns[d][i] - m.components[k].mean[d]
			if !math.IsInf(m.nu, 1) {
				x *= math.Sqrt((m.nu + float64(dim)) / (m.nu + m.distances[k][i]))
			}
			out[d][j] = x
			mean += x / n
		}
		for j := range out[d] {
			out[d][j] -= mean
		}
	}
	scatter(out, covariance)
	for d := range dim {
		if len(rows) < fewestMembers(dim) {
			clear(covariance[d*dim : d*dim+d])
		}
		for e := range d + 1 {
			covariance[d*dim+e] /= n
		}
	}
	cholesky(covariance, covariance, dim)
	for d, column := range out {
		for e := range d {
			addScaled(column, -covariance[d*dim+e], out[e])
		}
		for i := range column {
			column[i] /= covariance[d*dim+d]
		}
	}
	return out
}

// draw draws as many rows as like has from the fit, without missing cells.
func (c *checker) draw(like *rows) *rows {
	dim, out := like.dim(), &rows{n: like.n, first: like.first}
	for range dim {
		out.columns = append(out.columns, make([]float64, like.n))
	}
	for range like.codes {
		out.codes = append(out.codes, make([]int32, like.n))
	}
	m := c.fit.on(&rows{columns: make([][]float64, dim), codes: make([][]int32, len(like.codes)), first: like.first})
	logs, noise, levels := make([]float64, len(m.components)), make([]float64, dim), make([]float64, like.levels())
	for i := range like.n {
		for k := range m.components {
			logs[k] = m.components[k].logWeight
		}
		of, scale := &m.components[c.rng.pick(logs)], c.rng.rowScale(m.nu, 0, 0)
		for d := range noise {
			noise[d] = scale * c.rng.NormFloat64()
		}
		solveLowerTransposed(of.factor, noise)
		for d, x := range noise {
			out.columns[d][i] = of.mean[d] + x
		}
		for q := range out.codes {
			part := levels[like.first[q]:like.first[q+1]]
			copy(part, of.logLevel[like.first[q]:])
			out.codes[q][i] = int32(c.rng.pick(part))
		}
	}
	return out
}
