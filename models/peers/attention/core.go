package attention

import (
	"math"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
)

// layer is a linear layer; B is nil without a bias.
type layer struct{ W, B *Node }

// parts are the layers of a MAB. The key's bias adds the same to all of a query's scores and so never changes a result:
// it is there because the published networks have it.
type parts struct {
	Sizes
	query, key, value, out layer
}

func mab(w []*Node, s Sizes) parts {
	return parts{
		Sizes: s, query: layer{w[0], w[1]}, key: layer{w[2], w[3]}, value: layer{w[4], w[5]},
		out: layer{w[6], w[7]},
	}
}

// scale is 1/√W, over the whole width as published.
func (m parts) scale() float64 { return 1 / math.Sqrt(float64(m.Width)) }

// onRows applies a layer to every row of x [B,N,in].
func onRows(x *Node, l layer) *Node {
	d := x.Shape().Dimensions
	return Reshape(engine.Dense(Reshape(x, d[0]*d[1], d[2]), l.W, l.B), d[0], d[1], -1)
}

// perSet repeats x [M,F] for each of b sets: [B,M,F]. As a product it has a fast gradient.
func perSet(x *Node, b int) *Node {
	d := x.Shape().Dimensions
	ones := Ones(x.Graph(), shapes.Make(x.DType(), b, 1))
	return Reshape(engine.Dense(ones, Reshape(x, 1, d[0]*d[1]), nil), b, d[0], d[1])
}

// byHead turns rows [B,N,W] into rows [B,H·N,W]: one for each head, zero outside the head's part of the width.
func (m parts) byHead(x *Node) *Node {
	b, n := x.Shape().Dimensions[0], x.Shape().Dimensions[1]
	ofHead := Reshape(Const(x.Graph(), m.headMask()), 1, m.Heads, 1, m.Width)
	return Reshape(Mul(InsertAxes(x, 1), ofHead), b, m.Heads*n, m.Width)
}

// headMask returns [H,W]: 1 in a head's part of the width.
func (m parts) headMask() [][]float32 {
	part := m.Width / m.Heads
	ofHead := make([][]float32, m.Heads)
	for h := range ofHead {
		ofHead[h] = make([]float32, m.Width)
		for i := h * part; i < (h+1)*part; i++ {
			ofHead[h][i] = 1
		}
	}
	return ofHead
}

// valuesOf applies each head's part of the value layer to that head's rows of sums [B,H·M,in]: [B,M,W].
func (m parts) valuesOf(sums *Node, count int) *Node {
	b, in, part := sums.Shape().Dimensions[0], sums.Shape().Dimensions[2], m.Width/m.Heads
	rows := TransposeAllAxes(Reshape(sums, b, m.Heads, count, in), 1, 0, 2, 3) // [H,B,M,in]
	w := Reshape(Transpose(m.value.W, 0, 1), m.Heads, part, in)
	y := engine.TimesTransposed(Reshape(rows, m.Heads, b*count, in), w) // [H,B·M,W/H]
	y = TransposeAllAxes(Reshape(y, m.Heads, b, count, part), 1, 2, 0, 3)
	return Reshape(engine.Bias(Reshape(y, b*count, m.Width), m.value.B), b, count, m.Width)
}

// output is the feed-forward part of a MAB on o [B,M,W].
func (m parts) output(o *Node) *Node { return Add(o, engine.ReLU(onRows(o, m.out))) }

// masked lowers the scores of keys that may not be attended to, so far that their weight is 0 beside any other. mask
// [B,N] is reshaped to dims to stand beside the scores; nil leaves them.
func masked(scores, mask *Node, dims ...int) *Node {
	if mask == nil {
		return scores
	}
	zero := ScalarZero(scores.Graph(), scores.DType())
	low := Scalar(scores.Graph(), scores.DType(), -1e30)
	return Add(scores, Reshape(Where(mask, zero, low), dims...))
}

// whereAny is result [B,M,W] in the sets with any valid key, and 0 elsewhere, where the softmax weighs keys that it may
// not.
func whereAny(result, mask *Node) *Node {
	if mask == nil {
		return result
	}
	exists := ReduceMax(ConvertDType(mask, result.DType()), 1)
	return Mul(result, Reshape(exists, -1, 1, 1))
}

// softmax is exp(x)/Σ exp(x) along an axis, stable for any finite x. Where the backend has it as one operation, the
// gradient is y∘(v − Σ v∘y) from its result y; otherwise it is GoMLX's own.
func softmax(x *Node, axis int) *Node {
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
