package ccp

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// defaultOrders is Clusterer.Orders of Method.Open.
const defaultOrders = 16

// Clusterer is a trained CCP on a backend. Its fields may be changed before use, not beside it.
type Clusterer struct {
	// Candidates is the number of random clusterings that Cluster chooses from by their estimated probability, beside the one
	// of the latents' means. Default 0: it takes that one at the cost of a single sample.
	Candidates int
	// Orders is M, the number of random sequences of anchors that LogProb averages over. Default 16.
	Orders int
	// Samples is S, the number of importance samples of z for each factor of LogProb. Default: peers.Config.Samples.
	Samples int

	method                      *Method
	buckets                     models.Buckets
	weights                     []*tensors.Tensor
	embed, decide, find, bounds *engine.Func
}

var (
	_ peers.Sampler   = (*Clusterer)(nil)
	_ peers.LogProber = (*Clusterer)(nil)
)

func open(m *Method, backend compute.Backend, weights models.Params) (*Clusterer, error) {
	if err := m.Layout().Check(weights); err != nil {
		return nil, fmt.Errorf("open ccp: %w", err)
	}
	c := &Clusterer{
		Orders: defaultOrders, Samples: m.peer.Samples,
		method: m, buckets: models.BucketsFor(backend.Name()), weights: weights.Tensors(),
	}
	return c, c.compile(backend)
}

func (c *Clusterer) compile(backend compute.Backend) (err error) {
	count := len(c.weights)
	build := func(name string, fn func(n network, in []*Node) []*Node) *engine.Func {
		if err != nil {
			return nil
		}
		var compiled *engine.Func
		compiled, err = engine.NewFunc(backend, "ccp "+name, func(in []*Node) []*Node {
			return fn(c.method.network(in[:count]), in[count:])
		})
		return compiled
	}
	c.embed = build("encoder", func(n network, in []*Node) []*Node {
		p := n.embed(in[0], nil)
		return []*Node{p.e, p.h, p.u, p.phi}
	})
	c.decide = build("decisions", func(n network, in []*Node) []*Node {
		row, noise, p := in[0], in[1], pairs{row: in[2], phi: in[3]}
		return []*Node{n.logits(p, n.latent(row, n.prior).draw(noise), row)}
	})
	c.find = build("clusters", func(n network, in []*Node) []*Node { return []*Node{models.MLP(in[0], n.g)} })
	if err != nil {
		return err
	}
	c.bounds, err = engine.NewFunc(backend, "ccp bounds", func(in []*Node) []*Node {
		return []*Node{c.method.bounds(in[:count], in[count:])}
	})
	return err
}

// call runs f on the weights and in, frees in and returns the results' values.
func (c *Clusterer) call(f *engine.Func, in ...*tensors.Tensor) ([][]float32, error) {
	out, err := f.Call(append(append([]*tensors.Tensor{}, c.weights...), in...)...)
	engine.Free(in...)
	if err != nil {
		return nil, err
	}
	defer engine.Free(out...)
	values := make([][]float32, len(out))
	for i, t := range out {
		if values[i], err = engine.Float32s(t); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// check reports sizes that do not fit the points.
func (c *Clusterer) check(x []float32, b, n int) error {
	if b < 1 || n < 1 || len(x) != b*n*c.method.net.Dim {
		return fmt.Errorf("ccp: %d coordinates are not %d sets of %d points in %d dimensions", len(x), b, n, c.method.net.Dim)
	}
	return nil
}

// Cluster returns a clustering of each of B sets of N points x [B,N,D], as canonical labels [B][N]: anchors drawn from rng,
// each latent at its prior's mean, and the points that join with a probability above 1/2. With Candidates it is the most
// probable one, by LogProb's estimate, of that one and as many samples (published: of samples).
func (c *Clusterer) Cluster(rng *rand.Rand, x []float32, b, n int) ([][]int32, error) {
	if err := c.check(x, b, n); err != nil {
		return nil, err
	}
	best, err := c.run(rng, x, b, n, false)
	if err != nil || c.Candidates < 1 {
		return best, err
	}
	most, err := c.LogProb(rng, x, joined(best), b, n)
	if err != nil {
		return nil, err
	}
	for range c.Candidates {
		labels, err := c.run(rng, x, b, n, true)
		if err != nil {
			return nil, err
		}
		logProbs, err := c.LogProb(rng, x, joined(labels), b, n)
		if err != nil {
			return nil, err
		}
		for i, p := range logProbs {
			if p > most[i] {
				best[i], most[i] = labels[i], p
			}
		}
	}
	return best, nil
}

// Sample draws one clustering of each of B sets of N points x [B,N,D] from the model, as canonical labels [B][N].
func (c *Clusterer) Sample(rng *rand.Rand, x []float32, b, n int) ([][]int32, error) {
	if err := c.check(x, b, n); err != nil {
		return nil, err
	}
	return c.run(rng, x, b, n, true)
}

// joined writes the sets' labels one after the other.
func joined(labels [][]int32) []int32 {
	var all []int32
	for _, set := range labels {
		all = append(all, set...)
	}
	return all
}
