package mixture

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// negligible is a difference of log probabilities that rounding hides.
const negligible = 40

// measure fills the distances of all rows to the components that have rows.
func (c *chain) measure() {
	for k := range c.clusters {
		if c.distances[k] == nil {
			c.distances[k] = make([]float64, c.rows.n)
		}
		component := &c.components[k]
		component.distances(c.rows.columns, c.distances[k])
		for g := range c.rows.gaps {
			gap := &c.rows.gaps[g]
			c.distances[k][gap.row], _ = c.gapRoom.observed(c.rows, component, gap)
		}
	}
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
		used := c.fillBlock(lo, hi)
		for i := lo; i < hi; i++ {
			logs := c.logs[:used]
			for k := range logs {
				logs[k] = c.blockLogs[k][i-lo]
			}
			if u := known.unit(int32(i)); u >= 0 {
				addScaled(c.logsOf(u), known.count(int32(i)), logs)
				continue
			}
			if known.counts != nil {
				floats.Scale(known.counts[i], logs)
			}
			c.labels[i] = c.drawLabel(logs, c.labels[i])
		}
	}
	for u := range known.units {
		c.drawUnit(int32(u))
	}
	for u := range known.units {
		if len(known.units[u].apart) > 0 {
			c.tryKempe(int32(u))
		}
	}
	for lo := 0; lo < c.rows.n; lo += block {
		c.fillOwn(lo, min(lo+block, c.rows.n))
	}
}

// fillBlock writes the log joint probabilities of rows lo to hi with every component, and returns how many it filled.
func (c *chain) fillBlock(lo, hi int) (used int) {
	t, n := len(c.clusters), hi-lo
	law := &c.tails[c.tail][c.rows.dim()]
	for k := range t {
		c.fillComponent(k, law, c.distances[k][lo:hi], lo)
	}
	c.fillGaps(lo, hi, 0, t)
	least := c.leastLog(t, n)
	// a row may have to go where it is improbable
	all := c.rows.gapOf != nil || c.rows.known.constrained() || c.rows.known.counts != nil
	for k := t; k < c.number; k++ {
		component := &c.components[k]
		if !all && component.logWeight+component.halfLog+law.constant < least-negligible {
			for i := range n {
				c.blockLogs[k][i] = math.Inf(-1)
			}
			continue
		}
		for d, column := range c.rows.columns {
			c.columns[d] = column[lo:hi]
		}
		component.distances(c.columns, c.blockDistances[:n])
		c.fillComponent(k, law, c.blockDistances[:n], lo)
		c.fillGaps(lo, hi, k, k+1)
	}
	return c.number
}

// leastLog is the smallest of the rows' largest log probabilities under the first t components.
func (c *chain) leastLog(t, n int) float64 {
	least := math.Inf(1)
	for i := range n {
		best := math.Inf(-1)
		for _, logs := range c.blockLogs[:t] {
			best = max(best, logs[i])
		}
		least = min(least, best)
	}
	return least
}

func (c *chain) fillComponent(k int, law *tail, distances []float64, lo int) {
	component := &c.components[k]
	base := component.logWeight + component.halfLog + law.constant
	logs := c.blockLogs[k][:len(distances)]
	if law.inverse == 0 {
		for i, d := range distances {
			logs[i] = base - 0.5*d
		}
	} else {
		for i, d := range distances {
			logs[i] = base - law.half*math.Log(1+d*law.inverse)
		}
	}
	for q, codes := range c.rows.codes {
		levels := component.logLevel[c.rows.first[q]:c.rows.first[q+1]]
		for i, code := range codes[lo : lo+len(logs)] {
			if code >= 0 {
				logs[i] += levels[code]
			}
		}
	}
}

// drawLabel draws a component in place of now with probabilities exp(logs), which it destroys. A draw that would leave
// too few clusters is refused.
func (c *chain) drawLabel(logs []float64, now int32) int32 {
	best := math.Inf(-1)
	for _, v := range logs {
		best = max(best, v)
	}
	total := 0.0
	for k, v := range logs {
		logs[k] = 0
		if v -= best; v > -negligible {
			logs[k] = math.Exp(v)
			total += logs[k]
		}
	}
	c.logDensity += best + math.Log(total)
	left, last := c.rng.Float64()*total, 0
	for k, p := range logs {
		if p == 0 {
			continue
		}
		last = k
		if left -= p; left < 0 {
			break
		}
	}
	if c.least > 1 && !c.moveUnits(now, int32(last), 1) {
		return now
	}
	return int32(last)
}

// fillOwn keeps each row's distance to its new component, for the draw of u.
func (c *chain) fillOwn(lo, hi int) {
	for i := lo; i < hi; i++ {
		k := int(c.labels[i])
		switch {
		case k < len(c.clusters):
			c.own[i] = c.distances[k][i]
		case c.rows.gapOf != nil && c.rows.gapOf[i] >= 0:
			c.own[i], _ = c.gapRoom.observed(c.rows, &c.components[k], &c.rows.gaps[c.rows.gapOf[i]])
		default:
			for d, column := range c.rows.columns {
				c.columns[d] = column[i : i+1]
			}
			c.components[k].distances(c.columns, c.own[i:i+1])
		}
	}
}
