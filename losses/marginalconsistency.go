package losses

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/models"
)

// MarginalConsistency is the paper's balance loss (eq. eqn:mc_loss), which flow networks know as flow matching:
//
//	L_mc = Σ_{n=2..N} (Ê[c_{1:n−1}] + logsumexp_k(−Ê[c_{1:n−1}, k]))²
//
// Laws: it is never negative, and zero exactly when every state's flow equals the sum of its children's; then the
// probability of a labelling does not depend on the data order.
//
// flows selects the definition of a flow: FlowsMin or FlowsFree (see Config.Flows).
//
// epsilon > 0 replaces each log-flow ℓ by log(epsilon + exp(ℓ)), as the published code does with 1e-5; 0 is the paper's
// exact form. The result has shape [B].
func MarginalConsistency(t models.Table, flows string, epsilon float64) *Node {
	into, out, decided := logFlows(t, flows)
	if epsilon > 0 {
		into, out = clampLog(into, epsilon), clampLog(out, epsilon)
	}
	gap := Sub(out, into)
	return ReduceSum(Square(Where(decided, gap, ZerosLike(gap))), 1)
}

// clampLog is log(epsilon + exp(x)) without overflow: max(x, log ε) + log1p(exp(−|x − log ε|)).
func clampLog(x *Node, epsilon float64) *Node {
	floor := Log(Scalar(x.Graph(), x.DType(), epsilon))
	return Add(Max(x, floor), Log1P(Exp(Neg(Abs(Sub(x, floor))))))
}

// MC is the name of marginal consistency in configurations and logs.
const MC = "mc"

var marginalConsistency = Term{
	Name: MC, Title: "MC", Logged: true,
	Loss: func(c Config, s Sets) *Node { return MarginalConsistency(s.Table, c.Flows, c.MCEpsilon) },
}
