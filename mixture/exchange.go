package mixture

// tryExchange proposes to merge two clusters and to split one, which keeps their number: a Metropolis-Hastings step
// whose ratio is the product of both. The partition between them may be one that is not allowed.
func (c *chain) tryExchange() {
	if len(c.clusters) < 2 {
		return
	}
	a, b, ratio := c.proposeMerge(false)
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
	known := &c.rows.known
	if len(known.units) == 0 {
		return false
	}
	for _, row := range rows {
		c.marked[row] = true
	}
	for _, row := range rows {
		if u := known.unit(row); u >= 0 && c.rows.known.leads(row) {
			for _, other := range known.units[u].apart {
				clash = clash || c.marked[known.units[other].rows[0]]
			}
		}
	}
	for _, row := range rows {
		c.marked[row] = false
	}
	return clash
}
