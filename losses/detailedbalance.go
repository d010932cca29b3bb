package losses

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/models"
)

// DetailedBalance compares the two ends of every step of the trajectory (Bengio et al., "GFlowNet Foundations", JMLR
// 2023):
//
//	L_db = Σ_{n=2..N} δ_n²,   δ_n = log F(c_{1:n−1}) + log P_F(c_n | c_{1:n−1}) − log F(c_{1:n}),   log F = −Ê
//
// A state c_{1:n} has one parent, so the backward policy is 1 and drops out.
//
// Laws: it is never negative, and zero exactly when every δ_n is. P_F is the softmax of the energies that F is made of,
// so −δ_n is the gap of marginal consistency at n, term by term: on these energies L_db and L_mc are the same function.
// The result has shape [B].
func DetailedBalance(t models.Table, flows string) *Node {
	return ReduceSum(Square(stepGaps(t, flows)), 1)
}

// stepGaps returns δ_n for the decisions n = 2..N, [B,N−1], zero where there is no real point.
func stepGaps(t models.Table, flows string) *Node {
	n := t.Taken.Shape().Dimensions[1]
	flow := logFlow(t, flows)
	from, to := Slice(flow, AxisRange(), AxisRange(0, n-1)), Slice(flow, AxisRange(), AxisRange(1, n))
	gap := Sub(Add(from, Slice(logPolicy(t), AxisRange(), AxisRange(1, n))), to)
	return Where(Slice(t.Valid, AxisRange(), AxisRange(1, n)), gap, ZerosLike(gap))
}

// logFlow is log F(c_{1:n}) = −Ê[c_{1:n}] of every state of the trajectory, [B,N]; unspecified at padded points. The
// first point's is 0.
func logFlow(t models.Table, flows string) *Node {
	if flows == FlowsFree {
		return Neg(Where(firstPoint(t.Taken), ZerosLike(t.Taken), t.Taken))
	}
	return Neg(Where(t.Last, t.Taken, Sub(t.Taken, lowestEnergy(t.E))))
}

// DB names detailed balance.
const DB = "db"

var detailedBalance = Term{
	Name: DB, Title: "DB", Loss: func(c Config, s Sets) *Node { return DetailedBalance(s.Table, c.Flows) },
}
