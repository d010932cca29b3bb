package engine

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
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
// Its gradient takes the Go backend less than half the time of GoMLX's general formula: ∂w transposes only x, ∂x
// nothing.
func Dense(x, w, b *Node) *Node {
	if fuses(x, w, b) {
		return fused(x, w, b, compute.ActivationNone)
	}
	return separate(x, w, b)
}

// DenseReLU is a hidden layer, ReLU(Dense(x, w, b)), on the Go backend in one operation.
func DenseReLU(x, w, b *Node) *Node {
	if fuses(x, w, b) {
		return fused(x, w, b, compute.ActivationRelu)
	}
	return ReLU(separate(x, w, b))
}

// fuses reports whether a layer is one operation of the backend.
func fuses(x, w, b *Node) bool {
	return b != nil && OnGo(x.Graph().Backend()) && w.Shape().Dimensions[1] > 1
}

func separate(x, w, b *Node) *Node {
	if b == nil {
		return product(x, w)
	}
	return Bias(product(x, w), b)
}

// fused is a layer as one operation of the Go backend. GoMLX's own gradient of it adds the rows for ∂b up number by
// number and allocates its temporaries anew.
func fused(x, w, b *Node, activation compute.ActivationType) *Node {
	config := compute.DenseConfig{Activation: compute.ActivationConfig{Type: activation}}
	return tune(BackendFusedDense(x, w, b, config), func(y, v *Node) []*Node {
		if activation == compute.ActivationRelu {
			v = WherePositive(y, v)
		}
		return append(denseVJP(y, v), ReduceSum(v, 0))
	})
}

// Bias adds b [O] to every row of x [M,O].
func Bias(x, b *Node) *Node { return Add(x, InsertAxes(b, 0)) }

// product is x·w with the gradient of Dense. A product with a single column takes the Go backend four times as long as
// the products of its numbers, added up by row.
func product(x, w *Node) *Node {
	if OnGo(x.Graph().Backend()) && w.Shape().Dimensions[1] == 1 {
		return ReduceAndKeep(Mul(x, Reshape(w, 1, -1)), ReduceSum, 1)
	}
	return tune(Dot(x, w).Product(), denseVJP)
}

// ReLU is max(x, 0) with the gradient 1[x > 0].
func ReLU(x *Node) *Node {
	return tune(Max(x, ScalarZero(x.Graph(), x.DType())), func(y, v *Node) []*Node {
		return []*Node{WherePositive(y, v), nil}
	})
}

// Larger is the element-wise maximum of two nodes of one shape. The gradient goes to a where both are equal, so that
// a tie counts once: GoMLX's own gradients of maxima give each of the tied values the whole.
func Larger(a, b *Node) *Node {
	return tune(Max(a, b), func(_, v *Node) []*Node {
		toA, toB := ToLarger(v, a, b)
		return []*Node{toA, toB}
	})
}

// GatherWith is Gather(x, index) with its own gradient: gradient maps the gradient by the result to that by x.
func GatherWith(x, index *Node, gradient func(v *Node) *Node) *Node {
	return tune(Gather(x, index), func(_, v *Node) []*Node { return []*Node{gradient(v), nil} })
}

func init() {
	for _, t := range []NodeType{
		NodeTypeDotGeneral, NodeTypeFusedDense, NodeTypeMax, NodeTypeSchedulingBarrier, NodeTypeGather,
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
	return []*Node{dx, Dot(Transpose(x, 0, 1), v).Product()}
}

// WherePositive is v where y > 0 and 0 elsewhere, for two nodes of one shape.
func WherePositive(y, v *Node) *Node {
	if OnGo(v.Graph().Backend()) {
		return BackendFusedActivationVJP(y, nil, v, compute.ActivationConfig{Type: compute.ActivationRelu})
	}
	zero := ScalarZero(v.Graph(), v.DType())
	return Where(GreaterThan(y, zero), v, zero)
}

// ToLarger splits the gradient v by Larger(a, b) between a and b; all have one shape.
func ToLarger(v, a, b *Node) (toA, toB *Node) {
	toA = Where(GreaterOrEqual(a, b), v, ScalarZero(v.Graph(), v.DType()))
	return toA, Sub(v, toA)
}

// WithGradient returns value as a function of inputs. formula computes their gradients from the value and the gradient
// by it. Only for the Go backend: on others its barrier would keep operations apart that are better fused.
func WithGradient(value *Node, inputs []*Node, formula func(value, v *Node) []*Node) *Node {
	return tune(SchedulingBarrier(value, inputs...), func(n, v *Node) []*Node {
		return append([]*Node{nil}, formula(n, v)...)
	})
}

// Outer is x·vᵀ of x [M,N] and v [O,N]: [M,O].
func Outer(x, v *Node) *Node { return DotGeneral(x, []int{1}, nil, v, []int{1}, nil) }

// TimesTransposed is a·cᵀ in each set, of a [B,M,F] and c [B,N,F]: [B,M,N]. As for Times, its gradient makes one
// transposed copy, where GoMLX's general formula makes up to five, each as slow as a product on the Go backend.
func TimesTransposed(a, c *Node) *Node {
	return tune(DotGeneral(a, []int{2}, []int{0}, c, []int{2}, []int{0}), func(_, v *Node) []*Node {
		return []*Node{Times(v, c), Times(Transpose(v, 1, 2), a)}
	})
}

// Times is a·c in each set, of a [B,M,N] and c [B,N,F]: [B,M,F].
func Times(a, c *Node) *Node {
	return tune(DotGeneral(a, []int{2}, []int{0}, c, []int{1}, []int{0}), func(_, v *Node) []*Node {
		return []*Node{TimesTransposed(v, c), Times(Transpose(a, 1, 2), v)}
	})
}

// SoftmaxAlong is exp(x)/Σ exp(x) along an axis, stable for any finite x. Where the backend has it as one operation,
// the gradient is y∘(v − Σ v∘y) from its result y: GoMLX's own computes exp once more, and takes a third longer.
func SoftmaxAlong(x *Node, axis int) *Node {
	var y *Node
	gradient := func() *Node { // only its gradient is used, never its value
		return IdentityWithCustomGradient(x, func(_, v *Node) *Node {
			vy := Mul(v, y)
			return Sub(vy, Mul(y, ReduceAndKeep(vy, ReduceSum, axis)))
		})
	}
	y, fused := InternalFusedOpCaller(func() *Node { return BackendFusedSoftmax(x, axis) }, gradient, true)
	if !fused {
		return Softmax(x, axis)
	}
	return y
}

// Sums over some points of a set are products with a mask (Times). CumSum has a gradient and is fast on the Go backend,
// but XLA adds up a whole window for each of its results.

// Before returns the mask [B,N,N] of the strictly earlier points, 1 where i < n.
func Before(x *Node, b, n int) *Node { return compared(x, b, n, LessThan) }

// After returns the mask [B,N,N] of the strictly later points, 1 where i > n.
func After(x *Node, b, n int) *Node { return compared(x, b, n, GreaterThan) }

// compared is the mask [B,N,N] of the points i (columns) that compare with n (rows), in the type of x.
func compared(x *Node, b, n int, compare func(i, n *Node) *Node) *Node {
	shape := shapes.Make(dtypes.Int32, n, n)
	row, col := Iota(x.Graph(), shape, 0), Iota(x.Graph(), shape, 1)
	return BroadcastPrefix(ConvertDType(compare(col, row), x.DType()), b)
}
