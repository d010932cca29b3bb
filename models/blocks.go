package models

import (
	. "github.com/gomlx/gomlx/core/graph"
)

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

// MLP applies linear layers with a ReLU between each two of them to x [M,in]; the last one stays linear. weights are
// those of MLPLayout.
func MLP(x *Node, weights []*Node) *Node { return mlp(x, pairs(weights)) }

// EncoderLayout lists the weights of one encoder of this configuration, as h has them: D → Embed.
func (c Config) EncoderLayout(name string) Params { return layersLayout(name, c.weightShapes("h")) }

// EncodePoints applies an encoder to points x [M,D]; weights are those of EncoderLayout. The result has shape
// [M,Embed]. drop is nil in evaluation.
func (c Config) EncodePoints(x *Node, weights []*Node, drop *Dropout) *Node {
	if c.Encoder == EncoderConv {
		return imageNet(x, pairs(weights), drop)
	}
	return mlp(x, pairs(weights))
}

// pairs groups weights and biases, which take turns, into layers.
func pairs(weights []*Node) []layer {
	layers := make([]layer, len(weights)/2)
	for i := range layers {
		layers[i] = layer{W: weights[2*i], B: weights[2*i+1]}
	}
	return layers
}
