package attention

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
)

// MAB lets queries q [B,M,inQ] attend to keys k [B,N,inK]; the result has shape [B,M,Width]. keyMask [B,N] (bool) tells
// the keys that may be attended to, nil: all. Where no key may be, the attention's result is 0 and the query alone
// remains.
//
// w are the weights of MABLayout. Any number of queries is fast; keys should be few (inducing points, seeds), since
// every head's scores are computed as a product over the whole width.
func MAB(w []*Node, s Sizes, q, k, keyMask *Node) *Node {
	m := mab(w, s)
	b, queries, keys := q.Shape().Dimensions[0], q.Shape().Dimensions[1], k.Shape().Dimensions[1]
	query := onRows(q, m.query)
	key := MulScalar(onRows(k, layer{W: m.key.W}), m.scale())
	scores := engine.TimesTransposed(query, m.byHead(key)) // [B,M,H·N]
	scores = masked(Reshape(scores, b, queries, s.Heads, keys), keyMask, b, 1, 1, keys)
	weights := Reshape(softmax(scores, 3), b, queries, s.Heads*keys)
	result := engine.Times(weights, m.byHead(onRows(k, m.value))) // [B,M,W]
	return m.output(Add(query, whereAny(result, keyMask)))
}

// SAB is self-attention among points x [B,N,in]; the result has shape [B,N,Width]. mask [B,N] (bool) tells the valid
// points, nil: all. w are the weights of SABLayout.
func SAB(w []*Node, s Sizes, x, mask *Node) *Node { return MAB(w, s, x, x, mask) }

// ISAB is self-attention among points x [B,N,in] by way of inducing points, in time O(N); the result has shape
// [B,N,Width]. mask [B,N] (bool) tells the valid points, nil: all. w are the weights of ISABLayout.
func ISAB(w []*Node, s Sizes, x, mask *Node) *Node {
	gathered := gather(w[1:1+numMAB], s, w[0], x, mask)
	return MAB(w[1+numMAB:], s, x, gathered, nil)
}

// PMA pools points x [B,N,Width] into one vector for each seed: [B,seeds,Width]. mask [B,N] (bool) tells the valid
// points, nil: all. w are the weights of PMALayout.
func PMA(w []*Node, s Sizes, x, mask *Node) *Node { return gather(w[1:], s, w[0], x, mask) }

// gather is MAB with the same queries [M,W] for all sets. As they are weights, the products of weights come first:
//
//	Q_h·K_hᵀ = Q_h·Wk_hᵀ·Xᵀ (+ a constant of the query)      A_h·V_h = (A_h·X)·Wv_h + bv_h
//
// so that neither keys nor values of the points are ever formed.
func gather(w []*Node, s Sizes, queries, x, mask *Node) *Node {
	m := mab(w, s)
	dims := x.Shape().Dimensions
	b, n, count := dims[0], dims[1], queries.Shape().Dimensions[0]
	query := engine.Dense(queries, m.query.W, m.query.B)
	byHead := Reshape(m.byHead(InsertAxes(MulScalar(query, m.scale()), 0)), s.Heads*count, s.Width)
	products := DotGeneral(byHead, []int{1}, nil, m.key.W, []int{1}, nil) // [H·M,in]
	scores := engine.TimesTransposed(perSet(products, b), x)              // [B,H·M,N]
	weights := softmax(masked(scores, mask, b, 1, n), 2)
	sums := engine.Times(weights, x) // [B,H·M,in]
	result := whereAny(m.valuesOf(sums, count), mask)
	result = engine.Bias(Reshape(result, b, count*s.Width), Reshape(query, count*s.Width))
	return m.output(Reshape(result, b, count, s.Width))
}
