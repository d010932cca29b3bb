package ccp

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// LogProb estimates log p(c|x) in nats for labels [B,N] (any numbers) of B sets of N points x [B,N,D]:
//
//	p(c|x) = Σ over sequences of anchors of Π_k 1/|unassigned_k| · p(S_k | a_k, the clusters before)
//	       ≈ 1/M Σ_m Π_k 1/S Σ_s w_mks
//
// with M = Orders sequences of anchors from the process itself and, for each factor, S = Samples latents, half of them
// from the posterior and half from the prior (see Method.bounds). Each factor is unbiased and so, as all are drawn
// apart, is the estimate of p; its logarithm is therefore low on average.
func (c *Clusterer) LogProb(rng *rand.Rand, x []float32, labels []int32, b, n int) ([]float64, error) {
	if err := c.CheckSets(x, b, n); err != nil {
		return nil, err
	}
	if len(labels) != b*n || c.Orders < 1 || c.Samples < 1 {
		return nil, fmt.Errorf("ccp: log-probability of %d labels of %d sets of %d points with %d orders and %d samples",
			len(labels), b, n, c.Orders, c.Samples)
	}
	logProbs := make([]float64, b)
	d := c.method.net.Dim
	for i := range logProbs {
		var err error
		set := newSet(rng, x[i*n*d:(i+1)*n*d], labels[i*n:(i+1)*n])
		if logProbs[i], err = c.logProb(set); err != nil {
			return nil, fmt.Errorf("ccp: log-probability of set %d: %w", i, err)
		}
	}
	return logProbs, nil
}

// logProb is LogProb of one set. The steps of all orders lie side by side, as rows of few calls.
func (c *Clusterer) logProb(set labelledSet) (float64, error) {
	products := make([]float64, c.Orders)
	var order []int // of each waiting step
	waiting := 0    // samples of pairs of the waiting steps
	flush := func() error {
		if len(order) == 0 {
			return nil
		}
		bounds, err := c.rowBounds(set)
		if err != nil {
			return err
		}
		for i, m := range order {
			products[m] += float64(bounds[i])
		}
		set.steps, order, waiting = nil, nil, 0
		return nil
	}
	for m := range products {
		for _, s := range drawSteps(set.rng, set.labels) {
			if waiting+s.others()*c.Samples > pairsAtOnce {
				if err := flush(); err != nil {
					return 0, err
				}
			}
			set.steps, order = append(set.steps, s), append(order, m)
			waiting += s.others() * c.Samples
		}
	}
	if err := flush(); err != nil {
		return 0, err
	}
	most, sum := math.Inf(-1), 0.0
	for _, p := range products {
		if p-p != 0 {
			return 0, fmt.Errorf("the estimate is %v", p)
		}
		most = max(most, p)
	}
	for _, p := range products {
		sum += math.Exp(p - most)
	}
	return most + math.Log(sum/float64(c.Orders)), nil
}

// rowBounds returns log 1/S Σ_s w of each of the set's steps.
func (c *Clusterer) rowBounds(set labelledSet) ([]float32, error) {
	t := c.Buckets.Slots(len(set.steps))
	in := c.method.tensors([]labelledSet{set}, t, c.Samples, c.Buckets)
	out, err := c.bounds(in...)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}
