package ccp

import (
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

// part is one network of CCP: its name and the widths of its layers. That of the encoder is nil: models knows it.
type part struct {
	name   string
	widths []int
	bare   bool // the last layer has no bias
}

// parts lists the networks in the layout's order.
func (m *Method) parts() []part {
	e, w, l := m.net.Embed, m.peer.Width, m.peer.Latent
	return []part{
		{name: "e"},
		{name: "h", widths: []int{e, w, w, w}},
		{name: "u", widths: []int{e, w, w, w}},
		{name: "g", widths: []int{w, w, w, w}},
		{name: "prior", widths: []int{e + 2*w, w, w, w, w, w, 2 * l}},
		{name: "posterior", widths: []int{e + 3*w, w, w, w, w, w, 2 * l}},
		{name: "phi", widths: []int{e + l + e + 2*w, w, w, w, w, 1}, bare: true},
	}
}

// layout lists the weights of one network.
func (m *Method) layout(p part) models.Params {
	if p.widths == nil {
		return m.net.EncoderLayout(p.name)
	}
	ps := models.MLPLayout(p.name, p.widths...)
	if p.bare {
		ps = ps[:len(ps)-1]
	}
	return ps
}

// Layout lists the weights of e, h, u, g, prior, posterior and phi. The input of prior is (e_a, U, G), that of
// posterior (e_a, U_in, U_out, G) and that of phi (e_i, z, e_a, U, G); prior and posterior give (μ, log σ).
func (m *Method) Layout() models.Params {
	var ps models.Params
	for _, p := range m.parts() {
		ps = append(ps, m.layout(p)...)
	}
	return ps
}

// Open puts weights on a backend. The result is a *Clusterer.
func (m *Method) Open(backend compute.Backend, weights models.Params) (peers.Clusterer, error) {
	return open(m, backend, weights)
}
