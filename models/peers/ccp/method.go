// Package ccp is the clusterwise process, the O(K) sampler of "Neural Clustering Processes" (Pakman, Wang, Mitelut, Lee
// and Paninski 2020). It finds one cluster after the other; here belong its networks, its training objective and its
// samplers.
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
// which is that of package models (for images one convolutional encoder, so that three are not needed).
//
// Training maximizes an importance-weighted bound (Burda, Grosse and Salakhutdinov 2016) of each cluster's probability,
// with the posterior q(z | e_a, U_in, U_out, G) as the proposal, where U_in and U_out are the means of u over the other
// points in and outside of the cluster. Its gradient is doubly reparameterized (Tucker, Lawson, Gu and Maddison 2019).
//
// Axis letters beside those of package peers: T steps of a set, R = B·T rows (one is a step of a set), S importance
// samples, P pairs (one is a row and an unassigned point), L coordinates of z, E the encoder's width, W the other
// layers' width.
package ccp

import (
	"slices"

	"github.com/gomlx/compute"

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

// Layout lists the weights of e, h, u, g, prior, posterior and phi. The input of prior is (e_a, U, G), that of
// posterior (e_a, U_in, U_out, G) and that of phi (e_i, z, e_a, U, G); prior and posterior give (μ, log σ).
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

// Open puts weights on a backend. The result is a *Clusterer.
func (m *Method) Open(backend compute.Backend, weights models.Params) (peers.Clusterer, error) {
	return open(m, backend, weights)
}
