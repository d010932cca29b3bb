package posterior

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Decisions estimates log p(c_n | c_{1:n−1}, x) of every decision on the labels [N] of points x [N·D] (row-major, data
// units), in nats: the first is 0, and their sum is log p(c|x). What an amortized policy has to foresee is so split up
// by the decision at which it has to know it.
//
// For each n a chain starts at the labels and moves the points from n on, BurnIn + Samples sweeps; the law of point n
// given all others is averaged over the Samples (Thin is not read). The labels should be likely: a chain that has to
// travel far gives the first probabilities too much weight. Time O(N²·K·D) for each sweep.
//
// It returns an error for settings out of range, and the errors of NewChain.
func (g Gibbs) Decisions(rng *rand.Rand, x []float64, labels []int32) ([]float64, error) {
	var faults usererr.Faults
	faults.Demand(g.BurnIn >= 0, "burn_in", g.BurnIn, "at least 0")
	faults.Demand(g.Samples >= 1, "samples", g.Samples, "at least 1")
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	logProb := make([]float64, len(labels))
	for n := range labels {
		c, err := NewChain(g.Model, g.Prior, x, labels)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			continue
		}
		total := 0.0
		for sweep := range g.BurnIn + g.Samples {
			p := c.decide(rng, n, labels)
			if sweep >= g.BurnIn {
				total += p
			}
			for i := n + 1; i < len(labels); i++ {
				c.step(rng, i)
			}
		}
		if total == 0 {
			return nil, fmt.Errorf("decision %d has no probability", n)
		}
		logProb[n] = math.Log(total / float64(g.Samples))
	}
	return logProb, nil
}

// decide lets point n draw its cluster given all the others, and returns the probability that it joins the points
// before it that have its label, or, if none has, no point before it.
func (c *Chain) decide(rng *rand.Rand, n int, labels []int32) float64 {
	c.remove(n)
	weight, stay := c.logWeights(n)
	total := floats.LogSumExp(weight)
	open, chance := 1.0, 0.0 // of joining no point before it, or those of its label
	opens := true
	met := map[int32]bool{}
	for i := range n {
		k, same := c.cluster[i], labels[i] == labels[n]
		opens = opens && !same
		if met[k] || int(k) >= stay {
			continue
		}
		met[k] = true
		p := math.Exp(weight[k] - total)
		open -= p
		if same {
			chance = p
		}
	}
	if opens {
		chance = max(0, open)
	}
	c.add(n, c.choose(rng, weight, stay))
	return chance
}
