package engine

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// vjp computes the gradients by a node's inputs from the node and the gradient v by its value.
type vjp func(n, v *Node) []*Node

// tuned holds the nodes of one graph whose gradient uses the formulas of this package instead of GoMLX's general ones.
type tuned struct{}

func tune(n *Node, formula vjp) *Node {
	g := n.Graph()
	formulas, ok := g.State(tuned{}).(map[NodeId]vjp)
	if !ok {
		formulas = make(map[NodeId]vjp)
		g.AttachState(tuned{}, formulas)
	}
	formulas[n.Id()] = formula
	return n
}

// Dense is a linear layer: y = x·w + b, with x [M,I], w [I,O], b [O] or nil for no bias; y has shape [M,O].
//
// Forward it is what GoMLX's own layer computes. Its gradient is formulated so that the Go backend needs about
// half the time: ∂x keeps w in place (no transposed copy), ∂w transposes only x, ∂b is a product with ones.
//
// On a backend that was opened with bf16=true the products take operands of 8 bits.
func Dense(x, w, b *Node) *Node {
	var y *Node
	if usesBF16(x.Graph().Backend()) {
		y = shortProduct(x, w)
	} else {
		y = settled(tune(Dot(x, w).Product(), denseVJP))
	}
	if b == nil {
		return y
	}
	return Bias(y, b)
}

// Bias adds b [O] to every row of x [M,O]. The Go backend adds a row to a matrix three to four times slower than it
// multiplies the row out by a column of ones and adds two matrices.
func Bias(x, b *Node) *Node {
	row := InsertAxes(b, 0)
	if !OnGo(x.Graph().Backend()) {
		return tune(Add(x, row), biasVJP)
	}
	return Add(x, settled(tune(Dot(ones(x, x.Shape().Dimensions[0], 1), row).Product(), rowsVJP)))
}

func ones(like *Node, dims ...int) *Node {
	return Ones(like.Graph(), shapes.Make(like.DType(), dims...))
}

// ReLU is max(x, 0) with the gradient 1[x > 0].
func ReLU(x *Node) *Node { return tune(Max(x, ScalarZero(x.Graph(), x.DType())), reluVJP) }

// Larger is the element-wise maximum of two nodes of one shape. The gradient goes to a where both are equal, so that
// a tie counts once: GoMLX's own gradients of maxima give each of the tied values the whole.
func Larger(a, b *Node) *Node { return tune(Max(a, b), largerVJP) }

// GatherWith is Gather(x, index) whose gradient by x is what gradient makes of that by the result.
func GatherWith(x, index *Node, gradient func(v *Node) *Node) *Node {
	return tune(Gather(x, index), func(_, v *Node) []*Node { return []*Node{gradient(v), nil} })
}

func init() {
	for _, t := range []NodeType{
		NodeTypeDotGeneral, NodeTypeAdd, NodeTypeMax, NodeTypeSlice, NodeTypeSchedulingBarrier, NodeTypeGather,
	} {
		general := VJPRegistration[t]
		VJPRegistration[t] = func(n *Node, vs []*Node, out shapes.Shape) []*Node {
			formulas, _ := n.Graph().State(tuned{}).(map[NodeId]vjp)
			if formula, ok := formulas[n.Id()]; ok {
				return formula(n, vs[0])
			}
			return general(n, vs, out)
		}
	}
}

func denseVJP(n, v *Node) []*Node {
	x, w := n.Inputs()[0], n.Inputs()[1]
	dx := DotGeneral(v, []int{1}, nil, w, []int{1}, nil)
	return []*Node{settled(dx), settled(Dot(Transpose(x, 0, 1), v).Product())}
}

func biasVJP(_, v *Node) []*Node { return []*Node{v, columnSums(v)} }

// rowsVJP is the gradient of ones·row; the ones have none.
func rowsVJP(_, v *Node) []*Node { return []*Node{nil, columnSums(v)} }

// columnSums adds the rows of v [M,O] up: [1,O].
func columnSums(v *Node) *Node { return settled(Dot(ones(v, 1, v.Shape().Dimensions[0]), v).Product()) }

func reluVJP(n, v *Node) []*Node {
	return []*Node{Where(GreaterThan(n, ScalarZero(n.Graph(), n.DType())), v, ZerosLike(v)), nil}
}

func largerVJP(n, v *Node) []*Node {
	first := Where(GreaterOrEqual(n.Inputs()[0], n.Inputs()[1]), v, ZerosLike(v))
	return []*Node{first, Sub(v, first)}
}

// Columns cuts x [M,parts·O] into its parts [M,O], of which the loss must use the first. The gradient is the parts'
// gradients side by side; GoMLX's own pads each to the full width and adds them up.
func Columns(x *Node, parts int) []*Node {
	width := x.Shape().Dimensions[1] / parts
	cut, gradients := make([]*Node, parts), make([]*Node, parts)
	for i := range cut {
		cut[i] = tune(Slice(x, AxisRange(), AxisRange(i*width, (i+1)*width)), func(n, v *Node) []*Node {
			gradients[i] = v
			if i > 0 {
				return []*Node{nil} // gradients come from the last node to the first
			}
			whole := make([]*Node, parts)
			for j := range whole {
				if whole[j], gradients[j] = gradients[j], nil; whole[j] == nil {
					whole[j] = ZerosLike(v)
				}
			}
			return []*Node{Concatenate(whole, 1)}
		})
	}
	return cut
}

// TimesTransposed is a·cᵀ in each set, of a [B,M,F] and c [B,N,F]: [B,M,N]. As for Times, its gradient makes one
// transposed copy; GoMLX's general formula leads to up to five, and on the Go backend its copies are as slow as the
// products themselves.
func TimesTransposed(a, c *Node) *Node {
	return tune(DotGeneral(a, []int{2}, []int{0}, c, []int{2}, []int{0}), func(n, v *Node) []*Node {
		a, c := n.Inputs()[0], n.Inputs()[1]
		return []*Node{Times(v, c), Times(Transpose(v, 1, 2), a)}
	})
}

// Times is a·c in each set, of a [B,M,N] and c [B,N,F]: [B,M,F].
func Times(a, c *Node) *Node {
	return tune(DotGeneral(a, []int{2}, []int{0}, c, []int{1}, []int{0}), func(n, v *Node) []*Node {
		a, c := n.Inputs()[0], n.Inputs()[1]
		return []*Node{TimesTransposed(v, c), Times(Transpose(a, 1, 2), v)}
	})
}
