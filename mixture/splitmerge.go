package mixture

import (
	"math"
	"slices"
)

const (
	attempts    = 8 // a sweep, to split or to merge
	hotAttempts = 24
	exchanges   = 4 // a sweep, where some partitions are not allowed
)

// splitAndMerge tries to split or to merge clusters, a Metropolis-Hastings step that keeps the posterior: parameters,
// weights and category tables are integrated out, u is kept. The labels of a split are drawn independently from the
// responsibilities of a short EM, which depends on nothing but the set of rows, two anchors and some coins; the reverse
// of a merge is the same computation.
//
// Hot attempts, which begin a chain, are accepted by the posterior alone.
func (c *chain) splitAndMerge(hot bool) {
	tries := attempts
	if hot {
		tries = hotAttempts
	}
	for range tries {
		if c.rng.Uint64()&1 == 0 {
			c.trySplit(hot)
		} else if len(c.clusters) > c.least {
			c.tryMerge(hot)
		}
	}
	for range exchanges {
		if c.rows.known.constrained() {
			c.tryExchange()
		}
	}
}

// trySplit proposes to split one cluster in two.
func (c *chain) trySplit(hot bool) {
	if k, ratio := c.proposeSplit(hot); k != nil && c.rng.logUniform() < ratio {
		c.split(k)
	}
}

// proposeSplit draws a cluster and its halves, left and right, and returns the log ratio of the split; of a hot one
// that of the posterior alone. It returns no cluster where none can be split.
func (c *chain) proposeSplit(hot bool) (k *cluster, ratio float64) {
	t := len(c.clusters)
	at := c.rng.IntN(t)
	k = c.clusters[at]
	units := c.rows.known.leaders(k.members)
	if units < 2 || t >= c.most {
		return nil, 0
	}
	i, j := c.rng.two(units)
	i, j = c.rows.known.place(k.members, i), c.rows.known.place(k.members, j)
	c.union = append(c.union[:0], k.members...)
	c.inLeft = c.inLeft[:len(c.union)]
	log := c.logSides(c.launch.run(&k.summary, k.members, c.scales, i, j, c.launch.toss(c.rng)), i, j, true)
	c.listHalves()
	c.gather.summarize(&c.left, c.leftRows, c.scales)
	c.gather.summarize(&c.right, c.rightRows, c.scales)
	c.left.log, c.right.log = c.law.estimate(&c.left), c.law.estimate(&c.right)
	ratio = c.partition.after(t, 1, c.left.n, c.right.n) - c.partition.log(t) + c.left.log + c.right.log - k.log
	if !hot {
		ratio += c.logPairAfterSplit(at) - log + math.Log(float64(t))
		ratio += logAnchors(c.rows.known.leaders(c.leftRows), c.rows.known.leaders(c.rightRows))
	}
	return k, ratio
}

// logAnchors is log [n(n−1)/(a·b)]: how much more often two rows (or rows that are together) are the anchors of a merge
// of a and b rows than of the split of their union.
func logAnchors(left, right int) float64 {
	a, b := float64(left), float64(right)
	return math.Log((a + b) * (a + b - 1) / (a * b))
}

// logCloseness is the log weight of a pair to be merged: clusters that lie near each other in units of their own
// spread.
func logCloseness(a, b *summary) float64 {
	const least = 0.05 // squared spread of clusters of one row, in units of a column
	distance, dim := 0.0, len(a.mean)
	for d, m := range a.mean {
		m -= b.mean[d]
		distance += m * m / ((a.scatter[d*dim+d]+least)/a.weight + (b.scatter[d*dim+d]+least)/b.weight)
	}
	return -2 * math.Log1p(distance/float64(max(dim, 1)))
}

// logPairAfterSplit is the log probability that the halves left and right of cluster at would be chosen to be merged,
// in this order.
func (c *chain) logPairAfterSplit(at int) float64 {
	logs := c.logs[:len(c.clusters)]
	for k, other := range c.clusters {
		logs[k] = logCloseness(&c.left, &other.summary)
	}
	logs[at] = logCloseness(&c.left, &c.right)
	return logs[at] - logSumExp(logs) - math.Log(float64(len(logs)+1))
}

// choosePair draws a cluster and one to merge it with, and returns the log probability of the choice.
func (c *chain) choosePair() (a, b int, log float64) {
	logs := c.logs[:len(c.clusters)]
	a = c.rng.IntN(len(logs))
	of := func(k int) float64 { return logCloseness(&c.clusters[a].summary, &c.clusters[k].summary) }
	for k := range logs {
		logs[k] = of(k)
	}
	logs[a] = math.Inf(-1)
	b, total := c.rng.pickOf(logs)
	return a, b, of(b) - total - math.Log(float64(len(logs)))
}

// logSides returns the log probability of the sides inLeft of the rows in union given the shares of the left one. The
// anchors i and j are on the left and on the right. If draw is set it draws the sides first.
func (c *chain) logSides(share []float64, i, j int, draw bool) (log float64) {
	known, product := &c.rows.known, 1.0
	for m, row := range c.union {
		u := known.unit(row)
		switch {
		case u >= 0 && known.units[u].rows[0] != row:
			c.inLeft[m] = c.onLeft[u]
			continue
		case m == i || m == j:
			c.inLeft[m] = m == i
		default:
			if draw {
				c.inLeft[m] = c.rng.Float64() < share[m]
			}
			if product *= sideShare(share[m], c.inLeft[m]); product < 1e-200 {
				log += math.Log(product)
				product = 1
			}
		}
		if u >= 0 {
			c.onLeft[u] = c.inLeft[m]
		}
	}
	return log + math.Log(product)
}

// listHalves lists the rows in union by their sides.
func (c *chain) listHalves() {
	c.leftRows, c.rightRows = c.leftRows[:0], c.rightRows[:0]
	for m, row := range c.union {
		if c.inLeft[m] {
			c.leftRows = append(c.leftRows, row)
		} else {
			c.rightRows = append(c.rightRows, row)
		}
	}
}

func sideShare(share float64, left bool) float64 {
	if left {
		return share
	}
	return 1 - share
}

// split makes the rows on the right a cluster of their own.
func (c *chain) split(k *cluster) {
	c.partition.change(-1, k.n)
	t := len(c.clusters)
	c.clusters = c.pool[:t+1]
	other := c.clusters[t]
	k.copyFrom(&c.left)
	other.copyFrom(&c.right)
	k.members = append(k.members[:0], c.leftRows...)
	other.members = append(other.members[:0], c.rightRows...)
	c.partition.change(1, k.n)
	c.partition.change(1, other.n)
}

// tryMerge proposes to make one cluster of two. Most attempts end before the EM: its probability is at most 1.
func (c *chain) tryMerge(hot bool) {
	a, b, ratio := c.proposeMerge(hot)
	threshold := c.rng.logUniform()
	if threshold >= ratio {
		return
	}
	c.unite(c.clusters[a].members, c.clusters[b].members)
	if !c.clash(c.union) && (hot || threshold < ratio+c.logReverse(a, b)) {
		c.merge(a, b)
	}
}

// proposeMerge draws a pair of clusters and returns the log ratio of merging them, without that of the labels which the
// reverse split would have to draw.
func (c *chain) proposeMerge(hot bool) (a, b int, ratio float64) {
	a, b, logPair := c.choosePair()
	if ratio = c.logMerge(a, b); hot {
		return a, b, ratio
	}
	ratio -= logPair + math.Log(float64(len(c.clusters)-1))
	known := &c.rows.known
	return a, b, ratio - logAnchors(known.leaders(c.clusters[a].members), known.leaders(c.clusters[b].members))
}

// logReverse draws anchors in clusters a and b, the union of whose rows is in union, and returns the log probability of
// the present sides in a split from there.
func (c *chain) logReverse(a, b int) float64 {
	var anchors [2]int
	for side, cluster := range [2]*cluster{c.clusters[a], c.clusters[b]} {
		known := &c.rows.known
		nth := c.rng.IntN(known.leaders(cluster.members))
		anchors[side], _ = slices.BinarySearch(c.union, cluster.members[known.place(cluster.members, nth)])
	}
	i, j := anchors[0], anchors[1]
	return c.logSides(c.launch.run(&c.left, c.union, c.scales, i, j, c.launch.toss(c.rng)), i, j, false)
}

// logMerge returns the log posterior ratio of merging clusters a and b, whose joint summary it leaves in left.
func (c *chain) logMerge(a, b int) float64 {
	first, second, t := c.clusters[a], c.clusters[b], len(c.clusters)
	c.left.join(&first.summary, &second.summary)
	c.left.log = c.law.estimate(&c.left)
	return c.partition.after(t, -1, first.n, second.n) - c.partition.log(t) + c.left.log - first.log - second.log
}

// unite lists the rows of both clusters, rising, and which of them are of the first.
func (c *chain) unite(first, second []int32) {
	c.union, c.inLeft = c.union[:0], c.inLeft[:0]
	for len(first)+len(second) > 0 {
		left := len(second) == 0 || len(first) > 0 && first[0] < second[0]
		if left {
			c.union, first = append(c.union, first[0]), first[1:]
		} else {
			c.union, second = append(c.union, second[0]), second[1:]
		}
		c.inLeft = append(c.inLeft, left)
	}
}

// merge gives the rows of cluster b to a. The summary of both lies in left, their rows in union.
func (c *chain) merge(a, b int) {
	first, second, last := c.clusters[a], c.clusters[b], len(c.clusters)-1
	c.partition.change(-1, first.n)
	c.partition.change(-1, second.n)
	first.copyFrom(&c.left)
	first.members = append(first.members[:0], c.union...)
	c.partition.change(1, first.n)
	c.pool[b], c.pool[last] = c.pool[last], c.pool[b]
	c.clusters = c.pool[:last]
}
