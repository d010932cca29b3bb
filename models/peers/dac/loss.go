package dac

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// Inputs returns the tensors of targets behind the points [B,N,D], padded to the buckets, and for images the random
// state of dropout [3] (uint64). rng draws which clusters are removed (Removal), the anchors and the state of dropout.
// A nil rng draws nothing, for evaluation: full sets, each set's first point as its anchor, no dropout.
func (m *Method) Inputs(rng *rand.Rand, batch *data.Batch, buckets models.Buckets) ([]*tensors.Tensor, error) {
	b, n, d := batch.B, buckets.Points(batch.N), batch.D
	labels, anchor := make([][]int32, b), make([]float32, b*n)
	for set := range labels {
		_, all := batch.Set(set)
		labels[set] = m.remove(rng, all)
		if m.anchored() {
			anchor[set*n+drawAnchor(rng, labels[set])] = 1
		}
	}
	in := []*tensors.Tensor{models.PadPoints(batch.X, b, batch.N, n, d)}
	in = append(in, models.PadLabels(labels, n, buckets)...)
	if m.peer.Likelihood {
		k := in[2].Size()
		means, variances := make([]float32, 0, b*k*d), make([]float32, 0, b*k*d)
		for set, l := range labels {
			x, _ := batch.Set(set)
			mean, variance := moments(x, l, k, d)
			means, variances = append(means, mean...), append(variances, variance...)
		}
		in = append(in, tensors.FromFlatDataAndDimensions(means, b, k, d),
			tensors.FromFlatDataAndDimensions(variances, b, k, d))
	}
	if m.anchored() {
		in = append(in, tensors.FromFlatDataAndDimensions(anchor, b, n))
	}
	if m.Images() && rng != nil {
		in = append(in, models.DropoutState(rng))
	}
	return in, nil
}

// remove returns labels [N] with −1 for the points of removed clusters. At least one cluster stays.
func (m *Method) remove(rng *rand.Rand, labels []int32) []int32 {
	if rng == nil || rng.Float64() >= m.Removal {
		return labels
	}
	k := int(slices.Max(labels)) + 1
	isRemoved := make([]bool, k)
	for _, j := range rng.Perm(k)[:rng.IntN(k)] {
		isRemoved[j] = true
	}
	labels = slices.Clone(labels)
	for i, j := range labels {
		if isRemoved[j] {
			labels[i] = -1
		}
	}
	return labels
}

// drawAnchor returns the index of a point that is there, each with the same probability; the first one without rng.
func drawAnchor(rng *rand.Rand, labels []int32) int {
	var there []int
	for i, j := range labels {
		if j >= 0 {
			there = append(there, i)
		}
	}
	if rng == nil {
		return there[0]
	}
	return there[rng.IntN(len(there))]
}

// moments returns mean and variance [K,D] of the points x [N,D] of each cluster, 0 for clusters without points.
func moments(x []float32, labels []int32, k, d int) (mean, variance []float32) {
	columns := make([][]float64, k*d) // the values of each cluster's coordinates
	for i, j := range labels {
		for c, value := range x[i*d : (i+1)*d] {
			if cell := int(j)*d + c; j >= 0 {
				columns[cell] = append(columns[cell], float64(value))
			}
		}
	}
	mean, variance = make([]float32, k*d), make([]float32, k*d)
	for cell, values := range columns {
		if len(values) > 0 {
			m, v := stat.PopMeanVariance(values, nil)
			mean[cell], variance[cell] = float32(m), float32(v)
		}
	}
	return mean, variance
}

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
	x = next()
	labels, slots := InsertAxes(next(), 2), next()
	t.members = ConvertDType(Equal(labels, Reshape(slots, 1, 1, -1)), x.DType())
	t.valid = Squeeze(GreaterOrEqual(labels, ScalarZero(labels.Graph(), labels.DType())), 2)
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
	target = Reshape(target, logits.Shape().Dimensions...)
	entropy := Sub(peers.SoftPlus(logits), Mul(logits, target)) // [B,N]
	loss := Div(ReduceSum(Where(t.valid, entropy, ZerosLike(entropy)), 1), t.count(entropy))
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

// negativeLogDensity returns the mean of −log p(x_i|θ) over each cluster's points [B,K], from θ [B,2D] (means, then
// standard deviations before softplus) and the mean and variance of the points [B,K,D]:
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
