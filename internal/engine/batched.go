package engine

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// TimesTransposed is a·cᵀ in each set, of a [B,M,F] and c [B,N,F]: [B,M,N]. As for Times, its gradient makes one transposed
// copy; GoMLX's general formula leads to up to five, and on the Go backend its copies are as slow as the products themselves.
func TimesTransposed(a, c *Node) *Node {
	return tune(DotGeneral(a, []int{2}, []int{0}, c, []int{2}, []int{0}), func(n, v *Node) []*Node {
		a, c := n.Inputs()[0], n.Inputs()[1]
		return []*Node{Times(v, c), Times(Transpose(v, 1, 2), a)}
	})
}

// Times is a·c in each set, of a [B,M,N] and c [B,N,F]: [B,M,F].
func Times(a, c *Node) *Node {
	return tune(DotGeneral(a, []int{2}, []int{0}, c, []int{1}, []int{0}), func(n, v *Node) []*Node {
		a, c := n.Inputs()[0], n.Inputs()[1]
		return []*Node{TimesTransposed(v, c), Times(Transpose(a, 1, 2), v)}
	})
}
