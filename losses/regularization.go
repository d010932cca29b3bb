package losses

import . "github.com/gomlx/gomlx/core/graph"

// Regularization keeps the free scale of the final energy near zero (paper, eq. eqn:reg_equation):
//
//	L_reg = (E[c_{1:N}])²
//
// final and the result have shape [B].
func Regularization(final *Node) *Node { return Square(final) }

var regularization = Term{
	Name: "reg", Key: "loss.delta", Weight: func(c Config) float64 { return c.Delta }, Logged: true,
	Loss: func(_ Config, s Sets) *Node { return Regularization(s.Table.Final) },
}
