package losses

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/models"
)

// NegLogLikelihood is the objective of NCP, and the optional likelihood term beside GFNCP's:
//
//	L_nll = −Σ_{n=2..N} log P_F(c_n | c_{1:n−1}),   log P_F = −E[n,c_n] − logsumexp_k(−E[n,k])
//
// Law: it is never negative and unchanged by adding to all energies of a decision the same constant. The result has
// shape [B], in nats.
func NegLogLikelihood(t models.Table) *Node {
	decided := LogicalAnd(t.Valid, LogicalNot(firstPoint(t.Taken)))
	surprise := Neg(logPolicy(t))
	return ReduceSum(Where(decided, surprise, ZerosLike(surprise)), 1)
}

// logPolicy is log P_F(c_n | c_{1:n−1}), [B,N]: 0 at the first point, unspecified at padded ones.
func logPolicy(t models.Table) *Node {
	return Neg(Add(t.Taken, logSumExpNeg(t.E, ReduceMin(t.E, 2))))
}

var likelihood = Term{
	Name: "nll", Key: "loss.nll_weight", Weight: func(c Config) float64 { return c.NLLWeight },
	DataOnly: true, Logged: true,
	Loss: func(_ Config, s Sets) *Node { return NegLogLikelihood(s.Table) },
}
