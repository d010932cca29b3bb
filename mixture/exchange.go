package mixture

import "math"

// exchange tries to exchange clusters, a few times a sweep: more often where no split and no merge is allowed.
func (c *chain) exchange() {
	const few, more = 2, 4
	tries := few
	if c.least == c.most {
		tries = more
	}
	for range tries {
		c.tryExchange()
	}
}

// tryExchange proposes to merge two clusters and to split one, which keeps their number: a Metropolis-Hastings step
// whose ratio is the product of both. The partition between them may be one that is not allowed.
func (c *chain) tryExchange() {
	if len(c.clusters) < 2 {
		return
	}
	a, b, ratio := c.proposeMerge()
	first, second := c.clusters[a], c.clusters[b]
	c.unite(first.members, second.members)
	clash := c.clash(c.union)
	ratio += c.logReverse(a, b)
	c.saved.copyFrom(&first.summary)
	c.saved.members = append(c.saved.members[:0], first.members...)
	c.merge(a, b)
	k, more := c.proposeSplit(false)
	if clash && k == first {
		clash = c.clash(c.leftRows) || c.clash(c.rightRows)
	}
	if k != nil && !clash && c.rng.logUniform() < ratio+more {
		c.split(k)
		return
	}
	t := len(c.clusters)
	c.partition.change(-1, first.n)
	c.pool[b], c.pool[t] = c.pool[t], c.pool[b]
	c.clusters = c.pool[:t+1]
	first.copyFrom(&c.saved.summary)
	first.members = append(first.members[:0], c.saved.members...)
	c.partition.change(1, first.n)
	c.partition.change(1, second.n)
}

// clash tells whether some of the rows must be apart.
func (c *chain) clash(rows []int32) (clash bool) {
	known := c.rows.known
	if known == nil || !known.apart {
		return false
	}
	for _, row := range rows {
		c.marked[row] = true
	}
	for _, row := range rows {
		if u := known.unitOf[row]; u >= 0 && c.rows.leads(row) {
			for _, other := range known.units[u].apart {
				clash = clash || c.marked[known.leader[known.units[other].rows[0]]]
			}
		}
	}
	for _, row := range rows {
		c.marked[row] = false
	}
	return clash
}

// tryKempe proposes to exchange two labels, that of unit u and one at random, among the units that hang together with u
// by being apart under these labels (a Kempe chain): what is apart stays so, and the way back is as likely.
func (c *chain) tryKempe(u int32) {
	if c.number < 2 {
		return
	}
	known := c.rows.known
	a, b := c.labelOf(u), int32(c.rng.IntN(c.number-1))
	if b >= a {
		b++
	}
	c.moving, c.moves[u] = append(c.moving[:0], u), true
	ratio, toA := 0.0, 0
	for at := 0; at < len(c.moving); at++ {
		unit, logs := &known.units[c.moving[at]], c.logsOf(int(c.moving[at]))
		if c.labelOf(c.moving[at]) == a {
			ratio, toA = ratio+logs[b]-logs[a], toA-unit.count
		} else {
			ratio, toA = ratio+logs[a]-logs[b], toA+unit.count
		}
		for _, other := range unit.apart {
			if label := c.labelOf(other); !c.moves[other] && (label == a || label == b) {
				c.moving, c.moves[other] = append(c.moving, other), true
			}
		}
	}
	c.occupy(a, toA)
	c.occupy(b, -toA)
	accept := c.inUse >= c.least && c.inUse <= c.most && c.rng.logUniform() < ratio
	if !accept {
		c.occupy(a, -toA)
		c.occupy(b, toA)
	}
	for _, moved := range c.moving {
		c.moves[moved] = false
		if accept {
			known.units[moved].set(c.labels, a+b-c.labelOf(moved))
		}
	}
}

// joinShares gives the first of the members that are together the share of all of them, as if they were independent.
func (l *launch) joinShares(members []int32, share []float64, least float64) {
	known := l.rows.known
	clear(l.unitOdds)
	for m, row := range members {
		if u := known.unitOf[row]; u >= 0 {
			l.unitOdds[u] += math.Log(share[m] / (1 - share[m]))
		}
	}
	for m, row := range members {
		if u := known.unitOf[row]; u >= 0 && l.rows.leads(row) {
			share[m] = min(max(1/(1+math.Exp(min(-l.unitOdds[u], 500))), least), 1-least)
		}
	}
}
