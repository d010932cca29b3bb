package engine

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// SoftmaxAlong is exp(x)/Σ exp(x) along an axis, stable for any finite x. Where the backend has it as one operation,
// the gradient is y∘(v − Σ v∘y) from its result y: GoMLX's own computes exp once more, and takes a third longer.
func SoftmaxAlong(x *Node, axis int) *Node {
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
