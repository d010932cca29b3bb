package mixture

import "math"

// unitRoom is scratch of a chain whose rows something is known of.
type unitRoom struct {
	unitLogs []float64 // [units][K], log joint probabilities of each unit with every component
	occupied []int     // units of each component, counting rows that may go anywhere
	onLeft   []bool    // [units], side of each in a split
	moving   []int32   // units of a Kempe chain
	moves    []bool    // [units]
}

func newUnitRoom(r *rows, most int) unitRoom {
	units := len(r.known.units)
	return unitRoom{
		unitLogs: make([]float64, units*most), occupied: make([]int, most),
		onLeft: make([]bool, units), moving: make([]int32, 0, units), moves: make([]bool, units),
	}
}

// occupy begins the labels with the clusters at hand.
func (c *chain) occupy() {
	clear(c.occupied)
	for k, cluster := range c.clusters {
		c.occupied[k] = len(c.leading(cluster.members))
		for _, row := range cluster.members {
			c.labels[row] = int32(k)
		}
	}
}

// moveUnits counts units as those of another component, unless too few clusters would be left.
func (c *chain) moveUnits(from, to int32, units int) bool {
	c.occupied[from] -= units
	c.occupied[to] += units
	if c.least <= 1 || c.occupied[from] > 0 && c.occupied[to] > 0 {
		return true
	}
	inUse := 0
	for _, units := range c.occupied {
		inUse += min(units, 1)
	}
	if inUse >= c.least {
		return true
	}
	c.occupied[from] += units
	c.occupied[to] -= units
	return false
}

func (c *chain) logsOf(u int32) []float64 {
	return c.unitLogs[int(u)*len(c.pool):][:c.number]
}

func (c *chain) labelOf(u int32) int32 { return c.labels[c.rows.known.units[u].rows[0]] }

// drawUnits draws the labels of all units, each given those of the others.
func (c *chain) drawUnits() {
	units := c.rows.known.units
	for u := range units {
		c.drawUnit(int32(u))
	}
	for u := range units {
		if len(units[u].apart) > 0 {
			c.tryKempe(int32(u))
		}
	}
	for u := range units {
		for _, i := range units[u].rows {
			c.components[c.labels[i]].join(c.rows, c.tails[c.tail], int(i), c.own[i:i+1], c.logs[:1])
		}
	}
}

// drawUnit draws the label of rows that are together among those that units apart from it do not have.
func (c *chain) drawUnit(u int32) {
	unit, logs := &c.rows.known.units[u], c.logs[:c.number]
	copy(logs, c.logsOf(u))
	for _, other := range unit.apart {
		logs[c.labelOf(other)] = math.Inf(-1)
	}
	unit.set(c.labels, c.drawLabel(logs, c.labelOf(u)))
}

// tryKempe proposes to exchange two labels, that of unit u and one at random, among the units that hang together with u
// by being apart under these labels (a Kempe chain): what is apart stays so, and the way back is as likely.
func (c *chain) tryKempe(u int32) {
	if c.number < 2 {
		return
	}
	known := &c.rows.known
	a, b := c.labelOf(u), int32(c.rng.IntN(c.number-1))
	if b >= a {
		b++
	}
	c.moving, c.moves[u] = append(c.moving[:0], u), true
	ratio, toA := 0.0, 0
	for at := 0; at < len(c.moving); at++ {
		unit, logs := &known.units[c.moving[at]], c.logsOf(c.moving[at])
		if c.labelOf(c.moving[at]) == a {
			ratio, toA = ratio+logs[b]-logs[a], toA-1
		} else {
			ratio, toA = ratio+logs[a]-logs[b], toA+1
		}
		for _, other := range unit.apart {
			if label := c.labelOf(other); !c.moves[other] && (label == a || label == b) {
				c.moving, c.moves[other] = append(c.moving, other), true
			}
		}
	}
	accept := c.rng.logUniform() < ratio && c.moveUnits(b, a, toA)
	for _, moved := range c.moving {
		c.moves[moved] = false
		if accept {
			known.units[moved].set(c.labels, a+b-c.labelOf(moved))
		}
	}
}

// joinShares gives the first of the members that are together the share of all of them, as if they were independent.
// odds [units] is scratch.
func (k *knowledge) joinShares(members []int32, share, odds []float64, least float64) {
	clear(odds)
	if len(k.units) == 0 {
		return
	}
	for m, row := range members {
		if u := k.unitOf[row]; u >= 0 {
			odds[u] += math.Log(share[m] / (1 - share[m]))
		}
	}
	for m, row := range members {
		if u := k.unitOf[row]; u >= 0 && k.leads(row) {
			share[m] = min(max(1/(1+math.Exp(min(-odds[u], 500))), least), 1-least)
		}
	}
}
