package engine

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// settled returns a matrix product x as it is, after the processor's vector registers have been put in order.
//
// The Go backend's matrix products (GOEXPERIMENT=simd) leave the upper halves of the vector registers in use. Until
// some instruction clears them, the scalar code of all other operations runs two to four times slower, because each
// of its instructions waits for the register it only seems to extend. Go's copy of more than 256 bytes ends with such
// an instruction: so a small constant is copied after the product, and the product's value depends on the copy. On
// other backends settled does nothing.
func settled(x *Node) *Node {
	g := x.Graph()
	if !OnGo(g.Backend()) {
		return x
	}
	// a constant is never the barrier's own: it is copied
	copied := SchedulingBarrier(Const(g, make([]float32, 128)), x)
	return tune(SchedulingBarrier(x, copied), func(_, v *Node) []*Node { return []*Node{v, nil} })
}
