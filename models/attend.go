package models

import (
	"fmt"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
)

// With Config.Attention, blocks of attention show each point the others of its set (Vaswani et al. 2017, "Attention Is
// All You Need", with the norms of Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture", and
// Zhang and Sennrich 2019, "Root Mean Square Layer Normalization"):
//
//	e⁰ = W·(x, z, N, p) + b
//	s_j = ⟨Q·r(eᵗ), K·r(eⱼᵗ)⟩/√w − γ/2·|y − y_j|²,   r(e) = e/√mean e²,   γ = γ₀·exp(4·tanh(G·r(eᵗ)/4))
//	e' = eᵗ + O·Σ_j softmax_j(s_j)·V·(r(eⱼᵗ), x_j, z_j)             in each head, j in the set
//	eᵗ⁺¹ = e' + B·ReLU(A·r(e'))
//
// x are the coordinates, z the coordinates divided by their standard deviations in the set, p the number of coordinates
// that vary. y is x in half of the heads and z in the others. A head that heeds γ alone is a step of mean shift (Cheng
// 1995, "Mean Shift, Mode Seeking, and Clustering") with a bandwidth that each point chooses. h and u read x and r(eᵀ).
// Nothing depends on labels.
const (
	attentionHeads = 4
	blockLayers    = 7 // G, Q, K, V, O, A, B
	mostSharp      = 4 // the bound of log γ/γ₀
	normFloor      = 1e-6
	leastSpread    = 1e-3 // a coordinate with a smaller standard deviation is one that the set lacks
	mostAttention  = 12   // blocks
)

// sharpness is γ₀ of each head: in units of x, whose rows are about 8 long (tabular.View), and in units of z.
var sharpness = [attentionHeads]float64{0.1, 0.4, 0.5, 2}

// readsWholeSet reports whether the embedding of a point depends on the others of its set.
func (c Config) readsWholeSet() bool { return c.MeanShift || c.Attention > 0 }

// attentionInputs is the number of columns that the first layer reads: x, z, N and p.
func (c Config) attentionInputs() int { return 2*c.Dim + 2 }

// attentionLayout lists the weights of the blocks.
func (c Config) attentionLayout() Params {
	if c.Attention == 0 {
		return nil
	}
	layout := MLPLayout("a", c.attentionInputs(), c.Hidden)
	for block := range c.Attention {
		name := fmt.Sprintf("a.%d", block+1)
		layout = append(layout, MLPLayout(name+".sharp", c.Hidden, attentionHeads)...)
		layout = append(layout, MLPLayout(name+".query", c.Hidden, c.Hidden)...)
		layout = append(layout, MLPLayout(name+".key", c.Hidden, c.Hidden)...)
		layout = append(layout, MLPLayout(name+".value", c.Hidden+2*c.Dim, c.Hidden)...)
		layout = append(layout, MLPLayout(name+".output", c.Hidden, c.Hidden)...)
		layout = append(layout, MLPLayout(name+".feed", c.Hidden, 2*c.Hidden, c.Hidden)...)
	}
	return layout
}

// attend returns r(e) [B,N,H] of points x [B,N,D] that attend to others [B,M,D]. valid [B,1,M] is 1 for the real ones
// of others. x may be others. Each of others stands for scale points, or for one if scale is nil.
func (f Folded) attend(x, others, valid, scale *Node) *Node {
	layers := f.extra[attentionNet]
	among := f.attentionPoints(others, others, valid, scale)
	own := among
	if x != others {
		own = f.attentionPoints(x, others, valid, scale)
	}
	for block := range slices.Chunk(layers[1:], blockLayers) {
		next := among.block(among, valid, block)
		if x == others {
			own.e = next
		} else {
			own.e = own.block(among, valid, block)
		}
		among.e = next
	}
	return normed(own.e)
}

// attentionPoints are points with what they know of their set: e [B,N,H], x and z [B,N,D].
type attentionPoints struct{ e, x, z *Node }

// attentionPoints returns points x [B,N,D] among others before the first block.
func (f Folded) attentionPoints(x, others, valid, scale *Node) attentionPoints {
	dims := x.Shape().Dimensions
	mean, spread, has := spreads(StopGradient(others), valid)
	x = StopGradient(x)
	z := Mul(Div(Sub(x, mean), spread), has)
	wide := func(x *Node, by float64) *Node {
		return BroadcastToDims(MulScalar(InsertAxes(x, -1), by), dims[0], dims[1], 1)
	}
	count := ReduceSum(valid, 2)
	if scale != nil {
		count = Mul(count, scale)
	}
	in := Concatenate([]*Node{
		MulScalar(x, placeScale), z, wide(Log(count), 0.2), wide(ReduceSum(has, 2), 1/float64(f.config.Dim)),
	}, 2)
	return attentionPoints{e: eachRow(in, f.extra[attentionNet][0]), x: x, z: z}
}

// spreads returns the means and standard deviations [B,1,D] of the coordinates of others [B,M,D]. valid [B,1,M] is 1
// for the real ones. has [B,1,D] is 1 where the coordinate varies in the set, else 0.
func spreads(others, valid *Node) (mean, spread, has *Node) {
	count := InsertAxes(ReduceSum(valid, 2), -1)
	average := func(x *Node) *Node { return Div(engine.Times(valid, x), count) }
	mean = average(others)
	variance := Max(Sub(average(Square(others)), Square(mean)), ScalarZero(others.Graph(), others.DType()))
	spread = Sqrt(variance)
	has = ConvertDType(GreaterThan(spread, Scalar(spread.Graph(), spread.DType(), leastSpread)), spread.DType())
	return mean, Max(spread, Scalar(spread.Graph(), spread.DType(), leastSpread)), has
}

// place returns y of a head.
func (l attentionPoints) place(head int) *Node {
	if head < attentionHeads/2 {
		return l.x
	}
	return l.z
}

// block returns e after a block in which the points attend to others [B,M,·]. valid [B,1,M] is 1 for the real ones.
func (l attentionPoints) block(others attentionPoints, valid *Node, w []layer) *Node {
	dims := l.e.Shape().Dimensions
	own, keys := normed(l.e), normed(others.e)
	sharp := eachRow(own, w[0])
	sharp = MulScalar(Tanh(DivScalar(sharp, mostSharp)), mostSharp)
	queries := MulScalar(eachRow(own, w[1]), 1/math.Sqrt(float64(dims[2]/attentionHeads)))
	values := Concatenate([]*Node{keys, MulScalar(others.x, placeScale), others.z}, 2)
	keys, values = eachRow(keys, w[2]), eachRow(values, w[3])
	far := MulScalar(SubScalar(valid, 1), 1e9) // 0 for real ones
	var results []*Node
	for head := range attentionHeads {
		gamma := MulScalar(Exp(column(sharp, head, head+1)), sharpness[head])
		y, seen := l.place(head), others.place(head)
		half := MulScalar(InsertAxes(ReduceSum(Square(seen), 2), -1), -0.5)
		// −γ/2·|y − y_j|² without the part that is the same for all j
		query := Concatenate([]*Node{ofHead(queries, head), Mul(y, gamma), gamma}, 2)
		key := Concatenate([]*Node{ofHead(keys, head), seen, half}, 2)
		weights := engine.SoftmaxAlong(Add(engine.TimesTransposed(query, key), far), 2)
		results = append(results, engine.Times(weights, ofHead(values, head)))
	}
	e := Add(l.e, eachRow(Concatenate(results, 2), w[4]))
	rows := engine.DenseReLU(rowsOf(normed(e)), w[5].W, w[5].B)
	return Add(e, Reshape(engine.Dense(rows, w[6].W, w[6].B), dims...))
}

// ofHead returns the columns of a head of x [B,N,H].
func ofHead(x *Node, head int) *Node {
	part := x.Shape().Dimensions[2] / attentionHeads
	return column(x, head*part, (head+1)*part)
}

// normed returns r(e) of rows e [B,N,H].
func normed(e *Node) *Node {
	square := AddScalar(ReduceAndKeep(Square(e), ReduceMean, 2), normFloor)
	return Div(e, Sqrt(square))
}

// eachRow applies a layer to the rows of x [B,N,·].
func eachRow(x *Node, l layer) *Node {
	dims := x.Shape().Dimensions
	return Reshape(engine.Dense(rowsOf(x), l.W, l.B), dims[0], dims[1], -1)
}
