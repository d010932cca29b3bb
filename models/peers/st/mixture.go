package st

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/models/peers/attention"
)

// minStd is what softplus is raised by: the least standard deviation of a component, in the units of the points.
const minStd = 1e-3

// jointLogs returns log p(x_n, k) = log π_k + log N(x_n; μ_k, diag σ_k²) [B,N,K] for points x [B,N,D] (for images,
// their embedding stands for x_n), of which mask [B,N] tells the valid ones. weights are in the layout's order.
func (m *Method) jointLogs(weights []*Node, x, mask *Node, drop *models.Dropout) *Node {
	w := peers.Weights{Layout: m.Layout(), Nodes: weights}
	x = m.Encode(w, x, drop)
	h := attention.ISAB(w.Of("isab.0"), m.sizes, x, mask)
	h = attention.ISAB(w.Of("isab.1"), m.sizes, h, mask)
	h = attention.PMA(w.Of("pma"), m.sizes, h, mask)
	h = attention.SAB(w.Of("sab.0"), m.sizes, h, nil)
	h = attention.SAB(w.Of("sab.1"), m.sizes, h, nil) // [B,K,W]
	out := models.MLP(Reshape(h, -1, m.sizes.Width), w.Of("mixture"))
	return logDensities(x, Reshape(out, -1, m.clusters, 1+2*m.Features()))
}

// logDensities returns log p(x_n, k) [B,N,K] of points x [B,N,F] from the components' parameters [B,K,1+2F]: the logit
// of π_k, then μ_k, then what softplus turns into σ_k. Differences to the means are formed before they are squared, so
// that narrow components far from the origin cost no precision.
func logDensities(x, parameters *Node) *Node {
	b, n, f := x.Shape().Dimensions[0], x.Shape().Dimensions[1], x.Shape().Dimensions[2]
	k := parameters.Shape().Dimensions[1]
	all := AxisRange()
	logits := Reshape(Slice(parameters, all, all, AxisRange(0, 1)), b, k)
	mean := Slice(parameters, all, all, AxisRange(1, 1+f))
	std := AddScalar(peers.SoftPlus(Slice(parameters, all, all, AxisRange(1+f, 1+2*f))), minStd)

	precision := Inverse(std)
	// x/σ − μ/σ would cancel; (x−μ)/σ does not.
	z := Mul(Sub(InsertAxes(x, 2), InsertAxes(mean, 1)), InsertAxes(precision, 1)) // [B,N,K,F]
	squares := engine.Dense(Reshape(Square(z), b*n*k, f), Ones(x.Graph(), shapes.Make(x.DType(), f, 1)), nil)
	logVolume := AddScalar(ReduceSum(Log(std), 2), float64(f)/2*math.Log(2*math.Pi)) // [B,K]
	logWeight := Sub(logits, InsertAxes(logSumExp(logits, 1), 1))
	return Add(MulScalar(Reshape(squares, b, n, k), -0.5), InsertAxes(Sub(logWeight, logVolume), 1))
}

// logSumExp is log Σ exp(x) along an axis, computed around the largest value.
func logSumExp(x *Node, axis int) *Node {
	top := StopGradient(ReduceAndKeep(x, ReduceMax, axis))
	return Add(Log(ReduceSum(Exp(Sub(x, top)), axis)), Squeeze(top, axis))
}

// negativeLogLikelihood is Σ over the sets of share × the mean over their points of −log Σ_k p(x_n, k), from joint logs
// [B,N,K]. mask [B,N] tells the valid points.
func negativeLogLikelihood(joint, mask, share *Node) *Node {
	logs := logSumExp(joint, 2)
	perSet := ReduceSum(Where(mask, logs, ZerosLike(logs)), 1)
	return Neg(Mul(share, ReduceAllSum(Div(perSet, validCount(mask, logs)))))
}

// matchedCrossEntropy is Σ over the sets of share × the mean over their points of −log r_nk, where k is the component
// matched to the point's label, from joint logs [B,N,K] and labels [B,N] in 0..K−1, −1 where padded.
func matchedCrossEntropy(joint, labels, mask, share *Node) *Node {
	k := joint.Shape().Dimensions[2]
	logs := Sub(joint, InsertAxes(logSumExp(joint, 2), 2)) // log r
	names := Iota(joint.Graph(), shapes.Make(labels.DType(), 1, 1, k), 2)
	of := ConvertDType(Equal(InsertAxes(labels, 2), names), joint.DType())       // [B,N,J]: 1 at the point's cluster
	agreement := DotGeneral(of, []int{1}, []int{0}, logs, []int{1}, []int{0})    // [B,J,K]
	perSet := ReduceSum(Mul(agreement, matching(StopGradient(agreement))), 1, 2) // [B]
	return Neg(Mul(share, ReduceAllSum(Div(perSet, validCount(mask, perSet)))))
}

// validCount is the number of valid points of each set [B], in the type of like.
func validCount(mask, like *Node) *Node { return ReduceSum(ConvertDType(mask, like.DType()), 1) }

// matching pairs each cluster j with one component k, from their agreement Σ_{n∈j} log r_nk [B,J,K], J = K: it returns
// [B,J,K], 1 where paired. Clusters without points take what is left.
//
// Pairs are made greedily, the most decided first: the one whose agreement exceeds the cluster's mean agreement over
// the components by most. The best of all K! pairings would need a sequential algorithm, which a graph cannot hold;
// where components and clusters go together at all, both give the same.
func matching(agreement *Node) *Node {
	g, dt := agreement.Graph(), agreement.DType()
	b, k := agreement.Shape().Dimensions[0], agreement.Shape().Dimensions[2]
	gain := Sub(agreement, ReduceAndKeep(agreement, ReduceMean, 2))
	low := BroadcastToShape(Scalar(g, dt, -1e30), gain.Shape())
	cells := Iota(g, shapes.Make(dtypes.Int32, 1, k*k), 1)
	pairs := ZerosLike(gain)
	for range k {
		best := ArgMax(Reshape(gain, b, k*k), 1, dtypes.Int32) // [B]
		pick := Reshape(ConvertDType(Equal(InsertAxes(best, 1), cells), dt), b, k, k)
		taken := Add(ReduceAndKeep(pick, ReduceSum, 1), ReduceAndKeep(pick, ReduceSum, 2)) // its row and column
		gain = Where(GreaterThan(taken, ScalarZero(g, dt)), low, gain)
		pairs = Add(pairs, pick)
	}
	return pairs
}
