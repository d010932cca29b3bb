package mixture

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/mixture/em"
)

// drawParameters draws mean, covariance and category probabilities of a component given the summary of its rows.
func (c *chain) drawParameters(to *em.Component, s *em.Summary, kappa float64) {
	copy(to.Scales, s.Scales)
	l, dim := c.law, c.rows.Dim()
	l.around(s, kappa, 1)
	em.CholeskyUpper(l.matrix, l.factor, dim)
	c.rng.Bartlett(l.df+s.N, to.Factor, dim)
	em.DivideUpper(l.factor, to.Factor, dim)
	to.HalfLog = 0
	for d := range dim {
		to.HalfLog += math.Log(to.Factor[d*dim+d])
	}
	if c.rows.GapOf != nil || len(c.rows.Rounded) > 0 {
		to.FillPrecision()
	}
	total := kappa + s.Weight
	root := 1 / math.Sqrt(total)
	for d := range to.Mean {
		to.Mean[d] = root * c.rng.NormFloat64()
	}
	em.SolveLowerTransposed(to.Factor, to.Mean)
	for d, m := range s.Mean {
		to.Mean[d] += (kappa*l.centre[d] + s.Weight*m) / total
	}
	first := c.rows.First
	for q := range c.rows.Variables() {
		logs, total := to.LogLevel[first[q]:first[q+1]], 0.0
		for i := range logs {
			g := c.rng.Gamma(1 + s.Counts[first[q]+i])
			logs[i] = math.Log(g)
			total += g
		}
		floats.AddConst(-math.Log(total), logs)
	}
}

// drawEmpty draws the parameters of the components without rows from their prior, and the weights of all.
func (c *chain) drawEmpty() {
	for k := len(c.clusters); k < c.number; k++ {
		nothing := &c.nothing.Summary
		c.law.drawScalesOf(nothing)
		c.drawParameters(&c.components[k], nothing, c.drawKappa(nothing))
	}
	share := c.alpha / float64(c.number)
	for k := range c.number {
		n := 0.0
		if k < len(c.clusters) {
			n = c.clusters[k].N
		}
		c.logs[k] = c.rng.LogGamma(share + n)
	}
	total := floats.LogSumExp(c.logs[:c.number])
	for k := range c.number {
		c.components[k].LogWeight = c.logs[k] - total
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

// drawTail draws ν given labels and parameters, with the scales u integrated out.
func (c *chain) drawTail() {
	var logs [len(degrees)]float64
	for at := range logs {
		logs[at] = logDegreesPrior(at)
		if c.rows.GapOf == nil {
			logs[at] += c.tails[at][c.rows.Dim()].LogSum(c.own)
			continue
		}
		for i, d := range c.own {
			law := &c.tails[at][c.rows.Dim()-c.rows.MissingOf(i)]
			logs[at] += law.Log(d)
		}
	}
	c.tail = c.rng.Pick(logs[:])
}

// drawRowScales draws u of all rows given their labels and parameters.
func (c *chain) drawRowScales() {
	nu := degrees[c.tail]
	for i := range c.scales {
		c.scales[i] = c.rng.RowScale(nu, c.own[i], c.rows.Dim()-c.rows.MissingOf(i))
	}
}

// drawLabels draws the labels of all rows in one block given the parameters of all components, with u integrated out.
// Rows that must be together or apart come last: each unit is drawn given the labels of the other units.
func (c *chain) drawLabels() {
	c.logDensity = 0
	known := c.known
	clear(c.unitLogs)
	c.occupy()
	for lo := 0; lo < c.rows.N; lo += em.Block {
		hi := min(lo+em.Block, c.rows.N)
		for k := range c.number {
			c.components[k].Distances(c.rows.Columns, lo, c.distances[k][:hi-lo])
			c.components[k].Join(c.rows, c.tails[c.tail], lo, c.distances[k][:hi-lo], c.blockLogs[k][:hi-lo])
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

// drawLabel draws a new component for a unit in component now, with probabilities in proportion to exp(logs). It
// overwrites logs. It returns now if the draw would leave too few clusters.
func (c *chain) drawLabel(logs []float64, now int32) int32 {
	to, total := c.rng.PickOf(logs)
	c.logDensity += total
	if c.least > 1 && !c.moveUnits(now, int32(to), 1) {
		return now
	}
	return int32(to)
}
