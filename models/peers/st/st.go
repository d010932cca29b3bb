// Package st is the Set Transformer as a clustering network with a fixed number of clusters K (Lee et al. 2019, section
// 5.3 "amortized clustering with mixtures of Gaussians"): from a set of points it computes the parameters of a mixture
// of K Gaussians with diagonal covariance, in one pass.
//
//	encoder   ISAB, ISAB
//	decoder   PMA with K seeds, SAB, SAB, a linear layer to each component's weight (a logit), mean [F] and standard
//	          deviation [F]: softplus + 10⁻³, so that no component becomes a point
//	labels    the component of the highest responsibility r_nk = p(k|x_n), renumbered by first appearance
//
// Vectors. The mixture is over the points themselves (F = D), and the loss is the mixture's negative log-likelihood, a
// mean over the points. Labels are not used.
//
// Images. GFNCP's paper gives ST "a data encoder (similar to the one used in our architecture)" and says no more. Here
// the mixture is over the encoder's embedding e(x) (F = Embed), standardized within the set. The likelihood of an
// embedding that is trained with it grows without bound as e(x) shrinks to a point. So the same responsibilities are
// trained on the data's labels, as every other method of the comparison is: the loss is the mean over the points of
// −log r_nk, with k the component matched to the point's cluster (see matching). It does not change when e(x) and the
// mixture are scaled, and is at least 0.
//
// Axis letters: B sets, N points, D coordinates, F coordinates of the mixture, K components.
package st

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/models/peers/attention"
)

// Peer describes ST as published, for sets of 6 clusters (GFNCP's paper).
var Peer = peers.Peer{
	Name: "st", New: func(net models.Config, c peers.Config) peers.Method { return New(net, c) },
	Steps: 50_000, LearningRate: 1e-3, Halves: true, SmallSteps: 6000, FixedK: 6,
}

// Method is ST for one kind of points. It satisfies peers.Method.
type Method struct {
	peers.Points
	sizes    attention.Sizes
	clusters int // K
}

var _ peers.Method = (*Method)(nil)

// New returns ST for the points of net (Encoder, Dim, and for images Embed are read) and of the sizes in p (Width,
// Heads, Inducing, Clusters). Both must be valid.
func New(net models.Config, p peers.Config) *Method {
	return &Method{
		Points:   peers.Points{Net: net},
		sizes:    attention.Sizes{Width: p.Width, Heads: p.Heads, Inducing: p.Inducing},
		clusters: p.Clusters,
	}
}

// Layout lists the weights: for images of the encoder ("encoder.…"), then of the blocks ("isab.0.…", "isab.1.…",
// "pma.…", "sab.0.…", "sab.1.…") and of the last layer ("mixture.0.…").
func (m *Method) Layout() models.Params {
	return slices.Concat(m.EncoderLayout(),
		attention.ISABLayout("isab.0", m.sizes, m.Features()),
		attention.ISABLayout("isab.1", m.sizes, m.sizes.Width),
		attention.PMALayout("pma", m.sizes, m.clusters),
		attention.MABLayout("sab.0", m.sizes, m.sizes.Width, m.sizes.Width),
		attention.MABLayout("sab.1", m.sizes, m.sizes.Width, m.sizes.Width),
		models.MLPLayout("mixture", m.sizes.Width, 1+2*m.Features()))
}

// Inputs returns the points [B,N,D] and the mask of the valid ones [B,N] (bool), N rounded up by the buckets; for
// images also the labels [B,N], −1 where padded, and, unless rng is nil, the random state of dropout [3] (uint64). For
// images it returns a usererr.Error where a set has more clusters than ST has components.
func (m *Method) Inputs(rng *rand.Rand, batch *data.Batch, buckets models.Buckets) ([]*tensors.Tensor, error) {
	n := buckets.Points(batch.N)
	in := padded(batch.X, batch.B, batch.N, batch.D, n)
	if !m.Images() {
		return in, nil
	}
	labels := slices.Repeat([]int32{-1}, batch.B*n)
	for set := range batch.B {
		from := batch.Labels[set*batch.N : (set+1)*batch.N]
		if k := int(slices.Max(from)) + 1; k > m.clusters {
			return nil, usererr.New("train ST on a fixed number of clusters, and set peer.clusters to it",
				"a set has %d clusters, but ST has %d components", k, m.clusters)
		}
		copy(labels[set*n:], from)
	}
	in = append(in, tensors.FromFlatDataAndDimensions(labels, batch.B, n))
	if rng != nil {
		in = append(in, models.DropoutState(rng))
	}
	return in, nil
}

// padded returns points x [B,count,D] as a tensor [B,N,D], zero where padded, and the mask [B,N] of the valid ones.
func padded(x []float32, b, count, d, n int) []*tensors.Tensor {
	valid := make([]bool, n)
	for i := range count {
		valid[i] = true
	}
	mask := tensors.FromFlatDataAndDimensions(slices.Repeat(valid, b), b, n)
	return []*tensors.Tensor{models.PadPoints(x, b, count, n, d), mask}
}

// Loss is the mean over a set's points of −log p(x_n) for vectors, and of −log r_nk for images (see the package
// comment), times share and summed over the sets. in are the nodes of Inputs' tensors.
func (m *Method) Loss(weights []*Node, share *Node, in []*Node) *Node {
	x, mask := in[0], in[1]
	if !m.Images() {
		return negativeLogLikelihood(m.jointLogs(weights, x, mask, nil), mask, share)
	}
	var drop *models.Dropout
	if len(in) > 3 {
		drop = &models.Dropout{State: in[3]}
	}
	return matchedCrossEntropy(m.jointLogs(weights, x, mask, drop), in[2], mask, share)
}

type clusterer struct {
	*peers.Opened
	assign peers.Func // points, mask → the component of each point
}

// Open puts weights on a backend for clustering. Weights that are not of this layout are an error.
func (m *Method) Open(backend compute.Backend, weights models.Params) (peers.Clusterer, error) {
	o, err := peers.OpenWeights("ST", backend, m.Layout(), weights, m.Net.Dim)
	if err != nil {
		return nil, err
	}
	assign := o.Func("assignment", func(w, in []*Node) []*Node {
		return []*Node{ConvertDType(ArgMax(m.jointLogs(w, in[0], in[1], nil), 2, dtypes.Int32), dtypes.Float32)}
	})
	return &clusterer{o, assign}, nil
}

// Cluster returns each point's component of the highest responsibility, as canonical labels [B][N]: at most K clusters.
// Nothing is random: rng is not read.
func (c *clusterer) Cluster(_ *rand.Rand, x []float32, b, n int) ([][]int32, error) {
	size := c.Buckets.Points(n)
	out, err := c.assign(padded(x, b, n, c.Dim, size)...)
	if err != nil {
		return nil, err
	}
	labels := make([][]int32, b)
	for set := range labels {
		components := make([]int32, n)
		for i := range components {
			components[i] = int32(out[0][set*size+i])
		}
		labels[set], _ = metrics.Canonical(components)
	}
	return labels, nil
}

// minStd is added to softplus. It is the least standard deviation of a component, in the units of the points.
const minStd = 1e-3

// jointLogs returns log p(x_n, k) = log π_k + log N(x_n; μ_k, diag σ_k²) [B,N,K] for points x [B,N,D] (for images,
// their embedding stands for x_n). mask [B,N] marks the valid points. weights are in the layout's order.
func (m *Method) jointLogs(weights []*Node, x, mask *Node, drop *models.Dropout) *Node {
	w := peers.Weights{Layout: m.Layout(), Nodes: weights}
	x = m.Encode(w, x, drop)
	if m.Images() {
		x = peers.Standardized(x, mask)
	}
	h := attention.ISAB(w.Of("isab.0"), m.sizes, x, mask)
	h = attention.ISAB(w.Of("isab.1"), m.sizes, h, mask)
	h = attention.PMA(w.Of("pma"), m.sizes, h, mask)
	h = attention.MAB(w.Of("sab.0"), m.sizes, h, h)
	h = attention.MAB(w.Of("sab.1"), m.sizes, h, h) // [B,K,W]
	out := models.MLP(Reshape(h, -1, m.sizes.Width), w.Of("mixture"))
	return logDensities(x, Reshape(out, -1, m.clusters, 1+2*m.Features()))
}

// logDensities returns log p(x_n, k) [B,N,K] of points x [B,N,F] from the components' parameters [B,K,1+2F]: the logit
// of π_k, then μ_k, then σ_k before softplus.
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
	logWeight := Sub(logits, InsertAxes(peers.LogSumExp(logits, 1), 1))
	return Add(MulScalar(Reshape(squares, b, n, k), -0.5), InsertAxes(Sub(logWeight, logVolume), 1))
}

// negativeLogLikelihood is Σ over the sets of share × the mean over their points of −log Σ_k p(x_n, k), from joint logs
// [B,N,K]. mask [B,N] tells the valid points.
func negativeLogLikelihood(joint, mask, share *Node) *Node {
	logs := peers.LogSumExp(joint, 2)
	perSet := ReduceSum(Where(mask, logs, ZerosLike(logs)), 1)
	return Neg(Mul(share, ReduceAllSum(Div(perSet, validCount(mask, logs)))))
}

// matchedCrossEntropy is Σ over the sets of share × the mean over their points of −log r_nk, where k is the component
// matched to the point's label, from joint logs [B,N,K] and labels [B,N] in 0..K−1, −1 where padded.
func matchedCrossEntropy(joint, labels, mask, share *Node) *Node {
	k := joint.Shape().Dimensions[2]
	logs := Sub(joint, InsertAxes(peers.LogSumExp(joint, 2), 2)) // log r
	names := Iota(joint.Graph(), shapes.Make(labels.DType(), 1, 1, k), 2)
	of := ConvertDType(Equal(InsertAxes(labels, 2), names), joint.DType())       // [B,N,J]: 1 at the point's cluster
	agreement := DotGeneral(of, []int{1}, []int{0}, logs, []int{1}, []int{0})    // [B,J,K]
	perSet := ReduceSum(Mul(agreement, matching(StopGradient(agreement))), 1, 2) // [B]
	return Neg(Mul(share, ReduceAllSum(Div(perSet, validCount(mask, perSet)))))
}

// validCount is the number of valid points of each set [B], in the type of like.
func validCount(mask, like *Node) *Node { return ReduceSum(ConvertDType(mask, like.DType()), 1) }

// matching pairs each cluster j with one component k, from their agreement Σ_{n∈j} log r_nk [B,J,K], J = K: it returns
// [B,J,K], 1 where paired. Clusters without points take the remaining components.
//
// Pairs are made greedily, the most decided first: the one whose agreement exceeds the cluster's mean agreement over
// the components by most. A graph cannot hold a search for the best of all K! pairings.
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
