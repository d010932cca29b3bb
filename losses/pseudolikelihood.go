package losses

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/models"
)

// PseudoLikelihood asks each point's cluster of the final energy, given those of all others (Besag, "Statistical
// analysis of non-lattice data", The Statistician 1975):
//
//	L_pl = −Σ_i log p(c_i | c_{−i}, x),   p(c_i = k | c_{−i}, x) ∝ exp(−E[c_{−i}, c_i = k])
//
// Likelihood has one such decision a set; here each of M points is decided last.
//
// Laws: it is never negative, does not change when a constant is added to the final energies of a set, and its
// expectation is least where exp(−E) is proportional to the posterior, as that of likelihood beside balanced free
// flows. The result has shape [B], in nats.
func PseudoLikelihood(l models.LeftOut) *Node {
	surprise := Add(l.Taken, logSumExpNeg(l.E, ReduceMin(l.E, 2)))
	return ReduceSum(Where(l.Valid, surprise, ZerosLike(surprise)), 1)
}

// pseudoPoints is the number of points of a set that a step leaves out, one at a time; the sum over them stands for
// that over all.
const pseudoPoints = 8

var pseudoLikelihood = Term{
	Name: "pl", Key: "loss.pseudo_weight", Weight: func(c Config) float64 { return c.PseudoWeight }, DataOnly: true,
	Loss: func(_ Config, s Sets) *Node {
		l := s.LeaveOut(pseudoPoints)
		count := func(valid *Node) *Node { return ReduceAllSum(ConvertDType(valid, l.E.DType())) }
		return Mul(PseudoLikelihood(l), Div(count(s.Table.Valid), count(l.Valid)))
	},
}
