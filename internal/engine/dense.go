package engine

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

const indexDType = dtypes.Int32

// tuned marks the nodes of one graph whose gradient uses the formulas of this file instead of GoMLX's general ones.
type tuned struct{}

func tune(n *Node) *Node {
	g := n.Graph()
	marks, ok := g.State(tuned{}).(map[NodeId]bool)
	if !ok {
		marks = make(map[NodeId]bool)
		g.AttachState(tuned{}, marks)
	}
	marks[n.Id()] = true
	return n
}

func isTuned(n *Node) bool {
	marks, ok := n.Graph().State(tuned{}).(map[NodeId]bool)
	return ok && marks[n.Id()]
}

// Dense is a linear layer: y = x·w + b, with x [M,I], w [I,O], b [O] or nil for no bias; y has shape [M,O].
//
// Forward it is what GoMLX's own layer computes. Its gradient is formulated so that the Go and the ONNX backend need
// about half the time: ∂x keeps w in place (no transposed copy), ∂w transposes only x, ∂b is a product with ones.
func Dense(x, w, b *Node) *Node {
	y := tune(Dot(x, w).Product())
	if b == nil {
		return y
	}
	return Bias(y, b)
}

// Bias adds b [O] to every row of x [M,O].
func Bias(x, b *Node) *Node { return tune(Add(x, InsertAxes(b, 0))) }

// ReLU is max(x, 0) with the gradient 1[x > 0].
func ReLU(x *Node) *Node { return tune(Max(x, ScalarZero(x.Graph(), x.DType()))) }

func init() {
	override(NodeTypeDotGeneral, denseVJP)
	override(NodeTypeAdd, biasVJP)
	override(NodeTypeMax, reluVJP)
}

// override replaces the gradient of one node type for tuned nodes only.
func override(t NodeType, vjp func(n, v *Node) []*Node) {
	general := VJPRegistration[t]
	VJPRegistration[t] = func(n *Node, vs []*Node, out shapes.Shape) []*Node {
		if !isTuned(n) {
			return general(n, vs, out)
		}
		return vjp(n, vs[0])
	}
}

func denseVJP(n, v *Node) []*Node {
	x, w := n.Inputs()[0], n.Inputs()[1]
	var dx *Node
	if n.Graph().Backend().Name() == "onnxruntime" { // there only MatMul and Transpose are fast
		dx = Dot(v, Transpose(w, 0, 1)).Product()
	} else {
		dx = DotGeneral(v, []int{1}, nil, w, []int{1}, nil)
	}
	return []*Node{dx, Dot(Transpose(x, 0, 1), v).Product()}
}

func biasVJP(_, v *Node) []*Node {
	ones := Ones(v.Graph(), shapes.Make(v.DType(), 1, v.Shape().Dimensions[0]))
	return []*Node{v, Dot(ones, v).Product()}
}

func reluVJP(n, v *Node) []*Node {
	return []*Node{Where(GreaterThan(n, ScalarZero(n.Graph(), n.DType())), v, ZerosLike(v)), nil}
}
