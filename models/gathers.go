package models

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
)

// The gradient of a gather adds rows up where they came from. That is a scatter: an accelerator does it by atomic
// additions, in another order each time, and slowly where many rows meet. The table's gathers have an order, though.
// The rows of a point lie side by side, and each decision has one row that looks back at a point until its cluster
// changes. So on a device the gradients gather, too. The Go backend adds in a fixed order by itself, and faster.

// backward holds the inputs of the gradients of a table's gathers. It is nil if the gradients scatter.
type backward struct {
	listed
	real   *Node // [R,1] bool: not padding
	point  *Node // [R,1] flat index of the row's point
	cell   *Node // [R,1] flat index of (b, n, k)
	taken  *Node // [R,1] bool: the row of its point's own label
	own    *Node // [B,N,K] the row of (b, n, k), R where k > K_n
	labels *Node // [B,N]
	next   *Node // [B,N]
}

// gather picks the rows at from x. Its gradient is gradient, or a scatter if in.back is nil.
func (in TableInputs) gather(x, at *Node, gradient func(b *backward, v *Node) *Node) *Node {
	if in.back == nil {
		return Gather(x, at)
	}
	return engine.GatherWith(x, at, func(v *Node) *Node { return gradient(in.back, v) })
}

// byPoint picks the rows' own points from x [B·N,W]: [R,W].
func (in TableInputs) byPoint(x *Node) *Node {
	return in.gather(x, in.Point, func(b *backward, v *Node) *Node {
		rows := Gather(withZeroRow(v), InsertAxes(b.own, -1)) // [B,N,K,W]
		return Reshape(ReduceSum(rows, 2), x.Shape().Dimensions...)
	})
}

// byTaken picks each point's own row from x [R,·]: [B,N,·].
func (in TableInputs) byTaken(x *Node) *Node {
	return in.gather(x, in.Taken, func(b *backward, v *Node) *Node {
		each := Gather(Reshape(v, b.b*b.n, -1), b.point) // [R,·]
		each = Where(BroadcastToShape(b.taken, each.Shape()), each, ZerosLike(each))
		return Reshape(each, x.Shape().Dimensions...)
	})
}

// bySlot lays energies [R+1] out as [B,N,K].
func (in TableInputs) bySlot(x *Node) *Node {
	return in.gather(x, in.Slot, func(b *backward, v *Node) *Node {
		each := Gather(Reshape(v, -1), b.cell) // [R]
		each = Where(Reshape(b.real, -1), each, ZerosLike(each))
		return Concatenate([]*Node{each, Zeros(v.Graph(), shapes.Make(v.DType(), 1))}, 0)
	})
}

// byPrev picks the last points of the rows' clusters from x [B·N+1,W]: [R,W].
func (in TableInputs) byPrev(x *Node) *Node {
	return in.gather(x, in.Prev, func(b *backward, v *Node) *Node { return withZeroRow(b.lookedBack(v)) })
}

// lookedBack sums the rows of v [R,W] that look back at each point i, [B·N,W]: the rows of its cluster in the decisions
// i+1..next(i). The sum over a stretch of decisions is the sum of a few blocks whose lengths are powers of two (a
// segment tree). That takes 2·log N gathers in a fixed order, with few roundings after each other.
func (b *backward) lookedBack(v *Node) *Node {
	width := v.Shape().Dimensions[1]
	length, levels := 1, 1
	for ; length < b.n; length *= 2 {
		levels++
	}
	rows := longer(Transpose(b.own, 1, 2), 2, length, float64(v.Shape().Dimensions[0])) // [B,K,length]
	block := Gather(withZeroRow(v), Reshape(rows, -1, 1))                               // [B·K·length,W]
	set := Iota(v.Graph(), shapes.Make(dtypes.Int32, b.b, b.n), 0)                      // of each point
	lane := Add(Mul(set, b.constant(b.k)), Max(b.labels, b.constant(0)))                // [B,N]
	from := AddScalar(Iota(v.Graph(), shapes.Make(dtypes.Int32, b.b, b.n), 1), 1)       // the stretch from..to−1
	to := Min(AddScalar(b.next, 1), b.constant(b.n))
	sum := Zeros(v.Graph(), shapes.Make(v.DType(), b.b*b.n, width))
	for level := range levels {
		blocks := length >> level // of a lane
		pick := func(at, where *Node) *Node {
			at = Where(where, Add(Mul(lane, b.constant(blocks)), at), b.constant(0))
			each := Gather(block, Reshape(at, -1, 1))
			return Where(BroadcastToShape(Reshape(where, -1, 1), each.Shape()), each, ZerosLike(each))
		}
		some := LessThan(from, to)
		sum = Add(sum, pick(from, LogicalAnd(some, b.odd(from))))
		sum = Add(sum, pick(AddScalar(to, -1), LogicalAnd(some, b.odd(to))))
		from, to = Div(AddScalar(from, 1), b.constant(2)), Div(to, b.constant(2))
		if blocks > 1 {
			block = Reshape(ReduceSum(Reshape(block, -1, 2, width), 1), -1, width)
		}
	}
	return sum
}

func (b *backward) odd(x *Node) *Node { return Equal(Mod(x, b.constant(2)), b.constant(1)) }

// withZeroRow appends a row of zeros to x [M,W].
func withZeroRow(x *Node) *Node { return longer(x, 0, x.Shape().Dimensions[0]+1, 0) }
