package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// members lists the rows of each component, by the most probable one.
func (m *em) members() [][]int {
	all := make([][]int, len(m.components))
	for i := range m.rows.n {
		k := m.nearest(i)
		all[k] = append(all[k], i)
	}
	return all
}

// residuals returns the members' distances from the centre of component k along each column [D][n], bounded where tails
// are heavy, with mean 0 and covariance I; of few members the covariances stay.
func (m *em) residuals(k int, members []int) [][]float64 {
	dim, n := m.rows.dim(), float64(len(members))
	out, covariance := make([][]float64, dim), make([]float64, dim*dim)
	for d := range out {
		out[d] = make([]float64, len(members))
		mean := 0.0
		for j, i := range members {
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
		if len(members) < fewestMembers(dim) {
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

// fewestMembers is the number of rows below which a cluster's own covariance is not trusted.
func fewestMembers(dim int) int { return 4*dim + 6 }

// moments returns the skewness and the kurtosis of residuals (Mardia 1970) in units of chance; of the third moments
// those of one coordinate with the square of one.
func moments(z [][]float64) (skew, tail float64) {
	n, dim := float64(len(z[0])), float64(len(z))
	norms, square := make([]float64, len(z[0])), make([]float64, len(z[0]))
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
	return skew, math.Sqrt(n) * (dot(norms, norms)/n/(dim*(dim+2)) - 1)
}

// along is Kolmogorov's distance between the rows' values along a direction and their law under the mixture.
func (p *shapePanel) along(m *em, direction []float64) (most float64) {
	values, dim := make([]float64, m.rows.n), m.rows.dim()
	for d, x := range direction {
		if x != 0 {
			addScaled(values, x, m.rows.columns[d])
		}
	}
	slices.Sort(values)
	below := make([]float64, len(values))
	for k := range m.components {
		variance := 0.0
		for d, x := range direction {
			for e, y := range direction[:d] {
				variance += 2 * x * y * m.covariance[k][d*dim+e]
			}
			variance += x * x * m.covariance[k][d*dim+d]
		}
		centre, scale := dot(direction, m.components[k].mean), 1/math.Sqrt(variance)
		weight := math.Exp(m.components[k].logWeight)
		for i, x := range values {
			x = (x - centre) * scale
			below[i] += weight * 0.5 * (1 + math.Copysign(p.value.at(x*x), x))
		}
	}
	for i, share := range below {
		most = max(most, math.Abs(share-(float64(i)+0.5)/float64(len(below))))
	}
	return most
}

// distances is Kolmogorov's distance between the rows' squared distances and their law, each component's distance
// counted by its share of the row.
func (p *shapePanel) distances(m *em) (most float64) {
	const bins = 256
	var heap [bins + 1]float64
	for k, shares := range m.shares {
		for i, d := range m.distances[k] {
			heap[int(bins*p.distance.at(d))] += shares[i]
		}
	}
	below := 0.0
	for b, share := range heap[:bins] {
		below += share / float64(m.rows.n)
		most = max(most, math.Abs(below-float64(b+1)/bins))
	}
	return most
}

// lookup is the distribution function of a squared distance d in dim dimensions, at steps of a = √(d/(d + dim)).
type lookup struct {
	dim   float64
	below [2049]float64
}

func newLookup(nu float64, dim int) *lookup {
	l := &lookup{dim: float64(dim)}
	last := len(l.below) - 1
	l.below[last] = 1
	for i := 1; i < last; i++ {
		a := float64(i) / float64(last)
		ratio := a * a / (1 - a*a)
		if math.IsInf(nu, 1) {
			l.below[i] = distuv.ChiSquared{K: l.dim}.CDF(ratio * l.dim)
		} else {
			l.below[i] = distuv.F{D1: l.dim, D2: nu}.CDF(ratio)
		}
	}
	return l
}

func (l *lookup) at(distance float64) float64 {
	place := math.Sqrt(distance/(distance+l.dim)) * float64(len(l.below)-1)
	i := min(int(place), len(l.below)-2)
	return l.below[i] + (place-float64(i))*(l.below[i+1]-l.below[i])
}
