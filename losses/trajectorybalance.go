package losses

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/models"
)

// TrajectoryBalance compares the two ends of the whole trajectory (Malkin et al., "Trajectory balance: improved credit
// assignment in GFlowNets", NeurIPS 2022):
//
//	L_tb = (log F(c_1) + Σ_{n=2..N} log P_F(c_n | c_{1:n−1}) − log F(c_{1:N}))² = (log p(c|x) + E[c_{1:N}])²
//
// The root's flow is fixed at 1 and a state has one parent, so there is neither a log Z nor a backward policy.
//
// Laws: it is the square of the sum of detailed balance's gaps, so L_tb ≤ (N−1)·L_db. It is zero exactly when the final
// energy is −log p(c|x), whatever the policy: unlike L_mc it does not ask the decisions before the last to be certain.
// It does not change when a constant is added to the energies of a decision before the last. The result has shape [B].
func TrajectoryBalance(t models.Table) *Node { return Square(Sub(t.Final, NegLogLikelihood(t))) }

// TB names trajectory balance.
const TB = "tb"

var trajectoryBalance = Term{
	Name: TB, Title: "TB", Loss: func(_ Config, s Sets) *Node { return TrajectoryBalance(s.Table) },
}
