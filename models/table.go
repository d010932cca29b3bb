package models

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
)

// Illegal is the energy of a slot above K_n: large enough that exp(−E) is 0, small enough that sums stay finite.
const Illegal = 1e30

// TableInputs are the nodes of one batch of labelled sets (ListedInputs).
type TableInputs struct {
	X      *Node // [B,N,D] points
	Labels *Node // [B,N] int32, -1 where padded
	Next   *Node // [B,N] int32
	Count  *Node // scalar int32, the real number of points
	Point  *Node // [R,1] int32
	Prev   *Node // [R,1] int32
	Taken  *Node // [B,N,1] int32
	Slot   *Node // [B,N,K,1] int32

	Drop *Dropout // of the image encoders in a training step; nil in evaluation
	back *backward
}

// Table is the energy table of a batch. Losses and log-probabilities are computed only from it.
type Table struct {
	E     *Node // [B,N,K] energies of all candidates; Illegal where k > K_n; unspecified at padded points
	Taken *Node // [B,N] the energy of each point's own label
	Valid *Node // [B,N] bool: a real point
	Last  *Node // [B,N] bool: the last real point
	Final *Node // [B] the energy E[c_{1:N}] of the whole labelled set

	h *Node // [B,N,W] the points' h', zero where padded
}

// Table evaluates all candidates of all points in one pass:
//
//	S_n = Σ_{i≤n, c_i=c_n} h'_i          a cluster's sum just after point n joined it
//	row (n,k): z = S_{prev(n,k)} + h'_n   γ = g'(z)
//	state = Σ_j γ_j before n − γ_{prev(n,k)} + γ + Σ_{i>n} u'_i       E = f(state)
//
// g of an unchanged cluster is the candidate row of the last point that joined it, so nothing is evaluated twice.
func (f Folded) Table(in TableInputs) Table {
	dims := in.Labels.Shape().Dimensions
	valid, _ := realPoints(in.Count, dims[0], dims[1])
	h, u := f.EncodeSets(in.X, valid, in.Drop)
	return f.TableOf(h, u, in)
}

// TableOf is Table for points that are embedded already, as h' [B·N,W] and u' [B·N,V]; it does not read in.X.
func (f Folded) TableOf(h, u *Node, in TableInputs) Table {
	dims := in.Labels.Shape().Dimensions
	b, n := dims[0], dims[1]
	valid, last := realPoints(in.Count, b, n)
	mask := ConvertDType(Reshape(valid, b*n, 1), h.DType())
	h, u = Mul(h, mask), Reshape(Mul(u, mask), b, n, -1)
	same := sameClusterUpTo(in.Labels, h.DType())
	candidates := func(h *Node) *Node {
		if h == nil {
			return nil
		}
		sums := engine.Times(same, Reshape(h, b, n, -1))
		return Add(in.byPrev(withZero(sums)), in.byPoint(h))
	}
	learned, fixed := f.config.parts(h) // apart: columns that no weight changes need no gradient
	gamma := f.clusterOf(candidates(learned), candidates(fixed))

	joined := in.byTaken(gamma) // [B,N,V]
	others := engine.Times(current(in.Next, h.DType()), joined)
	rest := Add(others, engine.Times(engine.After(h, b, n), u))
	state := Add(gamma, Sub(in.byPoint(flat(rest)), in.byPrev(withZero(joined))))
	rows := f.Energy(state)

	padded := Concatenate([]*Node{rows, Const(rows.Graph(), []float32{Illegal})}, 0)
	table := Table{
		E:     in.bySlot(padded),
		Taken: in.byTaken(rows),
		Valid: valid,
		Last:  last,
		h:     Reshape(h, b, n, -1),
	}
	table.E.AssertDims(b, n, in.Slot.Shape().Dimensions[2])
	table.Final = ReduceSum(Where(last, table.Taken, ZerosLike(table.Taken)), 1)
	return table
}

// FinalEnergy is E[c_{1:N}] of other labels [B,N] of the same points (−1 where padded), with shape [B]. slots [K] holds
// 0..K−1 with K at least the number of clusters.
func (f Folded) FinalEnergy(t Table, labels, slots *Node) *Node {
	b, n := labels.Shape().Dimensions[0], labels.Shape().Dimensions[1]
	k := slots.Shape().Dimensions[0]
	member := Equal(BroadcastToDims(InsertAxes(labels, 1), b, k, n), BroadcastToDims(Reshape(slots, 1, k, 1), b, k, n))
	member = ConvertDType(member, t.h.DType())
	used := ConvertDType(GreaterThan(ReduceSum(member, 2), ScalarZero(member.Graph(), member.DType())), t.h.DType())
	return f.Energy(ReduceSum(f.clusters(engine.Times(member, t.h), used), 1))
}

// flat merges the first two axes of x [B,N,H].
func flat(x *Node) *Node {
	d := x.Shape().Dimensions
	return Reshape(x, d[0]*d[1], d[2])
}

// withZero is flat with one zero row appended: the sum of an empty cluster.
func withZero(x *Node) *Node { return withZeroRow(flat(x)) }

// realPoints returns the masks [B,N] of the real points and of the last real one.
func realPoints(count *Node, b, n int) (valid, last *Node) {
	index := Iota(count.Graph(), shapes.Make(dtypes.Int32, b, n), 1)
	valid = LessThan(index, count)
	last = Equal(index, Sub(count, Const(count.Graph(), int32(1))))
	return valid, last
}

// sameClusterUpTo returns the mask [B,N,N]: 1 where i ≤ n and c_i = c_n.
func sameClusterUpTo(labels *Node, dt dtypes.DType) *Node {
	b, n := labels.Shape().Dimensions[0], labels.Shape().Dimensions[1]
	same := Equal(BroadcastToDims(InsertAxes(labels, 2), b, n, n), BroadcastToDims(InsertAxes(labels, 1), b, n, n))
	upTo := LowerTriangular(labels.Graph(), n)
	return ConvertDType(LogicalAnd(same, BroadcastPrefix(upTo, b)), dt)
}

// current returns the mask [B,N,N]: 1 where point i is, just before point n, the last one to have joined its cluster.
func current(next *Node, dt dtypes.DType) *Node {
	g := next.Graph()
	b, n := next.Shape().Dimensions[0], next.Shape().Dimensions[1]
	row := Iota(g, shapes.Make(dtypes.Int32, b, n, n), 1)
	notYetLeft := GreaterOrEqual(BroadcastToDims(InsertAxes(next, 1), b, n, n), row)
	return Mul(ConvertDType(notYetLeft, dt), engine.Before(Zeros(g, shapes.Make(dt)), b, n))
}

// clusters is g' [B,K,V] of clusters by their sums [B,K,W], 0 where used [B,K] is.
func (f Folded) clusters(sums, used *Node) *Node {
	d := sums.Shape().Dimensions
	return Mul(Reshape(f.Cluster(flat(sums)), d[0], d[1], -1), InsertAxes(used, -1))
}
