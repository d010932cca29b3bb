package engine

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// PrefixSum returns the weighted sums over the points of a set that a mask selects:
//
//	y[b,n,:] = Σ_i mask[b,n,i] · x[b,i,:]
//
// mask has shape [B,N,N] (floats, usually 0 or 1) and x [B,N,D]; the result has shape [B,N,D]. With a lower triangular
// mask it is a cumulative sum. It stands in for CumSum, which takes seconds on the Go backend, has no gradient there,
// and is wrong on the ONNX backend.
func PrefixSum(mask, x *Node) *Node {
	return DotGeneral(mask, []int{2}, []int{0}, x, []int{1}, []int{0})
}

// Before returns the mask [B,N,N] of the strictly earlier points, 1 where i < n.
func Before(x *Node, b, n int) *Node {
	g, dt := x.Graph(), x.DType()
	row, col := pointAxes(g, n)
	return BroadcastPrefix(ConvertDType(LessThan(col, row), dt), b)
}

// After returns the mask [B,N,N] of the strictly later points, 1 where i > n.
func After(x *Node, b, n int) *Node {
	g, dt := x.Graph(), x.DType()
	row, col := pointAxes(g, n)
	return BroadcastPrefix(ConvertDType(GreaterThan(col, row), dt), b)
}

// pointAxes returns the indices n (rows) and i (columns) of an [N,N] mask, both of shape [N,N].
func pointAxes(g *Graph, n int) (row, col *Node) {
	shape := shapes.Make(indexDType, n, n)
	return Iota(g, shape, 0), Iota(g, shape, 1)
}
