package losses

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// DefaultSubTBLambda is the default of torchgfn.
const DefaultSubTBLambda = 0.9

// SubTrajectoryBalance compares the two ends of every piece of the trajectory, m steps long at weight λ^m (Madan et
// al., "Learning GFlowNets from partial episodes for improved convergence and stability", ICML 2023):
//
//	L_subtb = Σ_{i<j} λ^{j−i} (δ_{i+1} + … + δ_j)² / Σ_{m=1..N−1} λ^m,   1 ≤ i < j ≤ N
//
// with δ_n the gaps of detailed balance. Madan et al. divide by Σ_{i<j} λ^{j−i} instead, which is a mean over the
// pieces; the two divisors differ by a factor that depends on N and λ alone. With this one both limits have the scale
// of the other losses.
//
// Laws: it is never negative, and zero exactly when every δ_n is. λ → 0 gives L_db and λ → ∞ gives L_tb; where N = 2
// there is one piece, and all are equal. lambda is positive. The result has shape [B].
func SubTrajectoryBalance(t models.Table, flows string, lambda float64) *Node {
	gap := stepGaps(t, flows)
	b, n := gap.Shape().Dimensions[0], gap.Shape().Dimensions[1]
	decided := Slice(t.Valid, AxisRange(), AxisRange(1, n+1))
	earlier := Reshape(engine.Times(engine.Before(gap, b, n), InsertAxes(gap, -1)), b, n)
	piece := Sub(InsertAxes(Add(earlier, gap), 2), InsertAxes(earlier, 1)) // [B,j,i]: the gaps of decisions i..j
	ending := ReduceSum(Mul(Square(piece), InsertAxes(pieceWeights(gap, lambda), 0)), 2)
	total := ReduceSum(Where(decided, ending, ZerosLike(ending)), 1)
	steps := AddScalar(Iota(gap.Graph(), gap.Shape(), 1), 1)
	return Div(total, ReduceSum(Where(decided, power(lambda, steps), ZerosLike(gap)), 1))
}

// pieceWeights is λ^{j−i+1}, [N−1,N−1], for the piece from decision i to decision j, and 0 where j < i.
func pieceWeights(gap *Node, lambda float64) *Node {
	n := gap.Shape().Dimensions[1]
	like := BroadcastToDims(ScalarZero(gap.Graph(), gap.DType()), n, n)
	steps := AddScalar(Sub(Iota(gap.Graph(), like.Shape(), 0), Iota(gap.Graph(), like.Shape(), 1)), 1)
	none := LessThan(steps, Scalar(gap.Graph(), gap.DType(), 0.5))
	return Where(none, like, power(lambda, Where(none, like, steps)))
}

// power is lambda^x.
func power(lambda float64, x *Node) *Node { return Exp(MulScalar(x, math.Log(lambda))) }

// SubTB names sub-trajectory balance.
const SubTB = "subtb"

var subTrajectoryBalance = Term{
	Name: SubTB, Title: fmt.Sprintf("SubTB(%g)", DefaultSubTBLambda),
	Loss: func(c Config, s Sets) *Node {
		return SubTrajectoryBalance(s.Table, c.Flows, cmp.Or(c.SubTBLambda, DefaultSubTBLambda))
	},
}
