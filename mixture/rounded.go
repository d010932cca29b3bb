package mixture

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/mixture/em"
)

// drawRounded draws the rounded cells of all rows given their components and scales u. It returns Σ log density of the
// old cells given all other cells. log p(rows) minus this sum does not depend on where the cells lie in their steps.
func (c *chain) drawRounded() (logDensity float64) {
	if len(c.rows.Rounded) == 0 {
		return 0
	}
	dim, delta := c.rows.Dim(), c.vector
	for i, label := range c.labels {
		to, root := &c.components[label], math.Sqrt(c.scales[i])
		for d, column := range c.rows.Columns {
			delta[d] = column[i] - to.Mean[d]
		}
		for j := range c.rows.Rounded {
			r := &c.rows.Rounded[j]
			low, high := r.Low[i], r.High[i]
			if math.IsNaN(low) {
				continue
			}
			d := r.Column
			row := to.Precision[d*dim : d*dim+dim]
			own := row[d]
			centre := to.Mean[d] + delta[d] - floats.Dot(row, delta)/own
			precision := root * math.Sqrt(own)
			before := precision * (delta[d] + to.Mean[d] - centre)
			a, b := precision*(low-centre), precision*(high-centre)
			logDensity += math.Log(precision) - 0.5*before*before - em.HalfLog2Pi - em.LogNormalBetween(a, b)
			y := min(max(centre+c.rng.Truncated(a, b)/precision, low), high)
			c.rows.Columns[d][i] = y
			delta[d] = y - to.Mean[d]
		}
	}
	return logDensity
}
