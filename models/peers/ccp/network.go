package ccp

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// network is CCP's weights as nodes of one graph.
type network struct {
	method                              *Method
	e, h, u, g, prior, posterior, later []*Node // later: phi without its first layer
	// φ's first layer is linear in its inputs, so that it is computed once for a point, once for a latent and once for
	// a row, and added up.
	phiPoint, phiLatent, phiRow, phiBias *Node // [E,W], [L,W], [E+2W,W], [W]
}

// network groups the layout's weights.
func (m *Method) network(weights []*Node) network {
	w, e, l := peers.Weights{Layout: m.Layout(), Nodes: weights}, m.net.Embed, m.peer.Latent
	phi := w.Of("phi")
	return network{
		method: m,
		e:      w.Of("e"), h: w.Of("h"), u: w.Of("u"), g: w.Of("g"), prior: w.Of("prior"), posterior: w.Of("posterior"),
		phiPoint:  Slice(phi[0], AxisRange(0, e), AxisRange()),
		phiLatent: Slice(phi[0], AxisRange(e, e+l), AxisRange()),
		phiRow:    Slice(phi[0], AxisRange(e+l), AxisRange()),
		phiBias:   phi[1],
		later:     phi[2:],
	}
}

// points are the embeddings of M points: e [M,E], h and u [M,W], and phi [M,W], their share of φ's first layer.
type points struct{ e, h, u, phi *Node }

// embed encodes points x [M,D]. drop is nil in evaluation.
func (n network) embed(x *Node, drop *models.Dropout) points {
	e := n.method.net.EncodePoints(x, n.e, drop)
	return points{e: e, h: models.MLP(e, n.h), u: models.MLP(e, n.u), phi: engine.Dense(e, n.phiPoint, nil)}
}

// normal is a diagonal Gaussian for each of R rows: mean and logarithm of the standard deviation [R,L].
type normal struct{ mean, logSD *Node }

// mostLogSD bounds |log σ|. Published: no bound. It bends values below 2 by less than 6 %, and keeps a density that has
// collapsed from giving numbers that overflow.
const mostLogSD = 5

// latent applies prior or posterior to its input: μ, and log σ = 5·tanh(·/5).
func (n network) latent(in *Node, weights []*Node) normal {
	out, l := models.MLP(in, weights), n.method.peer.Latent
	raw := Slice(out, AxisRange(), AxisRange(l))
	return normal{
		mean:  Slice(out, AxisRange(), AxisRange(0, l)),
		logSD: MulScalar(Tanh(MulScalar(raw, 1.0/mostLogSD)), mostLogSD),
	}
}

// draw is z = μ + σ·ε for ε [R,S,L].
func (d normal) draw(noise *Node) *Node {
	return Add(spread(d.mean, noise), Mul(spread(Exp(d.logSD), noise), noise))
}

// logDensity is log N(z; μ, σ) without the constant −L/2·log 2π, for z [R,S,L]; the result has shape [R,S].
func (d normal) logDensity(z *Node) *Node {
	scaled := Mul(Sub(z, spread(d.mean, z)), spread(Exp(Neg(d.logSD)), z))
	return ReduceSum(Sub(MulScalar(Square(scaled), -0.5), spread(d.logSD, z)), -1)
}

// fixed stops the gradient by the density's parameters.
func (d normal) fixed() normal { return normal{StopGradient(d.mean), StopGradient(d.logSD)} }

// spread repeats values [R,L] for each sample of a node [R,S,L].
func spread(values, like *Node) *Node { return BroadcastToShape(InsertAxes(values, 1), like.Shape()) }

// pairs says which rows and points P pairs belong to.
type pairs struct {
	row *Node // [P], int32; −1 where padded
	phi *Node // [P,W], points.phi of the pair's point
}

// ofRows returns the matrix [P,R] with a 1 where a pair belongs to a row, or its transpose.
func (p pairs) ofRows(rows int, transposed bool) *Node {
	g, count := p.row.Graph(), p.row.Shape().Dimensions[0]
	rowAxis, shape := 1, shapes.Make(dtypes.Int32, count, rows)
	if transposed {
		rowAxis, shape = 0, shapes.Make(dtypes.Int32, rows, count)
	}
	ofPair := BroadcastToShape(InsertAxes(p.row, rowAxis), shape)
	return StopGradient(ConvertDType(Equal(ofPair, Iota(g, shape, rowAxis)), p.phi.DType()))
}

// logits is φ of each pair for each latent z [R,S,L] of its row, given by (e_a, U, G) [R,E+2W]; the result has shape
// [P,S].
func (n network) logits(p pairs, z, row *Node) *Node {
	rows, samples := z.Shape().Dimensions[0], z.Shape().Dimensions[1]
	pairCount, width := p.phi.Shape().Dimensions[0], n.method.peer.Width
	latent := engine.Dense(Reshape(z, rows*samples, -1), n.phiLatent, nil)
	ofRow := engine.Dense(row, n.phiRow, n.phiBias)
	ofRow = Add(Reshape(latent, rows, samples*width), repeat(ofRow, samples))
	// A product with a 0/1 matrix takes each pair its row: a gather with its gradient is slower.
	x := Add(engine.Dense(p.ofRows(rows, false), ofRow, nil), repeat(p.phi, samples))
	x = engine.ReLU(Reshape(x, pairCount*samples, width))
	last := len(n.later) - 1
	x = engine.ReLU(models.MLP(x, n.later[:last]))
	return Reshape(engine.Dense(x, n.later[last], nil), pairCount, samples)
}

// repeat writes values [M,W] times times side by side: [M,times·W].
func repeat(values *Node, times int) *Node {
	copies := make([]*Node, times)
	for i := range copies {
		copies[i] = values
	}
	return Concatenate(copies, 1)
}
