package losses

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/models"
)

// logFlows returns, for the decisions n = 2..N, the flows that marginal consistency compares, in log space:
//
//	into[b,n−2] = log F[c_{1:n−1}] = −Ê[c_{1:n−1}]
//	out[b,n−2] = log Σ_k F[c_{1:n−1}, k] = logsumexp_k(−Ê[c_{1:n−1}, k])
//
// both [B,N−1], and the mask [B,N−1] of decisions about real points. Ê is 0 for n = 1. For n ≥ 2, flows selects it:
//
//	FlowsMin    E minus its minimum over the slots for 2 ≤ n < N, E itself for n = N (paper, section "GFlowNet
//	            clustering")
//	FlowsFree   E itself for every n ≥ 2
func logFlows(t models.Table, flows string) (into, out, decided *Node) {
	lowest := lowestEnergy(t.E)
	out = logSumExpNeg(t.E, lowest)
	hat := t.Taken
	if flows != FlowsFree {
		hat, out = Sub(t.Taken, lowest), Where(t.Last, out, Add(out, lowest))
	}
	hat = Where(firstPoint(t.Taken), ZerosLike(hat), hat)
	n := t.Taken.Shape().Dimensions[1]
	into = Neg(Slice(hat, AxisRange(), AxisRange(0, n-1)))
	out = Slice(out, AxisRange(), AxisRange(1, n))
	return into, out, Slice(t.Valid, AxisRange(), AxisRange(1, n))
}

// lowestEnergy is min_k E[b,n,k] [B,N], with the gradient of one lowest slot. GoMLX's ReduceMin gives every one of
// several equal slots the whole gradient: a constant added to a decision's energies then has a gradient wherever two
// slots tie, and runs away.
func lowestEnergy(e *Node) *Node {
	slot := Iota(e.Graph(), shapes.Make(dtypes.Int32, e.Shape().Dimensions...), 2)
	lowest := Equal(slot, InsertAxes(ArgMin(e, 2, dtypes.Int32), -1))
	return ReduceSum(Where(lowest, e, ZerosLike(e)), 2)
}

// logSumExpNeg is logsumexp_k(−E[b,n,k]) [B,N], computed around the lowest energy so that nothing overflows.
func logSumExpNeg(e, lowest *Node) *Node {
	shift := StopGradient(lowest)
	return Sub(Log(ReduceSum(Exp(Sub(InsertAxes(shift, -1), e)), 2)), shift)
}

// firstPoint is the mask [B,N] of the first point of each set.
func firstPoint(like *Node) *Node {
	index := Iota(like.Graph(), like.Shape(), 1)
	return LessThan(index, Const(like.Graph(), float32(0.5)))
}
