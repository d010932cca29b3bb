package mixture

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// degrees is the grid of ν; the last stands for Gaussian rows and has half of the prior, the others share the rest.
var degrees = [...]float64{1, 1.5, 2, 3, 4, 6, 8, 12, 20, 40, math.Inf(1)}

const gaussian = len(degrees) - 1

func logDegreesPrior(at int) float64 {
	if at == gaussian {
		return math.Log(0.5)
	}
	return math.Log(0.5 / float64(gaussian))
}

// tail is the t law of a row in dim dimensions, up to the determinant.
type tail struct {
	constant float64
	half     float64 // ½(ν + dim)
	inverse  float64 // 1/ν, 0 for Gaussian rows
}

func newTail(nu float64, dim int) tail {
	d := float64(dim)
	if math.IsInf(nu, 1) {
		return tail{constant: -0.5 * d * math.Log(2*math.Pi)}
	}
	constant := logGammaFunction(0.5*(nu+d)) - logGammaFunction(0.5*nu) - 0.5*d*math.Log(nu*math.Pi)
	return tail{constant, 0.5 * (nu + d), 1 / nu}
}

// log is the log density at a squared distance.
func (t *tail) log(distance float64) float64 {
	if t.inverse == 0 {
		return t.constant - 0.5*distance
	}
	return t.constant - t.half*math.Log(1+distance*t.inverse)
}

// newTails returns the t laws of a ν in 0..dim dimensions: rows with missing cells have fewer.
func newTails(dim int) (all [len(degrees)][]tail) {
	for at, nu := range degrees {
		for d := range dim + 1 {
			all[at] = append(all[at], newTail(nu, d))
		}
	}
	return all
}

// logSum is the sum of the log densities at distances. Logarithms are taken of products of many factors.
func (t *tail) logSum(distances []float64) float64 {
	const large = 1e200
	sum := t.constant * float64(len(distances))
	if t.inverse == 0 {
		return sum - 0.5*floats.Sum(distances)
	}
	product := 1.0
	for _, d := range distances {
		if product *= 1 + d*t.inverse; product > large {
			sum -= t.half * math.Log(product)
			product = 1
		}
	}
	return sum - t.half*math.Log(product)
}

// drawTail draws ν given labels and parameters, with the scales u integrated out.
func (c *chain) drawTail() {
	var logs [len(degrees)]float64
	for at := range logs {
		logs[at] = logDegreesPrior(at)
		if c.rows.gapOf == nil && c.rows.known.counts == nil {
			logs[at] += c.tails[at][c.rows.dim()].logSum(c.own)
			continue
		}
		for i, d := range c.own {
			law := &c.tails[at][c.rows.dim()-c.rows.missingOf(i)]
			logs[at] += c.rows.known.count(int32(i)) * law.log(d)
		}
	}
	c.tail = c.rng.pick(logs[:])
}

// missingOf is the number of a row's missing cells.
func (r *rows) missingOf(row int) int {
	if r.gapOf == nil || r.gapOf[row] < 0 {
		return 0
	}
	return len(r.gaps[r.gapOf[row]].missing)
}

// drawRowScales draws u of all rows given their labels and parameters: the sum of all that a row stands for.
func (c *chain) drawRowScales() {
	nu := degrees[c.tail]
	for i := range c.scales {
		c.scales[i] = c.rng.rowScale(nu, c.own[i], c.rows.dim()-c.rows.missingOf(i), c.rows.known.count(int32(i)))
	}
}

// rowScale draws the sum of u of so many equal rows with a squared distance in dim present cells.
func (r random) rowScale(nu, distance float64, dim int, count float64) float64 {
	if math.IsInf(nu, 1) {
		return count
	}
	return r.gamma(0.5*count*(nu+float64(dim))) / (0.5 * (nu + distance))
}
