package ccp

import (
	"math"
	"slices"

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

// logits is φ of each pair [P,S] for each latent z [R,S,L] of its row, given by (e_a, U, G) [R,E+2W].
func (n network) logits(p pairs, z, row *Node) *Node {
	rows, samples := z.Shape().Dimensions[0], z.Shape().Dimensions[1]
	pairCount, width := p.phi.Shape().Dimensions[0], n.method.peer.Width
	latent := engine.Dense(Reshape(z, rows*samples, -1), n.phiLatent, nil)
	ofRow := engine.Dense(row, n.phiRow, n.phiBias)
	ofRow = Add(Reshape(latent, rows, samples*width), repeat(ofRow, samples))
	// A product with a 0/1 matrix gives each pair its row: a gather with its gradient is slower.
	x := Add(engine.Dense(p.ofRows(rows, false), ofRow, nil), repeat(p.phi, samples))
	x = engine.ReLU(Reshape(x, pairCount*samples, width))
	last := len(n.later) - 1
	x = engine.ReLU(models.MLP(x, n.later[:last]))
	return Reshape(engine.Dense(x, n.later[last], nil), pairCount, samples)
}

// repeat writes values [M,W] times times side by side: [M,times·W].
func repeat(values *Node, times int) *Node {
	return Concatenate(slices.Repeat([]*Node{values}, times), 1)
}

// Loss is the negative weighted bound of the labels' log-probability given the anchors, in nats:
//
//	Σ_b share · Σ_t weight_bt · −log 1/S Σ_s w_bts,   w = p(z) p(S | z) / q(z),   z = μ_q + σ_q·ε
//
// where p(S | z) is the probability that exactly the cluster's points join. Its gradient is the doubly reparameterized
// one (Tucker et al. 2019): with the normalized importance weights w̃_s, parameters of p and φ get Σ_s w̃_s ∂log w_s,
// and the path through z gets Σ_s w̃_s² ∂log w_s/∂z · ∂z, with q's density held fixed. Its expectation is the gradient
// of the bound, but no finite difference of one draw gives it.
func (m *Method) Loss(weights []*Node, share *Node, in []*Node) *Node {
	var drop *models.Dropout
	if m.net.Encoder == models.EncoderConv {
		drop = &models.Dropout{State: in[numInputs]}
	}
	inputs := inputsFrom(in)
	logW, surrogate := m.network(weights).read(inputs, drop).logWeights(inputs.noise)
	total := func(rows *Node) *Node { return Neg(Mul(share, ReduceAllSum(Mul(rows, inputs.weight)))) }
	value, carrier := StopGradient(total(logMeanExp(logW))), total(surrogate)
	return Add(value, Sub(carrier, StopGradient(carrier)))
}

// bounds returns log 1/S Σ_s w of each row [R] without a gradient. Half of the latents are drawn from q and half from
// p, and w = p(z) p(S | z) / (½ q(z) + ½ p(z)) is bounded (the balance heuristic of Veach and Guibas 1995). With an odd
// S, q has the larger part.
func (m *Method) bounds(weights []*Node, in []*Node) *Node {
	inputs := inputsFrom(in)
	samples := inputs.noise.Shape().Dimensions[1]
	ofQ := (samples + 1) / 2
	v := m.network(weights).read(inputs, nil)
	noise := func(from, to int) *Node { return Slice(inputs.noise, AxisRange(), AxisRange(from, to), AxisRange()) }
	z := v.posterior.draw(noise(0, ofQ))
	if samples > 1 {
		z = Concatenate([]*Node{z, v.prior.draw(noise(ofQ, samples))}, 1)
	}
	p, mix := v.prior.logDensity(z), v.posterior.logDensity(z)
	if samples > 1 {
		share := float64(ofQ) / float64(samples)
		mix = LogAddExp(AddScalar(mix, math.Log(share)), AddScalar(p, math.Log(1-share)))
	}
	return logMeanExp(Add(v.rowLogLik(z), Sub(p, mix)))
}

// view holds the results of the rows' networks before a latent is drawn.
type view struct {
	net              network
	prior, posterior normal
	row              *Node // e_a, U, G [R,E+2W]
	pairs            pairs
	joined           *Node // [P,1]
}

// read embeds the points of all sets, takes the rows' means and applies the networks of z.
func (n network) read(in inputs, drop *models.Dropout) view {
	d := in.x.Shape().Dimensions
	b, t, k := d[0], in.anchor.Shape().Dimensions[1], in.clusters.Shape().Dimensions[1]
	pts := n.embed(Reshape(in.x, b*d[1], d[2]), drop)
	product := func(mask, values *Node) *Node { // [B,rows,N] · [B·N,W] → [B,rows,W]
		return engine.Times(mask, Reshape(values, b, -1, values.Shape().Dimensions[1]))
	}
	flat := func(values *Node) *Node { return Reshape(values, b*t, -1) }
	clusters := models.MLP(Reshape(product(in.clusters, pts.h), b*k, -1), n.g)
	means := product(in.means, pts.u)
	// The means of u over the other unassigned points, over those in the cluster, and over those outside of it: [R,W].
	mean := func(i int) *Node { return flat(Slice(means, AxisRange(), AxisRange(i*t, (i+1)*t), AxisRange())) }
	anchor := flat(product(in.anchor, pts.e)) // e of the anchor [R,E]
	all, inside, outside := mean(0), mean(1), mean(2)
	found := flat(product(in.before, clusters)) // G [R,W]
	row := Concatenate([]*Node{anchor, all, found}, 1)
	return view{
		net: n, row: row,
		prior:     n.latent(row, n.prior),
		posterior: n.latent(Concatenate([]*Node{anchor, inside, outside, found}, 1), n.posterior),
		pairs:     pairs{row: in.row, phi: in.byPair(pts.phi)},
		joined:    ConvertDType(Slice(in.point, AxisRange(), AxisRange(1, 2)), dtypes.Float32),
	}
}

// rowLogLik is log p(S | z) of each row for latents z [R,S,L]; the result has shape [R,S].
func (v view) rowLogLik(z *Node) *Node {
	logits := v.net.logits(v.pairs, z, v.row)
	return engine.Dense(v.pairs.ofRows(z.Shape().Dimensions[0], true), logProbs(logits, v.joined), nil)
}

// logWeights returns log w [R,S] and the surrogate [R] that has the bound's doubly reparameterized gradient.
func (v view) logWeights(noise *Node) (logW, surrogate *Node) {
	var normalized *Node // w̃ [R,S], known once z is
	z := IdentityWithCustomGradient(v.posterior.draw(noise), func(_, v *Node) *Node {
		return Mul(v, BroadcastToShape(InsertAxes(normalized, -1), v.Shape()))
	})
	posterior := normal{StopGradient(v.posterior.mean), StopGradient(v.posterior.logSD)}
	logW = Add(v.rowLogLik(z), Sub(v.prior.logDensity(z), posterior.logDensity(z)))
	normalized = StopGradient(softmax(logW))
	return logW, ReduceSum(Mul(normalized, logW), -1)
}

// logProbs is log σ(l) for a point that joined and log(1−σ(l)) for one that did not; logits [P,S], joined [P,1].
func logProbs(logits, joined *Node) *Node {
	sign := AddScalar(MulScalar(joined, 2), -1)
	l := Mul(logits, BroadcastToShape(sign, logits.Shape()))
	return Neg(peers.SoftPlus(Neg(l)))
}

// logMeanExp is log 1/S Σ_s exp x of values [R,S]; the result has shape [R].
func logMeanExp(x *Node) *Node {
	return AddScalar(peers.LogSumExp(x, 1), -math.Log(float64(x.Shape().Dimensions[1])))
}

// softmax is exp x / Σ_s exp x of values [R,S].
func softmax(x *Node) *Node {
	x = Exp(Sub(x, BroadcastToShape(ReduceAndKeep(x, ReduceMax, -1), x.Shape())))
	return Div(x, BroadcastToShape(ReduceAndKeep(x, ReduceSum, -1), x.Shape()))
}
