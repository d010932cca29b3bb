package st

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

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
