package engine

import (
	"github.com/gomlx/compute/dtypes"
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
func PrefixSum(mask, x *Node) *Node { return Times(mask, x) }

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
