package engine

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

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
