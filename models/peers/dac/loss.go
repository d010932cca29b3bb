package dac

import (
	"fmt"
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
	clusters, err := m.countClusters(batch)
	if err != nil {
		return nil, fmt.Errorf("DAC's inputs: %w", err)
	}
	a := &arrays{b: batch.B, n: buckets.Points(batch.N), k: buckets.Slots(clusters), d: batch.D}
	a.x, a.valid, a.members = make([]float32, a.b*a.n*a.d), make([]bool, a.b*a.n), make([]float32, a.b*a.n*a.k)
	a.mean, a.variance, a.anchor = make([]float32, a.b*a.k*a.d), make([]float32, a.b*a.k*a.d), make([]float32, a.b*a.n)
	for set := range batch.B {
		x, labels := batch.Set(set)
		labels = m.remove(rng, labels)
		a.fill(set, x, labels)
		if m.peer.Likelihood {
			a.moments(set, x, labels)
		}
		if m.anchored() {
			a.anchor[set*a.n+drawAnchor(rng, labels)] = 1
		}
	}
	in := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(a.x, a.b, a.n, a.d),
		tensors.FromFlatDataAndDimensions(a.valid, a.b, a.n),
		tensors.FromFlatDataAndDimensions(a.members, a.b, a.n, a.k),
	}
	if m.peer.Likelihood {
		in = append(in,
			tensors.FromFlatDataAndDimensions(a.mean, a.b, a.k, a.d),
			tensors.FromFlatDataAndDimensions(a.variance, a.b, a.k, a.d))
	}
	if m.anchored() {
		in = append(in, tensors.FromFlatDataAndDimensions(a.anchor, a.b, a.n))
	}
	if m.Images() && rng != nil {
		in = append(in, models.DropoutState(rng))
	}
	return in, nil
}

// countClusters checks a batch's sizes and returns the largest number of clusters of its sets.
func (m *Method) countClusters(batch *data.Batch) (int, error) {
	b, n, d := batch.B, batch.N, batch.D
	if b < 1 || n < 1 || d != m.Net.Dim || len(batch.X) != b*n*d || len(batch.Labels) != b*n {
		return 0, fmt.Errorf("%d values and %d labels are not %d sets of %d points of %d coordinates",
			len(batch.X), len(batch.Labels), b, n, m.Net.Dim)
	}
	low, high := slices.Min(batch.Labels), slices.Max(batch.Labels)
	if low < 0 || int(high) >= n {
		return 0, fmt.Errorf("labels lie in %d..%d, but those of %d points must lie in 0..%d", low, high, n, n-1)
	}
	return int(high) + 1, nil
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

// arrays are the inputs of a batch on the host, row-major; b, n, k, d are the padded sizes.
type arrays struct {
	b, n, k, d     int
	x              []float32 // [B,N,D]
	valid          []bool    // [B,N]
	members        []float32 // [B,N,K]
	mean, variance []float32 // [B,K,D]
	anchor         []float32 // [B,N]
}

func (a *arrays) fill(set int, x []float32, labels []int32) {
	copy(a.x[set*a.n*a.d:], x)
	for i, j := range labels {
		if j >= 0 {
			a.valid[set*a.n+i] = true
			a.members[(set*a.n+i)*a.k+int(j)] = 1
		}
	}
}

// moments enters mean and variance of the points of each cluster of a set, 0 for clusters without points.
func (a *arrays) moments(set int, x []float32, labels []int32) {
	columns := make([][]float64, a.k*a.d) // the values of each cluster's coordinates
	for i, j := range labels {
		for c, value := range x[i*a.d : (i+1)*a.d] {
			if cell := int(j)*a.d + c; j >= 0 {
				columns[cell] = append(columns[cell], float64(value))
			}
		}
	}
	for cell, values := range columns {
		if len(values) > 0 {
			mean, variance := stat.PopMeanVariance(values, nil)
			a.mean[set*a.k*a.d+cell], a.variance[set*a.k*a.d+cell] = float32(mean), float32(variance)
		}
	}
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
