package mixture

import "math"

// component is one component of the mixture with its parameters; the first t have rows.
type component struct {
	shape
	logWeight float64
	logLevel  []float64 // log probabilities of the levels, of all variables
	scales    []float64 // [D], log a
	gapRoom
}

func newComponent(dim, levels int) component {
	return component{
		shape: newShape(dim), logLevel: make([]float64, levels), scales: make([]float64, dim),
		gapRoom: newGapRoom(dim),
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
