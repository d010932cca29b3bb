package ccp

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

const defaultOrders = 16

// Clusterer is a trained CCP on a backend. Its fields may be changed before use, not beside it.
type Clusterer struct {
	// Orders is M, the number of random sequences of anchors that LogProb averages over. Default 16.
	Orders int
	// Samples is S, the number of importance samples of z for each factor of LogProb. Default: peers.Config.Samples.
	Samples int

	*peers.Opened
	method                      *Method
	embed, decide, find, bounds peers.Func
}

var (
	_ peers.Sampler   = (*Clusterer)(nil)
	_ peers.LogProber = (*Clusterer)(nil)
)

func open(m *Method, backend compute.Backend, weights models.Params) (*Clusterer, error) {
	o, err := peers.OpenWeights("CCP", backend, m.Layout(), weights, m.net.Dim)
	if err != nil {
		return nil, err
	}
	c := &Clusterer{Orders: defaultOrders, Samples: m.peer.Samples, Opened: o, method: m}
	var errs [4]error
	c.embed, errs[0] = o.Func("encoder", func(w, in []*Node) []*Node {
		p := m.network(w).embed(in[0], nil)
		return []*Node{p.e, p.h, p.u, p.phi}
	})
	c.decide, errs[1] = o.Func("decisions", func(w, in []*Node) []*Node {
		n, row, noise, p := m.network(w), in[0], in[1], pairs{row: in[2], phi: in[3]}
		return []*Node{n.logits(p, n.latent(row, n.prior).draw(noise), row)}
	})
	c.find, errs[2] = o.Func("clusters", func(w, in []*Node) []*Node {
		return []*Node{models.MLP(in[0], m.network(w).g)}
	})
	c.bounds, errs[3] = o.Func("bounds", func(w, in []*Node) []*Node { return []*Node{m.bounds(w, in)} })
	if err := cmp.Or(errs[:]...); err != nil {
		return nil, err
	}
	return c, nil
}

// Cluster returns a clustering of each of B sets of N points x [B,N,D], as canonical labels [B][N]: anchors drawn from
// rng, each latent at its prior's mean, and the points that join with a probability above 1/2.
func (c *Clusterer) Cluster(rng *rand.Rand, x []float32, b, n int) ([][]int32, error) {
	return c.run(rng, x, b, n, false)
}

// Sample draws one clustering of each of B sets of N points x [B,N,D] from the model, as canonical labels [B][N].
func (c *Clusterer) Sample(rng *rand.Rand, x []float32, b, n int) ([][]int32, error) {
	return c.run(rng, x, b, n, true)
}

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
		return nil, fmt.Errorf(
			"ccp: log-probability of %d labels of %d sets of %d points with %d orders and %d samples",
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
		t := c.Buckets.Slots(len(set.steps))
		bounds, err := c.bounds(c.method.tensors([]labelledSet{set}, t, c.Samples, c.Buckets)...)
		if err != nil {
			return err
		}
		for i, m := range order {
			products[m] += float64(bounds[0][i])
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
