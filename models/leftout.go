package models

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
)

// LeftOut are the last decisions about some points of each set, given the labels of all others.
type LeftOut struct {
	// [B,M,K] energies E[c_{−i}, c_i = k] of the whole set; Illegal where no cluster is, but for one new one
	E     *Node
	Taken *Node // [B,M] the energy of the point's own label
	Valid *Node // [B,M] bool: a real point
}

// LeaveOut evaluates the last decisions about the first M points of each set of a table, by labels [B,N] numbered by
// first appearance (−1 where padded):
//
//	state = Σ_j γ(H_j), the point's own cluster without it;   candidate k: γ(H_k) → γ(H_k + i)
//
// A point that is alone in its cluster has the new cluster there, any other finds it behind the last.
func (f Folded) LeaveOut(t Table, labels *Node, points int) LeftOut {
	b, n := labels.Shape().Dimensions[0], labels.Shape().Dimensions[1]
	m, k := min(points, n), t.E.Shape().Dimensions[2]+1 // the table has room for the new cluster before the last point
	first := func(x *Node) *Node { return Slice(x, AxisRange(), AxisRange(0, m)) }
	one := ScalarOne(labels.Graph(), t.h.DType())
	member := memberOf(labels, k, t.h.DType())
	own, h := first(member), first(t.h)

	size := ReduceSum(member, 1) // [B,K]
	used := Min(size, one)
	sums := engine.Times(Transpose(member, 1, 2), t.h)
	gammas := f.clusters(sums, used)
	left := Sub(engine.Times(own, InsertAxes(size, -1)), one) // [B,M,1] the other points of the point's cluster
	without := f.clusters(Sub(engine.Times(own, sums), h), Reshape(Min(left, one), b, m))

	isOwn := InsertAxes(own, -1) // [B,M,K,1]
	wide := func(x *Node, axis int) *Node {
		return BroadcastToDims(InsertAxes(x, axis), b, m, k, x.Shape().Dimensions[2])
	}
	joined := Add(wide(sums, 1), Mul(Sub(one, isOwn), wide(h, 2)))
	present := Add(wide(gammas, 1), Mul(isOwn, Sub(wide(without, 2), wide(gammas, 1))))
	// [B,M,V] of the others
	all := Sub(InsertAxes(ReduceSum(gammas, 1), 1), Sub(engine.Times(own, gammas), without))
	candidate := f.Cluster(rowsOf(joined))
	energy := Reshape(f.Energy(Add(candidate, rowsOf(Sub(wide(all, 2), present)))), b, m, k)

	slot := Iota(labels.Graph(), energy.Shape(), 2)
	clusters := BroadcastToDims(Reshape(ReduceSum(used, 1), b, 1, 1), b, m, k)
	fresh := BroadcastToDims(Reshape(Min(left, one), b, m, 1), b, m, k) // 1: the new cluster is behind the last
	legal := LessThan(slot, Add(clusters, AddScalar(fresh, -0.5)))
	taken := ReduceSum(Mul(own, energy), 2)
	energy = Where(legal, energy, BroadcastToDims(Scalar(one.Graph(), one.DType(), Illegal), b, m, k))
	return LeftOut{E: energy, Taken: taken, Valid: first(t.Valid)}
}

// memberOf is 1 where the point has the label, [B,N,K].
func memberOf(labels *Node, k int, dt dtypes.DType) *Node {
	b, n := labels.Shape().Dimensions[0], labels.Shape().Dimensions[1]
	slot := Iota(labels.Graph(), shapes.Make(dtypes.Int32, b, n, k), 2)
	return ConvertDType(Equal(BroadcastToDims(InsertAxes(labels, 2), b, n, k), slot), dt)
}

// clusters is g' [B,K,V] of clusters by their sums [B,K,W], 0 where used [B,K] is.
func (f Folded) clusters(sums, used *Node) *Node {
	d := sums.Shape().Dimensions
	return Mul(Reshape(f.Cluster(rowsOf(sums)), d[0], d[1], -1), InsertAxes(used, -1))
}

// rowsOf merges all axes of x but the last.
func rowsOf(x *Node) *Node {
	d := x.Shape().Dimensions
	return Reshape(x, -1, d[len(d)-1])
}
