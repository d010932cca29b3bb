package posterior

import (
	"math"
	"math/rand/v2"
)

// SplitMerge proposes one change of many points at once, a Metropolis-Hastings step that keeps the posterior: if two
// random points share a cluster it is to be split between them, else their two clusters are to become one (Jain &
// Neal 2004). The other points of a split are allocated one after the other, in random order, by the predictive
// density of the two parts so far (Dahl 2003). It reports whether the proposal was accepted. Time O(n) predictive
// densities for n points in the clusters concerned.
func (c *Chain) SplitMerge(rng *rand.Rand) (accepted bool) {
	n, k := len(c.cluster), len(c.size)
	if n < 2 {
		return false
	}
	i, j := rng.IntN(n), rng.IntN(n-1)
	if j >= i {
		j++
	}
	split := c.cluster[i] == c.cluster[j]
	if split && !c.prior.allows(k+1) || !split && !c.prior.allows(k-1) {
		return false
	}
	p := c.allocate(rng, i, j, split)
	ratio := c.logRatio(p, k, split)
	if !split {
		ratio = -ratio
	}
	accepted = math.Log(rng.Float64()) < ratio
	if accepted && c.selecting != nil {
		c.selecting.known = nil
	}
	if accepted && split {
		c.split(c.cluster[i], p)
		return true
	}
	if accepted {
		c.merge(c.cluster[i], c.cluster[j])
	}
	c.free(p.stats[0])
	c.free(p.stats[1])
	return accepted
}

// parts are the two clusters that a split would make.
type parts struct {
	member [2][]int   // points, of each part
	stats  [2]Cluster // their statistics
	logQ   float64    // log-probability of the allocation
}

// allocate divides the points of the clusters of i and j into a part with i and a part with j: at random for a split,
// and as they are for a merger, whose reverse is that split.
func (c *Chain) allocate(rng *rand.Rand, i, j int, split bool) parts {
	p := parts{member: [2][]int{{i}, {j}}, stats: [2]Cluster{c.take(), c.take()}}
	p.stats[0].Add(c.point(i))
	p.stats[1].Add(c.point(j))
	others := make([]int, 0, c.size[c.cluster[i]]+c.size[c.cluster[j]])
	for at, k := range c.cluster {
		if (k == c.cluster[i] || k == c.cluster[j]) && at != i && at != j {
			others = append(others, at)
		}
	}
	rng.Shuffle(len(others), func(a, b int) { others[a], others[b] = others[b], others[a] })
	for _, at := range others {
		var weight [2]float64
		for side := range weight {
			weight[side] = c.logSize[len(p.member[side])] + p.stats[side].LogPredictive(c.point(at))
		}
		side := 0
		if split {
			side = drawLog(rng, []float64{weight[0], weight[1]})
		} else if c.cluster[at] == c.cluster[j] {
			side = 1
		}
		if against := weight[1-side] - weight[side]; against > -negligible {
			p.logQ -= math.Log1p(math.Exp(against))
		}
		p.member[side] = append(p.member[side], at)
		p.stats[side].Add(c.point(at))
	}
	return p
}

// logRatio returns the log of the posterior of the partition with both parts, over that of the partition in which they
// are one cluster, less the log-probability to propose the former from the latter. k is the number of clusters now.
func (c *Chain) logRatio(p parts, k int, split bool) float64 {
	whole := c.take()
	defer c.free(whole)
	whole.Absorb(p.stats[0])
	whole.Absorb(p.stats[1])
	if !split {
		k--
	}
	n, m := len(p.member[0]), len(p.member[1])
	ratio := c.logK[k+1] - c.logK[k] - p.logQ + logSeated(n) + logSeated(m) - logSeated(n+m)
	return ratio + p.stats[0].LogMarginal() + p.stats[1].LogMarginal() - whole.LogMarginal()
}

// logSeated returns log (n−1)!, the factor of a cluster of n points in the prior of a partition.
func logSeated(n int) float64 {
	v, _ := math.Lgamma(float64(n))
	return v
}

// split gives the second part a cluster of its own; the first keeps number k.
func (c *Chain) split(k int32, p parts) {
	fresh := int32(len(c.size))
	for _, i := range p.member[1] {
		c.cluster[i] = fresh
	}
	c.free(c.stats[k])
	c.size[k], c.stats[k] = len(p.member[0]), p.stats[0]
	c.size, c.stats = append(c.size, len(p.member[1])), append(c.stats, p.stats[1])
}

// merge puts the points of cluster b into cluster a.
func (c *Chain) merge(a, b int32) {
	for i, k := range c.cluster {
		if k == b {
			c.cluster[i] = a
		}
	}
	c.size[a] += c.size[b]
	c.stats[a].Absorb(c.stats[b])
	c.drop(b)
}
