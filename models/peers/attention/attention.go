// Package attention holds the blocks of the Set Transformer (Lee et al. 2019, "Set Transformer: A Framework for
// Attention-based Permutation-Invariant Neural Networks"), which ST and DAC are made of: MAB, SAB, ISAB and PMA.
//
//	MAB(X, Y)  = O + ReLU(O·Wo + bo),  O_h = Q_h + engine.SoftmaxAlong(Q_h·K_hᵀ/√W)·V_h for each head h
//	             Q = X·Wq + bq, K = Y·Wk + bk, V = Y·Wv + bv; the heads split the width W
//	SAB(X)     = MAB(X, X)                         without a function of its own
//	ISAB(X)    = MAB(X, MAB(I, X))                 with learned inducing points I
//	PMA(X)     = MAB(S, X)                         with learned seeds S
//
// They follow the published code: scores are scaled by the whole width (not by a head's), queries are added to the
// heads' results after their projection, and there is no layer norm and no feed-forward layer before PMA. Weights are
// listed and drawn by package models; a block takes its own as nodes, in the layout's order.
//
// Axis letters: B sets, N points (keys), M queries, H heads, W width.
package attention

import (
	"math"
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// Sizes are the sizes of a block. Heads divides Width.
type Sizes struct {
	Width    int // of every projection and result
	Heads    int // of attention, Width/Heads wide each
	Inducing int // inducing points of an ISAB
}

// numMAB is the number of weights of one MAB.
const numMAB = 8

// MABLayout lists the weights of a MAB with queries of width inQ and keys of width inK: name + ".query.weight"
// [inQ,Width], ".query.bias" [Width], and likewise key, value and output.
func MABLayout(name string, s Sizes, inQ, inK int) models.Params {
	var ps models.Params
	for _, layer := range []struct {
		name string
		in   int
	}{{"query", inQ}, {"key", inK}, {"value", inK}, {"output", s.Width}} {
		ps = append(ps,
			models.Param{Name: name + "." + layer.name + ".weight", Shape: []int{layer.in, s.Width}},
			models.Param{Name: name + "." + layer.name + ".bias", Shape: []int{s.Width}})
	}
	return ps
}

// ISABLayout lists the weights of an ISAB on points of width in: the inducing points (name + ".inducing"), the MAB in
// which they attend to the points (name + ".gather"), and the MAB in which the points attend to its result ("spread").
func ISABLayout(name string, s Sizes, in int) models.Params {
	ps := models.Params{{Name: name + ".inducing", Shape: []int{s.Inducing, s.Width}}}
	ps = append(ps, MABLayout(name+".gather", s, s.Width, in)...)
	return append(ps, MABLayout(name+".spread", s, in, s.Width)...)
}

// PMALayout lists the weights of a PMA on points of width Width: the seeds [seeds,Width] as name + ".seeds" and its
// MAB.
func PMALayout(name string, s Sizes, seeds int) models.Params {
	ps := models.Params{{Name: name + ".seeds", Shape: []int{seeds, s.Width}}}
	return append(ps, MABLayout(name, s, s.Width, s.Width)...)
}

// MAB lets queries q [B,M,inQ] attend to keys k [B,N,inK]; the result has shape [B,M,Width]. w are the weights of
// MABLayout. Keys should be few, since every head's scores are computed as a product over the whole width.
func MAB(w []*Node, s Sizes, q, k *Node) *Node {
	m := mab(w, s)
	b, queries, keys := q.Shape().Dimensions[0], q.Shape().Dimensions[1], k.Shape().Dimensions[1]
	query := onRows(q, m.query)
	key := MulScalar(onRows(k, layer{W: m.key.W}), m.scale())
	scores := engine.TimesTransposed(query, m.byHead(key)) // [B,M,H·N]
	weights := engine.SoftmaxAlong(Reshape(scores, b, queries, s.Heads, keys), 3)
	weights = Reshape(weights, b, queries, s.Heads*keys)
	result := engine.Times(weights, m.byHead(onRows(k, m.value))) // [B,M,W]
	return m.output(Add(query, result))
}

// ISAB is self-attention among points x [B,N,in] through inducing points, in time O(N); the result has shape
// [B,N,Width]. mask [B,N] (bool) tells the valid points. w are the weights of ISABLayout.
func ISAB(w []*Node, s Sizes, x, mask *Node) *Node {
	gathered := gather(w[1:1+numMAB], s, w[0], x, mask)
	return MAB(w[1+numMAB:], s, x, gathered)
}

// PMA pools points x [B,N,Width] into one vector for each seed: [B,seeds,Width]. mask [B,N] (bool) tells the valid
// points. w are the weights of PMALayout.
func PMA(w []*Node, s Sizes, x, mask *Node) *Node { return gather(w[1:], s, w[0], x, mask) }

// gather is MAB with the same queries [M,W] for all sets. The queries are weights, so products of weights are computed
// first:
//
//	Q_h·K_hᵀ = Q_h·Wk_hᵀ·Xᵀ (+ a constant of the query)      A_h·V_h = (A_h·X)·Wv_h + bv_h
//
// so that neither keys nor values of the points are ever formed. A point that mask does not tell has a score so low
// that its weight is 0 if there is any other. Without a valid point, attention adds nothing to the query.
func gather(w []*Node, s Sizes, queries, x, mask *Node) *Node {
	m := mab(w, s)
	dims := x.Shape().Dimensions
	b, n, count := dims[0], dims[1], queries.Shape().Dimensions[0]
	query := engine.Dense(queries, m.query.W, m.query.B)
	byHead := Reshape(m.byHead(InsertAxes(MulScalar(query, m.scale()), 0)), s.Heads*count, s.Width)
	products := DotGeneral(byHead, []int{1}, nil, m.key.W, []int{1}, nil) // [H·M,in]
	// Repeated for each set as a product, which has a fast gradient.
	ones := Ones(x.Graph(), shapes.Make(x.DType(), b, 1))
	repeated := Reshape(engine.Dense(ones, Reshape(products, 1, -1), nil), b, s.Heads*count, dims[2])
	scores := engine.TimesTransposed(repeated, x) // [B,H·M,N]
	zero, low := ScalarZero(x.Graph(), x.DType()), Scalar(x.Graph(), x.DType(), -1e30)
	scores = Add(scores, Reshape(Where(mask, zero, low), b, 1, n))
	weights := engine.SoftmaxAlong(scores, 2)
	sums := engine.Times(weights, x) // [B,H·M,in]
	exists := Reshape(ReduceMax(ConvertDType(mask, x.DType()), 1), b, 1, 1)
	result := Mul(m.valuesOf(sums, count), exists)
	result = engine.Bias(Reshape(result, b, count*s.Width), Reshape(query, count*s.Width))
	return m.output(Reshape(result, b, count, s.Width))
}

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

// byHead turns rows [B,N,W] into rows [B,H·N,W]: one for each head, zero outside the head's part of the width.
func (m parts) byHead(x *Node) *Node {
	b, n := x.Shape().Dimensions[0], x.Shape().Dimensions[1]
	part := m.Width / m.Heads
	mask := make([][]float32, m.Heads) // 1 in a head's part of the width
	for h := range mask {
		mask[h] = make([]float32, m.Width)
		copy(mask[h][h*part:], slices.Repeat([]float32{1}, part))
	}
	ofHead := Reshape(Const(x.Graph(), mask), 1, m.Heads, 1, m.Width)
	return Reshape(Mul(InsertAxes(x, 1), ofHead), b, m.Heads*n, m.Width)
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
