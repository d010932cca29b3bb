package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/mixture/em"
)

const (
	attempts    = 14 // a sweep, to split or to merge
	hotAttempts = 24
	exchanges   = 4 // a sweep, if some partitions are not allowed
)

// splitAndMerge tries to split or to merge clusters by Metropolis-Hastings steps, which keep the posterior invariant.
// Parameters, weights and category probabilities are integrated out; u does not change. A split allocates the rows one
// after the other, see allocate.
//
// Hot attempts are accepted by the posterior ratio alone, without the proposal ratio.
func (c *chain) splitAndMerge(hot bool) {
	tries := attempts
	if hot {
		tries = hotAttempts
	}
	for range tries {
		if c.rng.Uint64()&1 == 0 {
			if at, ratio := c.proposeSplit(hot); at >= 0 && c.rng.LogUniform() < ratio {
				c.split(at)
			}
		} else if len(c.clusters) > c.least {
			c.tryMerge(hot)
		}
	}
	for range exchanges {
		if c.known.constrained() && len(c.clusters) > 1 {
			c.tryExchange()
		}
	}
}

// proposeSplit draws a cluster and its halves, left and right. It returns the cluster's place, or −1 if the cluster
// cannot be split, and the log ratio of the step; if hot is set, the log ratio of the posterior alone.
func (c *chain) proposeSplit(hot bool) (at int, ratio float64) {
	t := len(c.clusters)
	at = c.rng.IntN(t)
	k := c.clusters[at]
	places := c.leading(k.members)
	if len(places) < 2 || t >= c.known.mostClusters() {
		return -1, 0
	}
	i, j := c.rng.IntN(len(places)), c.rng.IntN(len(places)-1)
	if j >= i {
		j++
	}
	log := c.allocate(&k.Summary, k.members, places[i], places[j], true, math.Inf(-1))
	c.left.members, c.right.members = c.left.members[:0], c.right.members[:0]
	for m, row := range k.members {
		half := c.right
		if c.inLeft[m] {
			half = c.left
		}
		half.members = append(half.members, row)
	}
	for _, half := range [2]*cluster{c.left, c.right} {
		c.gather.Summarize(&half.Summary, half.members, c.scales)
		half.Log = c.law.estimate(&half.Summary)
	}
	ratio = c.partition.after(t, 1, c.left, c.right, k) - c.partition.log(t) + c.left.Log + c.right.Log - k.Log
	if !hot {
		ratio += c.logPairAfterSplit(at) - log + math.Log(float64(t))
		ratio += c.logAnchors(c.left, c.right)
	}
	return at, ratio
}

// logAnchors returns log [n(n−1)/(a·b)] for clusters of a and b units, n = a + b. It is the ratio of the probabilities
// of two anchors in a merge, and in the split of the union.
func (c *chain) logAnchors(left, right *cluster) float64 {
	a, b := float64(len(c.leading(left.members))), float64(len(c.leading(right.members)))
	return math.Log((a + b) * (a + b - 1) / (a * b))
}

// logCloseness returns the log weight of a pair in the choice of clusters to merge. It is high for clusters that are
// close relative to their spread.
func logCloseness(a, b *em.Summary) float64 {
	const least = 0.05 // squared spread of clusters of one row, in units of a column
	distance, dim := 0.0, len(a.Mean)
	for d, m := range a.Mean {
		m -= b.Mean[d]
		distance += m * m / ((a.Scatter[d*dim+d]+least)/a.Weight + (b.Scatter[d*dim+d]+least)/b.Weight)
	}
	return -2 * math.Log1p(distance/float64(max(dim, 1)))
}

// logPairAfterSplit returns the log probability that choosePair returns the halves left and right of cluster at, in
// this order, after the split.
func (c *chain) logPairAfterSplit(at int) float64 {
	logs := c.logs[:len(c.clusters)]
	for k, other := range c.clusters {
		logs[k] = logCloseness(&c.left.Summary, &other.Summary)
	}
	logs[at] = logCloseness(&c.left.Summary, &c.right.Summary)
	return logs[at] - floats.LogSumExp(logs) - math.Log(float64(len(logs)+1))
}

// choosePair draws a cluster and another one to merge it with, and returns the log probability of the choice.
func (c *chain) choosePair() (a, b int, log float64) {
	logs := c.logs[:len(c.clusters)]
	a = c.rng.IntN(len(logs))
	of := func(k int) float64 { return logCloseness(&c.clusters[a].Summary, &c.clusters[k].Summary) }
	for k := range logs {
		logs[k] = of(k)
	}
	logs[a] = math.Inf(-1)
	b, total := c.rng.PickOf(logs)
	return a, b, of(b) - total - math.Log(float64(len(logs)))
}

// split puts the left half of a cluster in its place, and the right half at the end.
func (c *chain) split(at int) {
	t := len(c.clusters)
	c.partition.change(-1, c.pool[at])
	c.pool[at], c.left = c.left, c.pool[at]
	c.pool[t], c.right = c.right, c.pool[t]
	c.partition.change(1, c.pool[at])
	c.partition.change(1, c.pool[t])
	c.clusters = c.pool[:t+1]
}

// tryMerge proposes to merge two clusters. Most attempts end early, because the probability of the labels is at most 1.
func (c *chain) tryMerge(hot bool) {
	a, b, ratio := c.proposeMerge(hot)
	threshold := c.rng.LogUniform()
	if threshold >= ratio {
		return
	}
	c.unite(a, b)
	if !c.known.clash(c.both.members) && (hot || threshold < ratio+c.logReverse(a, b, threshold-ratio)) {
		c.merge(a, b)
	}
}

// proposeMerge draws a pair of clusters and returns the log ratio of the merge, without the probability of the labels
// in the reverse split; if hot is set, the log ratio of the posterior alone. It leaves the summary of the union in
// both.
func (c *chain) proposeMerge(hot bool) (a, b int, ratio float64) {
	a, b, logPair := c.choosePair()
	first, second, t := c.clusters[a], c.clusters[b], len(c.clusters)
	c.both.Join(&first.Summary, &second.Summary)
	c.both.Log = c.law.estimate(&c.both.Summary)
	ratio = c.partition.after(t, -1, first, second, c.both) - c.partition.log(t) + c.both.Log - first.Log - second.Log
	if hot {
		return a, b, ratio
	}
	ratio -= logPair + math.Log(float64(t-1))
	return a, b, ratio - c.logAnchors(first, second)
}

// logReverse draws anchors in clusters a and b, after unite, and returns the log probability of the current labels in a
// split from these anchors, or some value below least if it is below.
func (c *chain) logReverse(a, b int, least float64) float64 {
	var anchors [2]int
	for side, cluster := range [2]*cluster{c.clusters[a], c.clusters[b]} {
		places := c.leading(cluster.members)
		row := cluster.members[places[c.rng.IntN(len(places))]]
		anchors[side], _ = slices.BinarySearch(c.both.members, row)
	}
	return c.allocate(&c.both.Summary, c.both.members, anchors[0], anchors[1], false, least)
}

// unite lists the rows of two clusters in both, rising, and in inLeft which of them are in the first cluster.
func (c *chain) unite(a, b int) {
	first, second := c.clusters[a].members, c.clusters[b].members
	c.both.members, c.inLeft = c.both.members[:0], c.inLeft[:0]
	for len(first)+len(second) > 0 {
		from := &first
		if len(first) == 0 || len(second) > 0 && second[0] < first[0] {
			from = &second
		}
		c.both.members, c.inLeft = append(c.both.members, (*from)[0]), append(c.inLeft, from == &first)
		*from = (*from)[1:]
	}
}

// merge puts both in the place of cluster a, and takes b out.
func (c *chain) merge(a, b int) {
	last := len(c.clusters) - 1
	c.partition.change(-1, c.pool[a])
	c.partition.change(-1, c.pool[b])
	c.pool[a], c.both = c.both, c.pool[a]
	c.partition.change(1, c.pool[a])
	c.pool[b], c.pool[last] = c.pool[last], c.pool[b]
	c.clusters = c.pool[:last]
}

// tryExchange proposes a merge and then a split, as one Metropolis-Hastings step whose ratio is the product of both.
// The number of clusters stays. The partition between the two moves need not be allowed.
func (c *chain) tryExchange() {
	known, merged := c.known, c.both
	a, b, ratio := c.proposeMerge(false)
	c.unite(a, b)
	clash := known.clash(merged.members)
	ratio += c.logReverse(a, b, math.Inf(-1))
	c.merge(a, b)
	at, more := c.proposeSplit(false)
	if clash && at >= 0 && c.clusters[at] == merged {
		clash = known.clash(c.left.members) || known.clash(c.right.members)
	}
	if at >= 0 && !clash && c.rng.LogUniform() < ratio+more {
		c.split(at)
		return
	}
	last := len(c.clusters)
	c.pool[b], c.pool[last] = c.pool[last], c.pool[b]
	c.partition.change(-1, merged)
	c.pool[a], c.both = c.both, c.pool[a]
	c.partition.change(1, c.pool[a])
	c.partition.change(1, c.pool[b])
	c.clusters = c.pool[:last+1]
}

// leading returns the places of the members that lead their units. The result is valid until the next call.
func (c *chain) leading(members []int32) []int {
	if len(c.known.units) == 0 {
		return c.places[:len(members)]
	}
	c.places = c.places[:0]
	for at, row := range members {
		if c.known.leads(row) {
			c.places = append(c.places, at)
		}
	}
	return c.places
}
