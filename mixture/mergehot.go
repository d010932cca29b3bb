package mixture

import "math"

// mergeHot merges the best pair of clusters while the posterior gains.
func (c *chain) mergeHot() {
	t := len(c.clusters)
	for a := range t {
		for b := range a {
			c.fillGain(a, b)
		}
	}
	for len(c.clusters) > c.least {
		a, b := c.bestPair()
		threshold := c.rng.logUniform()
		gain := c.logMerge(a, b)
		if math.IsInf(c.gain(a, b), -1) || len(c.clusters) <= c.most && threshold > gain {
			return
		}
		c.unite(c.clusters[a].members, c.clusters[b].members)
		last := len(c.clusters) - 1
		c.merge(a, b)
		merged := a
		if a == last { // the last cluster takes the place of b
			merged = b
		}
		for k := range last {
			if merged == a && k != b && k != a {
				c.setGain(b, k, c.gain(last, k))
			}
		}
		for k := range last {
			if k != merged {
				c.fillGain(merged, k)
			}
		}
	}
}

// fillGain keeps how much the likelihood of two clusters gains, with the product of Γ of their sizes.
func (c *chain) fillGain(a, b int) {
	first, second := c.clusters[a], c.clusters[b]
	c.left.join(&first.summary, &second.summary)
	gain := c.law.estimate(&c.left) - first.log - second.log
	gain += logGammaFunction(first.n+second.n) - logGammaFunction(first.n) - logGammaFunction(second.n)
	if c.constrained {
		if c.unite(first.members, second.members); c.clash(c.union) {
			gain = math.Inf(-1)
		}
	}
	c.setGain(a, b, gain)
}

func (c *chain) gain(a, b int) float64 { return c.gains[max(a, b)*len(c.pool)+min(a, b)] }

func (c *chain) setGain(a, b int, gain float64) { c.gains[max(a, b)*len(c.pool)+min(a, b)] = gain }

func (c *chain) bestPair() (a, b int) {
	best := math.Inf(-1)
	for i := range c.clusters {
		for j := range i {
			if gain := c.gain(i, j); gain > best || a == 0 {
				a, b, best = i, j, gain
			}
		}
	}
	return a, b
}
