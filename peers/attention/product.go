package attention

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// The products of matrices, one in each set, with gradients that the Go backend computes with one transposed copy: GoMLX's
// general formula leads to up to five, and its copies are as slow as the products themselves.

// products holds the nodes of one graph whose gradient uses the formulas of this file.
type products struct{}

type gradientFormula func(a, c, v *Node) (da, dc *Node)

// timesTransposed is a·cᵀ in each set, of a [B,M,F] and c [B,N,F]: [B,M,N].
func timesTransposed(a, c *Node) *Node {
	y := DotGeneral(a, []int{2}, []int{0}, c, []int{2}, []int{0})
	return withGradient(y, func(a, c, v *Node) (da, dc *Node) {
		return times(v, c), times(Transpose(v, 1, 2), a)
	})
}

// times is a·c in each set, of a [B,M,N] and c [B,N,F]: [B,M,F].
func times(a, c *Node) *Node {
	y := DotGeneral(a, []int{2}, []int{0}, c, []int{1}, []int{0})
	return withGradient(y, func(a, c, v *Node) (da, dc *Node) {
		return timesTransposed(v, c), times(Transpose(a, 1, 2), v)
	})
}

func withGradient(y *Node, formula gradientFormula) *Node {
	g := y.Graph()
	formulas, ok := g.State(products{}).(map[NodeId]gradientFormula)
	if !ok {
		formulas = make(map[NodeId]gradientFormula)
		g.AttachState(products{}, formulas)
	}
	formulas[y.Id()] = formula
	return y
}

// init goes before the gradient of all products, as package engine does for its own.
func init() {
	general := VJPRegistration[NodeTypeDotGeneral]
	VJPRegistration[NodeTypeDotGeneral] = func(n *Node, vs []*Node, out shapes.Shape) []*Node {
		formulas, _ := n.Graph().State(products{}).(map[NodeId]gradientFormula)
		formula, ok := formulas[n.Id()]
		if !ok {
			return general(n, vs, out)
		}
		da, dc := formula(n.Inputs()[0], n.Inputs()[1], vs[0])
		return []*Node{da, dc}
	}
}
