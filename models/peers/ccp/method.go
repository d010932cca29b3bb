// Package ccp is the clusterwise process, the O(K) sampler of "Neural Clustering Processes" (Pakman, Wang, Mitelut, Lee
// and Paninski 2020). It finds one cluster after the other. This package has its networks, its training objective and
// its samplers.
//
//	repeat until every point is assigned:
//	    a ~ uniform over the unassigned points                    the anchor, in the new cluster S
//	    z ~ N(μ_p, σ_p)(e_a, U, G)                                a latent, L coordinates
//	    i ∈ S with probability σ(φ(e_i, z, e_a, U, G))            each other unassigned point on its own, given z
//	    G ← G + g(mean over S of h)
//
// e = encoder(x); h and u are functions of e; U is the mean of u over the other unassigned points (0 if there are none)
// and G is 0 at first.
//
// Sizes as published: h, u and g have 3 layers, φ has 5 (its last one without bias), the nets of z's prior and of its
// posterior have 6, with a ReLU between each two layers. Every layer is peers.Config.Width wide, encoder excepted,
// which is from package models (for images one convolutional encoder, so that three are not needed).
//
// Training maximizes an importance-weighted bound (Burda, Grosse and Salakhutdinov 2016) of each cluster's probability,
// with the posterior q(z | e_a, U_in, U_out, G) as the proposal, where U_in and U_out are the means of u over the other
// points in and outside of the cluster. Its gradient is doubly reparameterized (Tucker, Lawson, Gu and Maddison 2019).
//
// Axis letters beside the letters of package peers: T steps of a set, R = B·T rows (one is a step of a set), S
// importance samples, P pairs (one is a row and an unassigned point), L coordinates of z, E the encoder's width, W the
// other layers' width.
package ccp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// defaultSteps is Method.Steps of New. Four steps of a set cost less than twice as much as one (16 sets of 75 points, 5
// samples), since its points are embedded once; with many clusters all steps would cost many times as much.
const defaultSteps = 4

// Method is CCP as a peers.Method. Create it with New.
type Method struct {
	// Steps is T, the number of a set's steps that a training step looks at: drawn from all of them without
	// replacement, and weighted so that the objective's expectation is the sum over all. Published: all. Default 4.
	Steps int

	net  models.Config // the encoder
	peer peers.Config  // Width, Latent and Samples
}

var _ peers.Method = (*Method)(nil)

// Peer describes CCP; its authors' number of steps is GFNCP's.
var Peer = peers.Peer{
	Name: "ccp", New: func(net models.Config, c peers.Config) peers.Method { return New(net, c) },
	SmallSteps: 3000, Mixtures: true,
}

// New returns CCP with the encoder of net (Encoder, Dim, Hidden and Embed) and the Width, Latent and Samples of c.
func New(net models.Config, c peers.Config) *Method {
	return &Method{Steps: defaultSteps, net: net, peer: c}
}

// Layout lists the weights of e, h, u, g, prior, posterior and phi. prior reads (e_a, U, G), posterior reads (e_a,
// U_in, U_out, G), and phi reads (e_i, z, e_a, U, G). prior and posterior give (μ, log σ).
func (m *Method) Layout() models.Params {
	e, w, l := m.net.Embed, m.peer.Width, m.peer.Latent
	phi := models.MLPLayout("phi", e+l+e+2*w, w, w, w, w, 1)
	return slices.Concat(
		m.net.EncoderLayout("e"),
		models.MLPLayout("h", e, w, w, w),
		models.MLPLayout("u", e, w, w, w),
		models.MLPLayout("g", w, w, w, w),
		models.MLPLayout("prior", e+2*w, w, w, w, w, w, 2*l),
		models.MLPLayout("posterior", e+3*w, w, w, w, w, w, 2*l),
		phi[:len(phi)-1], // the last layer has no bias
	)
}

const defaultOrders = 16

// Clusterer is a trained CCP on a backend. Its fields may be changed before use, not during use.
type Clusterer struct {
	// Orders is M, the number of random sequences of anchors that LogProb averages over. Default 16.
	Orders int
	// Samples is S, the number of importance samples of z for each factor of LogProb. Default: peers.Config.Samples.
	Samples int

	*peers.Opened
	method                      *Method
	embed, decide, find, bounds peers.Func
}

var _ peers.Sampler = (*Clusterer)(nil)

// Open puts weights on a backend. The result is a *Clusterer. Weights that are not of this layout are an error.
func (m *Method) Open(backend compute.Backend, weights models.Params) (peers.Clusterer, error) {
	o, err := peers.OpenWeights("CCP", backend, m.Layout(), weights, m.net.Dim)
	if err != nil {
		return nil, err
	}
	c := &Clusterer{Orders: defaultOrders, Samples: m.peer.Samples, Opened: o, method: m}
	c.embed = o.Func("encoder", func(w, in []*Node) []*Node {
		p := m.network(w).embed(in[0], nil)
		return []*Node{p.e, p.h, p.u, p.phi}
	})
	c.decide = o.Func("decisions", func(w, in []*Node) []*Node {
		n, row, noise, p := m.network(w), in[0], in[1], pairs{row: in[2], phi: in[3]}
		return []*Node{n.logits(p, n.latent(row, n.prior).draw(noise), row)}
	})
	c.find = o.Func("clusters", func(w, in []*Node) []*Node {
		return []*Node{models.MLP(in[0], m.network(w).g)}
	})
	c.bounds = o.Func("bounds", func(w, in []*Node) []*Node { return []*Node{m.bounds(w, in)} })
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
// from the posterior and half from the prior (see Method.bounds). The factors are unbiased and independent, so the
// estimate of p is unbiased, and its logarithm is too low on average.
func (c *Clusterer) LogProb(rng *rand.Rand, x []float32, labels []int32, b, n int) ([]float64, error) {
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

// logProb is LogProb of one set. The steps of all orders are rows of a few calls.
func (c *Clusterer) logProb(set labelledSet) (float64, error) {
	products := make([]float64, c.Orders)
	var steps []step
	var order []int // of each step
	for m := range products {
		drawn := drawSteps(set.rng, set.labels)
		steps, order = append(steps, drawn...), append(order, slices.Repeat([]int{m}, len(drawn))...)
	}
	for len(steps) > 0 {
		count, pairs := 1, steps[0].others() // of the steps that one call takes
		for count < len(steps) && (pairs+steps[count].others())*c.Samples <= pairsAtOnce {
			pairs += steps[count].others()
			count++
		}
		set.steps = steps[:count]
		t := c.Buckets.Slots(count)
		bounds, err := c.bounds(c.method.tensors([]labelledSet{set}, t, c.Samples, c.Buckets)...)
		if err != nil {
			return 0, err
		}
		for i, m := range order[:count] {
			products[m] += float64(bounds[0][i])
		}
		steps, order = steps[count:], order[count:]
	}
	most, sum := slices.Max(products), 0.0
	for _, p := range products {
		if p-p != 0 {
			return 0, fmt.Errorf("the estimate is %v", p)
		}
		sum += math.Exp(p - most)
	}
	return most + math.Log(sum/float64(c.Orders)), nil
}
