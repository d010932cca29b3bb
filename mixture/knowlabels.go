package mixture

import "math"

// knownRoom is scratch of a chain whose rows something is known of.
type knownRoom struct {
	unitLogs []float64 // [units][K], log joint probabilities of each unit with every component
	occupied []int     // rows with weight of each component
	inUse    int       // components with some
	barred   []bool    // components that are not for the unit at hand
	marked   []bool    // [n], scratch
	onLeft   []bool    // [n], side of each row in a split
	moving   []int32   // units of a Kempe chain
	moves    []bool    // [units]
	saved    cluster   // before an exchange
}

// limit sets the bounds of the number of clusters and makes room where something is known.
func (c *chain) limit() {
	c.least, c.most = 1, c.partition.most()
	c.hotMost = c.most
	known := c.rows.known
	if known == nil {
		return
	}
	c.least, c.most = known.least, min(known.most, c.most)
	c.constrained = known.limited || known.apart
	c.hotMost = c.most
	if !known.apart { // what is apart may not let merges come back
		c.hotMost = min(c.most+hotAttempts, c.partition.most())
	}
	c.occupied, c.barred = make([]int, len(c.pool)), make([]bool, len(c.pool))
	c.marked, c.onLeft, c.moves = make([]bool, c.rows.n), make([]bool, c.rows.n), make([]bool, len(known.units))
	c.saved = cluster{summary: newSummary(c.rows.dim(), c.rows.levels())}
}

// drawKnown draws the labels of all rows given the parameters, as drawLabels does, where something is known: each row
// or unit in turn given the labels of the others. Rows without weight come last, and go where others are.
func (c *chain) drawKnown() {
	known := c.rows.known
	c.unitLogs = append(c.unitLogs[:0], make([]float64, len(known.units)*c.number)...)
	clear(c.occupied)
	c.inUse = len(c.clusters)
	for k, cluster := range c.clusters {
		c.occupied[k] = len(cluster.members)
		for _, row := range cluster.members {
			c.labels[row] = int32(k)
		}
	}
	for lo := 0; lo < c.rows.n; lo += block {
		hi := min(lo+block, c.rows.n)
		c.fillBlock(lo, hi)
		for i := lo; i < hi; i++ {
			c.drawOrGather(int32(i), i-lo)
		}
	}
	for u := range known.units {
		if known.units[u].count > 0 {
			c.drawUnit(u)
		}
	}
	for u := range known.units {
		if len(known.units[u].apart) > 0 {
			c.tryKempe(int32(u))
		}
	}
	for u := range known.units {
		if known.units[u].count == 0 {
			c.drawWeightless(u)
		}
	}
	for lo := 0; lo < c.rows.n; lo += block {
		c.fillOwn(lo, min(lo+block, c.rows.n))
	}
}

// drawOrGather draws the label of row i, at of its block, or adds its log probabilities to those of its unit.
func (c *chain) drawOrGather(i int32, at int) {
	known := c.rows.known
	u, count := known.unitOf[i], known.counts[i]
	if u < 0 {
		logs := c.logs[:c.number]
		for k := range logs {
			logs[k] = count * c.blockLogs[k][at]
		}
		c.logDensity += logSumExp(logs)
		c.labels[i] = c.drawAllowed(logs, c.labels[i], 1)
		return
	}
	if known.units[u].count == 0 {
		count = 1
	}
	for k, logs := range c.blockLogs[:c.number] {
		if count > 0 {
			c.unitLogs[int(u)*c.number+k] += count * logs[at]
		}
	}
}

// drawAllowed draws a component in place of now for rows with weight, with probabilities exp(logs) among those that are
// not barred and keep the number of clusters within its limits.
func (c *chain) drawAllowed(logs []float64, now int32, rows int) int32 {
	c.occupy(now, -rows)
	for k := range logs {
		after := c.inUse
		if c.occupied[k] == 0 {
			after++
		}
		if c.barred[k] || after < c.least || after > c.most {
			logs[k] = math.Inf(-1)
		}
	}
	label := int32(c.rng.pick(logs))
	c.occupy(label, rows)
	return label
}

// occupy adds rows to those of a component.
func (c *chain) occupy(k int32, rows int) {
	before := c.occupied[k]
	c.occupied[k] += rows
	switch {
	case before == 0 && rows > 0:
		c.inUse++
	case before > 0 && c.occupied[k] == 0:
		c.inUse--
	}
}

func (c *chain) logsOf(u int) []float64 { return c.unitLogs[u*c.number : (u+1)*c.number] }

// labelOf is the label of a unit that has weight.
func (c *chain) labelOf(u int32) int32 {
	known := c.rows.known
	return c.labels[known.leader[known.units[u].rows[0]]]
}

func (c *chain) drawUnit(u int) {
	unit := &c.rows.known.units[u]
	logs := c.logs[:c.number]
	copy(logs, c.logsOf(u))
	c.logDensity += logSumExp(logs)
	for _, other := range unit.apart {
		c.barred[c.labelOf(other)] = true
	}
	unit.set(c.labels, c.drawAllowed(logs, c.labelOf(int32(u)), unit.count))
	for _, other := range unit.apart {
		c.barred[c.labelOf(other)] = false
	}
}

// drawWeightless draws the label of a unit that tells nothing among the clusters that there are.
func (c *chain) drawWeightless(u int) {
	logs := c.logsOf(u)
	for k := range logs {
		if c.occupied[k] == 0 {
			logs[k] = math.Inf(-1)
		}
	}
	c.rows.known.units[u].set(c.labels, int32(c.rng.pick(logs)))
}
