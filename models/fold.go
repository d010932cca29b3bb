package models

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
)

// layer is one linear layer of a graph: y = x·W + B. W is nil for a bias alone, B is nil for no bias.
type layer struct{ W, B *Node }

// hidden is a hidden layer from the sums x [M,H] of its products and the bias b [H].
func hidden(x, b *Node) *Node { return engine.ReLU(engine.Bias(x, b)) }

// mlp applies the layers to x [M,in] with a ReLU between each two of them; the last one stays linear.
func mlp(x *Node, layers []layer) *Node {
	last := len(layers) - 1
	for _, l := range layers[:last] {
		x = engine.DenseReLU(x, l.W, l.B)
	}
	return engine.Dense(x, layers[last].W, layers[last].B)
}

// Folded is the energy network with its adjacent linear layers multiplied out, as nodes of one graph:
//
//	h'(x) = W_g1·h(x)              so that  Σ_i h'(x_i) + b_g1   is g's first pre-activation of H_k
//	g'(H) = W_f1G·g(H)             so that  Σ_k g'(H_k) + u'… + b_f1   is f's first pre-activation
//	u'(x) = W_f1U·u(x)
//
// It equals the literal form (paper, eqs. Hk, G_def, Q, unnormalized_marginal) up to rounding.
type Folded struct {
	h, u  []layer // D → H, the last layer folded into the next network's first; u is empty in online mode
	gBias *Node   // [H], b_g1
	g     []layer // layers 2..6 of g, the last folded into f's first
	fBias *Node   // [H], b_f1
	f     []layer // layers 2..6 of f

	config  Config
	rest    []*Node  // the weights of the extended network, which are not folded:
	moments *moments // nil for the paper's network
	extra   [extraNets][]layer
}

// foldedLayers is the number of layers of g, and of f, that remain as weights of their own or with the next network's.
const foldedLayers = 5

// Fold multiplies adjacent linear layers of the weights out; weights are nodes in the order of Config.Layout.
func Fold(c Config, weights []*Node) Folded {
	nets := map[string][]layer{}
	take := taker{weights}
	for _, net := range c.networks() {
		nets[net] = take.layers(len(c.weightShapes(net)), net != "f")
	}
	h, u, g, f := nets["h"], nets["u"], nets["g"], nets["f"]
	fromG := Slice(f[0].W, AxisRange(0, c.Global), AxisRange())
	fromU := Slice(f[0].W, AxisRange(c.Global, c.Global+c.Embed), AxisRange())
	folded := Folded{
		h:     foldLast(h, g[0].W),
		gBias: g[0].B,
		g:     foldLast(g[1:], fromG),
		fBias: f[0].B,
		f:     f[1:],
	}
	if !c.Online {
		folded.u = foldLast(u, fromU)
	}
	folded.takeExtra(c, &take)
	return folded
}

// taker hands out nodes, one after another.
type taker struct{ left []*Node }

func (t *taker) next() *Node {
	node := t.left[0]
	t.left = t.left[1:]
	return node
}

// layers takes the weights of layers, the last one with or without a bias.
func (t *taker) layers(count int, lastBias bool) []layer {
	layers := make([]layer, count)
	for i := range layers {
		layers[i].W = t.next()
		if i < count-1 || lastBias {
			layers[i].B = t.next()
		}
	}
	return layers
}

// takeExtra takes the weights of the extended network, the last ones.
func (f *Folded) takeExtra(c Config, take *taker) {
	f.config, f.rest = c, take.left
	f.moments = c.takeMoments(take)
	for i, layout := range c.extraLayouts() {
		f.extra[i] = take.layers(len(layout)/2, true)
	}
}

// foldLast multiplies the last of the layers by w: x·W·w + B·w.
func foldLast(layers []layer, w *Node) []layer {
	last := layers[len(layers)-1]
	folded := append([]layer{}, layers[:len(layers)-1]...)
	return append(folded, layer{
		W: Dot(last.W, w).Product(),
		B: Reshape(Dot(InsertAxes(last.B, 0), w).Product(), -1),
	})
}

// Nodes lists the folded weights in a fixed order, so that they can leave one graph and enter another (see Unpack).
func (f Folded) Nodes() []*Node {
	var nodes []*Node
	for _, part := range [][]layer{f.h, f.u, {{B: f.gBias}}, f.g, {{B: f.fBias}}, f.f} {
		for _, l := range part {
			if l.W != nil {
				nodes = append(nodes, l.W)
			}
			if l.B != nil {
				nodes = append(nodes, l.B)
			}
		}
	}
	return append(nodes, f.rest...)
}

// Unpack is the inverse of Folded.Nodes for a network of configuration c.
func Unpack(c Config, nodes []*Node) Folded {
	var f Folded
	take := taker{nodes}
	f.h = take.layers(len(c.weightShapes("h")), true)
	if !c.Online {
		f.u = take.layers(len(c.weightShapes("u")), true)
	}
	f.gBias = take.next()
	f.g = take.layers(foldedLayers, true)
	f.fBias = take.next()
	f.f = take.layers(foldedLayers, false)
	f.takeExtra(c, &take)
	return f
}

// Encode embeds points x [M,Inputs], each by itself: h' [M,W], and u' [M,V], which is zero in online mode. drop is nil
// in evaluation. A network that sees whole sets needs EncodeSets.
func (f Folded) Encode(x *Node, drop *Dropout) (h, u *Node) {
	in := x
	if f.config.Extended {
		x = column(in, 0, f.config.Dim)
	}
	h = f.config.encoder(x, f.h, drop)
	if u = ZerosLike(h); len(f.u) > 0 {
		u = f.config.encoder(x, f.u, drop)
	}
	if f.moments == nil {
		return h, u
	}
	ofH, ofU := pointChannels(f.config, in, nil)
	return Concatenate([]*Node{h, ofH}, 1), Concatenate([]*Node{u, ZerosLike(ofU)}, 1)
}

// Cluster is g' of clusters given by their sums of h' [M,W]; the result has shape [M,V].
func (f Folded) Cluster(sums *Node) *Node { return f.clusterOf(f.config.parts(sums)) }

// parts returns the columns of x [M,W] that depend on weights, and the others, which are nil for the paper's network.
func (c Config) parts(x *Node) (learned, fixed *Node) {
	if !c.Extended {
		return x, nil
	}
	return column(x, 0, c.trainedColumns()), StopGradient(column(x, c.trainedColumns(), c.Width()))
}

// clusterOf is Cluster of sums in two parts (see parts).
func (f Folded) clusterOf(learned, fixed *Node) *Node {
	if f.moments == nil {
		return mlp(hidden(learned, f.gBias), f.g)
	}
	m := momentsOf(f.config, fixed)
	numbers := m.directInputs()
	sums := Add(column(learned, 0, f.config.Hidden), Dot(m.inputs(), f.moments.toG).Product())
	gamma := mlp(hidden(sums, f.gBias), f.g)
	return Concatenate([]*Node{gamma, f.clusterChannels(gamma, learned, fixed, numbers)}, 1)
}

// Energy is f of states given by Σ_k g'(H_k) + Σ u' of the unassigned points [M,V]; the result has shape [M].
func (f Folded) Energy(state *Node) *Node {
	if f.moments == nil {
		return Reshape(mlp(hidden(state, f.fBias), f.f), -1)
	}
	h := f.fBias.Shape().Dimensions[0]
	channels := column(state, h, state.Shape().Dimensions[1])
	counts := countsOf(f.config, channels)
	sums := Add(column(state, 0, h), Dot(counts, f.moments.toF).Product())
	return f.energyBeside(mlp(hidden(sums, f.fBias), f.f), counts, channels)
}

// Score is the step function of every decoder. A row is a candidate: sums [R,W] is the sum of h' over the cluster with
// the new point in it, rest [R,V] the sum of g' of the other clusters and u' of the unassigned points. It returns g' of
// the candidate's cluster [R,V] and the candidate's energy [R].
func (f Folded) Score(sums, rest *Node) (cluster, energy *Node) {
	cluster = f.Cluster(sums)
	return cluster, f.Energy(Add(cluster, rest))
}

// The pieces that other networks than the energy network are made of (package peers): each has a layout and a graph
// form that takes the layout's weights as nodes.

// MLPLayout lists the weights of linear layers of the given widths, D first: "name.0.weight" [widths[0], widths[1]],
// "name.0.bias", …
func MLPLayout(name string, widths ...int) Params {
	var shapes [][]int
	for i := range widths[1:] {
		shapes = append(shapes, []int{widths[i], widths[i+1]})
	}
	return layersLayout(name, shapes)
}

// MLP applies linear layers with a ReLU between each two of them to x [M,in]; the last one stays linear. weights are in
// the order of MLPLayout.
func MLP(x *Node, weights []*Node) *Node { return mlp(x, pairs(weights)) }

// EncoderLayout lists the weights of one encoder of this configuration, as h has them: D → Embed.
func (c Config) EncoderLayout(name string) Params { return layersLayout(name, c.weightShapes("h")) }

// EncodePoints applies an encoder to points x [M,D]; weights are in the order of EncoderLayout. The result has shape
// [M,Embed]. drop is nil in evaluation.
func (c Config) EncodePoints(x *Node, weights []*Node, drop *Dropout) *Node {
	return c.encoder(x, pairs(weights), drop)
}

func (c Config) encoder(x *Node, layers []layer, drop *Dropout) *Node {
	if c.Encoder == EncoderConv {
		return imageNet(x, layers, drop)
	}
	return mlp(x, layers)
}

// pairs groups weights and biases, which take turns, into layers.
func pairs(weights []*Node) []layer {
	layers := make([]layer, len(weights)/2)
	for i := range layers {
		layers[i] = layer{W: weights[2*i], B: weights[2*i+1]}
	}
	return layers
}
