package dac

import (
	"math"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// minStd is the smallest standard deviation of a cluster's Gaussian, in the units of the points: it bounds the density.
const minStd = 1e-3

// targets are the true clusters of a batch, without removed ones.
type targets struct {
	valid    *Node // [B,N] bool: the points that are there
	members  *Node // [B,N,K] 1 where point i is in cluster j, else 0
	mean     *Node // [B,K,D] of each cluster's points; nil without a likelihood
	variance *Node // [B,K,D] of each cluster's points (divided by their number); nil without a likelihood
	anchor   *Node // [B,N] 1 at the anchor; nil for min-filtering
}

// Loss builds the objective of the package comment, times share and summed over the sets. in are the nodes of Inputs'
// tensors.
func (m *Method) Loss(weights []*Node, share *Node, in []*Node) *Node {
	x, t, drop := m.unpack(in)
	points := m.Encode(peers.Weights{Layout: m.Layout(), Nodes: weights}, x, drop)
	logits, theta := m.filter(weights, points, t.valid, t.anchor)
	return Mul(share, ReduceAllSum(t.setLosses(logits, theta)))
}

// unpack names the nodes of Inputs' tensors.
func (m *Method) unpack(in []*Node) (x *Node, t targets, drop *models.Dropout) {
	next := func() *Node {
		node := in[0]
		in = in[1:]
		return node
	}
	x, t.valid, t.members = next(), next(), next()
	if m.peer.Likelihood {
		t.mean, t.variance = next(), next()
	}
	if m.anchored() {
		t.anchor = next()
	}
	if len(in) > 0 {
		drop = &models.Dropout{State: next()}
	}
	return x, t, drop
}

// setLosses returns each set's loss [B] from logits [B,N] and θ [B,2D] (nil: no likelihood); without points it is 0.
func (t targets) setLosses(logits, theta *Node) *Node {
	var densities *Node // [B,K] mean −log p of each cluster's points
	if theta != nil {
		densities = negativeLogDensity(theta, t.mean, t.variance)
	}
	chosen := t.chosen(logits, densities)                                                          // [B,K]
	target := DotGeneral(t.members, []int{2}, []int{0}, InsertAxes(chosen, 2), []int{1}, []int{0}) // [B,N,1]
	loss := t.meanOverPoints(crossEntropy(logits, Reshape(target, logits.Shape().Dimensions...)))  // [B]
	if densities != nil {
		loss = Add(loss, ReduceSum(Mul(chosen, densities), 1))
	}
	return loss
}

// chosen returns [B,K], 1 at the cluster whose loss counts: the anchor's, or else the cheapest one. No gradient passes.
func (t targets) chosen(logits, densities *Node) *Node {
	if t.anchor != nil {
		return t.sumOverMembers(t.anchor)
	}
	// Σ_i BCE(l_i, 1[y_i=j]) = Σ_i peers.SoftPlus(l_i) − Σ_{i∈j} l_i, and the first sum is the same for all j.
	logits = StopGradient(logits)
	costs := Neg(Div(t.sumOverMembers(logits), InsertAxes(t.count(logits), 1)))
	if densities != nil {
		costs = Add(costs, StopGradient(densities))
	}
	none := BroadcastToShape(Scalar(costs.Graph(), costs.DType(), math.MaxFloat32), costs.Shape())
	sizes := t.sumOverMembers(OnesLike(logits))
	isThere := GreaterThan(sizes, ZerosLike(sizes))
	costs = Where(isThere, costs, none)
	best := InsertAxes(ArgMin(costs, 1), 1) // the first of equals
	slots := Iota(costs.Graph(), shapes.Make(best.DType(), 1, costs.Shape().Dimensions[1]), 1)
	return ConvertDType(LogicalAnd(isThere, Equal(best, slots)), costs.DType())
}

// sumOverMembers returns Σ_{i∈j} of values [B,N] for each cluster j: [B,K].
func (t targets) sumOverMembers(values *Node) *Node {
	sums := DotGeneral(InsertAxes(values, 1), []int{2}, []int{0}, t.members, []int{1}, []int{0}) // [B,1,K]
	return Squeeze(sums, 1)
}

// count returns the number of points of each set [B], at least 1, in the type of like.
func (t targets) count(like *Node) *Node {
	count := ReduceSum(ConvertDType(t.valid, like.DType()), 1)
	return Max(count, OnesLike(count))
}

// meanOverPoints returns the mean of values [B,N] over the valid points of each set [B].
func (t targets) meanOverPoints(values *Node) *Node {
	sum := ReduceSum(Where(t.valid, values, ZerosLike(values)), 1)
	return Div(sum, t.count(values))
}

// crossEntropy is −log of the probability that a logit gives to a target in {0, 1}, element by element and stable:
// max(l,0) − l·t + log1p(exp(−|l|)). No gradient passes to targets.
func crossEntropy(logits, targets *Node) *Node {
	return Sub(peers.SoftPlus(logits), Mul(logits, targets))
}

// negativeLogDensity returns the mean of −log p(x_i|θ) over each cluster's points [B,K], from θ [B,2D] (means, then
// what softplus turns into standard deviations) and the mean and variance of the points [B,K,D], which are all that it
// depends on:
//
//	½ Σ_d [ (v_jd + (m_jd − μ_d)²)/σ_d² + 2 log σ_d + log 2π ]
func negativeLogDensity(theta, mean, variance *Node) *Node {
	b, d := mean.Shape().Dimensions[0], mean.Shape().Dimensions[2]
	theta = Reshape(theta, b, 1, 2*d)
	center := Slice(theta, AxisRange(), AxisRange(), AxisRange(0, d))
	std := AddScalar(peers.SoftPlus(Slice(theta, AxisRange(), AxisRange(), AxisRange(d, 2*d))), minStd)
	spread := Add(variance, Square(Sub(mean, center)))
	squares := ReduceSum(Mul(spread, Inverse(Square(std))), 2) // [B,K]
	volume := ReduceSum(AddScalar(MulScalar(Log(std), 2), math.Log(2*math.Pi)), 2)
	return MulScalar(Add(squares, volume), 0.5)
}
