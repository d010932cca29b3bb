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

// drawLabels draws the labels of all rows in one block given the parameters of all components, u integrated out. What
// must be together, or apart, is drawn after the other rows, each unit given the labels of the others.
func (c *chain) drawLabels() {
	c.logDensity = 0
	known := &c.rows.known
	clear(c.unitLogs)
	c.occupy()
	for lo := 0; lo < c.rows.n; lo += block {
		hi := min(lo+block, c.rows.n)
		for k := range c.number {
			c.components[k].join(c.rows, c.tails[c.tail], lo, c.distances[k][:hi-lo], c.blockLogs[k][:hi-lo])
		}
		for i := lo; i < hi; i++ {
			logs := c.logs[:c.number]
			for k := range logs {
				logs[k] = c.blockLogs[k][i-lo]
			}
			if u := known.unit(int32(i)); u >= 0 {
				floats.AddScaled(c.logsOf(u), known.count(int32(i)), logs)
				continue
			}
			if known.counts != nil {
				floats.Scale(known.counts[i], logs)
			}
			c.labels[i] = c.drawLabel(logs, c.labels[i])
			c.own[i] = c.distances[c.labels[i]][i-lo]
		}
	}
	c.drawUnits()
}

// join writes the squared distances of rows from lo on, by their present cells, and their log joint probabilities with
// the component. laws are the t laws by the number of present cells.
func (to *component) join(r *rows, laws []tail, lo int, distances, logs []float64) {
	to.distances(r.columns, lo, distances)
	full := &laws[r.dim()]
	base := to.logWeight + to.halfLog
	for i, d := range distances {
		logs[i] = base + full.log(d)
	}
	for q, codes := range r.codes {
		to.addLevels(r.first[q], codes[lo:lo+len(logs)], logs)
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

// addLevels adds the log probabilities of a variable's codes; its levels begin at first.
func (to *component) addLevels(first int, codes []int32, logs []float64) {
	for i, code := range codes {
		if code >= 0 {
			logs[i] += to.logLevel[first+int(code)]
		}
	}
}

// drawLabel draws a component in place of now with probabilities exp(logs), which it destroys. A draw that would leave
// too few clusters is refused.
func (c *chain) drawLabel(logs []float64, now int32) int32 {
	to, total := c.rng.pickOf(logs)
	c.logDensity += total
	if c.least > 1 && !c.moveUnits(now, int32(to), 1) {
		return now
	}
	return int32(to)
}
