package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Rounded numbers are known up to a step. Numbers at the end of a scale, such as the lowest mark or a limit of
// detection, are known up to a bound (they are censored). The sampler draws their exact values given the row's cluster,
// as it draws missing cells. Otherwise steps and heaps would become clusters.

const (
	coarse      = 0.1  // least step of rounded numbers that are drawn, in scales of the column
	fewestHeap  = 3    // rows of a heap at an end of rounded numbers
	fewestSpike = 5    // rows of a heap at an end of other numbers, and
	spikeShare  = 0.03 // of all rows
	farHeap     = 2.0  // scales of the other values, or steps, from which on a heap is a group of its own
)

// rounded is a column with cells that are drawn.
type rounded struct {
	column    int
	low, high []float64 // [n], the bounds of each cell; NaN where a cell is exact or missing
}

// endHeaps returns the least and the largest value, each if it is a heap: more rows have it than the next value, which
// is near. Otherwise it returns ∓Inf.
func (n *number) endHeaps(column, distinct []float64) [2]float64 {
	heaps := [2]float64{math.Inf(-1), math.Inf(1)}
	fewest := fewestHeap
	if !n.drawn {
		fewest = max(fewestSpike, int(spikeShare*float64(len(column))))
	}
	last := len(distinct) - 1
	for side, at := range [2][2]int{{0, 1}, {last, last - 1}} {
		end, next := distinct[at[0]], distinct[at[1]]
		if rows := count(column, end); rows < fewest || rows <= count(column, next) {
			continue
		}
		_, scale := robustScale(slices.DeleteFunc(slices.Clone(column), func(x float64) bool { return x == end }))
		if math.Abs(next-end) <= farHeap*max(scale, n.step) {
			heaps[side] = end
		}
	}
	return heaps
}

// bounds returns the bounds [N] of y of each cell that is drawn, NaN for other cells; nil if the cells of the column
// are exact.
func (n *number) bounds(t Table) (low, high []float64) {
	if !n.drawn && math.IsInf(n.heaps[0], -1) && math.IsInf(n.heaps[1], 1) {
		return nil, nil
	}
	low, high = n.shifted(t, -n.noise/2), n.shifted(t, n.noise/2)
	for i, x := range n.values(t, false) {
		switch {
		case x <= n.heaps[0]:
			low[i] = math.Inf(-1)
		case x >= n.heaps[1]:
			high[i] = math.Inf(1)
		case !n.drawn:
			low[i], high[i] = math.NaN(), math.NaN()
		}
	}
	return low, high
}

// shifted returns y of all cells after a shift of the numbers.
func (n *number) shifted(t Table, by float64) []float64 {
	column := n.values(t, false)
	floats.AddConst(by, column)
	return n.scaled(column)
}

// listRounded finds the columns with cells that are drawn. Columns that are parts of others, or of principal
// components, are taken as they are.
func (e *encoder) listRounded(t Table) (all []rounded) {
	if e.Projection != nil {
		return nil
	}
	inOthers := make([]bool, len(e.Numbers))
	for _, m := range e.Remainders {
		inOthers[m.At] = true
		for d, weight := range m.Weights {
			inOthers[d] = inOthers[d] || weight != 0
		}
	}
	for d := range e.Numbers {
		if inOthers[d] {
			continue
		}
		if low, high := e.Numbers[d].bounds(t); low != nil {
			all = append(all, rounded{d, low, high})
		}
	}
	return all
}

// drawRounded draws the rounded cells of all rows given their components and scales u. It returns Σ log density of the
// old cells given all other cells. log p(rows) minus this sum does not depend on where the cells lie in their steps.
func (c *chain) drawRounded() (logDensity float64) {
	if len(c.rows.rounded) == 0 {
		return 0
	}
	dim, delta := c.rows.dim(), c.vector
	for i, label := range c.labels {
		to, root := &c.components[label], math.Sqrt(c.scales[i])
		for d, column := range c.rows.columns {
			delta[d] = column[i] - to.mean[d]
		}
		for j := range c.rows.rounded {
			r := &c.rows.rounded[j]
			low, high := r.low[i], r.high[i]
			if math.IsNaN(low) {
				continue
			}
			d := r.column
			row := to.precision[d*dim : d*dim+dim]
			own := row[d]
			centre := to.mean[d] + delta[d] - floats.Dot(row, delta)/own
			precision := root * math.Sqrt(own)
			before := precision * (delta[d] + to.mean[d] - centre)
			a, b := precision*(low-centre), precision*(high-centre)
			logDensity += math.Log(precision) - 0.5*before*before - halfLog2Pi - logNormalBetween(a, b)
			y := min(max(centre+c.rng.truncated(a, b)/precision, low), high)
			c.rows.columns[d][i] = y
			delta[d] = y - to.mean[d]
		}
	}
	return logDensity
}

// truncated draws a standard normal between a and b.
func (r random) truncated(a, b float64) float64 {
	const wide, far = 2.5, 0.5
	switch {
	case b < 0 || a < 0 && -a > b:
		return -r.truncated(-b, -a)
	case b-a > wide && a < far:
		for {
			if x := r.NormFloat64(); x >= a && x <= b {
				return x
			} else if a >= 0 && -x >= a && -x <= b {
				return -x
			}
		}
	case a <= 0:
		for {
			if x := a + r.Float64()*(b-a); r.logUniform() < -0.5*x*x {
				return x
			}
		}
	}
	share := -math.Expm1(-a * (b - a))
	for {
		x := -math.Log1p(-r.Float64()*share) / a
		if r.logUniform() < -0.5*x*x {
			return a + x
		}
	}
}

// logNormalBetween returns the log probability that a standard normal lies between a and b.
func logNormalBetween(a, b float64) float64 {
	const far = 30
	if b < 0 {
		a, b = -b, -a
	}
	if a > far { // Mills' ratio
		return -0.5*a*a - math.Log(a*math.Sqrt(2*math.Pi)) + math.Log(-math.Expm1(-a*(b-a)))
	}
	return math.Log(max(0.5*(math.Erfc(a/math.Sqrt2)-math.Erfc(b/math.Sqrt2)), math.SmallestNonzeroFloat64))
}
