package st

import (
	"math"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers/attention"
)

// minStd is what softplus is raised by: the least standard deviation of a component, in the units of the points.
const minStd = 1e-3

// jointLogs returns log p(x_n, k) = log π_k + log N(x_n; μ_k, diag σ_k²) [B,N,K] for points x [B,N,D] (for images,
// their embedding stands for x_n), of which mask [B,N] tells the valid ones. weights are in the layout's order.
func (m *Method) jointLogs(weights []*Node, x, mask *Node, drop *models.Dropout) *Node {
	w := attention.Take(weights)
	if m.images() {
		b, n := x.Shape().Dimensions[0], x.Shape().Dimensions[1]
		points := Reshape(x, b*n, m.net.Dim)
		x = Reshape(m.net.EncodePoints(points, w.Next(len(m.net.EncoderLayout(""))), drop), b, n, m.net.Embed)
	}
	isab := len(attention.ISABLayout("", m.sizes, 1))
	h := attention.ISAB(w.Next(isab), m.sizes, x, mask)
	h = attention.ISAB(w.Next(isab), m.sizes, h, mask)
	h = attention.PMA(w.Next(len(attention.PMALayout("", m.sizes, 1))), m.sizes, h, mask)
	sab := len(attention.SABLayout("", m.sizes, 1))
	h = attention.SAB(w.Next(sab), m.sizes, h, nil)
	h = attention.SAB(w.Next(sab), m.sizes, h, nil) // [B,K,W]
	last := w.Next(2)
	out := engine.Dense(Reshape(h, -1, m.sizes.Width), last[0], last[1])
	return logDensities(x, Reshape(out, -1, m.clusters, 1+2*m.features()))
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
	std := AddScalar(softplus(Slice(parameters, all, all, AxisRange(1+f, 1+2*f))), minStd)

	precision := Inverse(std)
	// x/σ − μ/σ would cancel; (x−μ)/σ does not.
	z := Mul(Sub(InsertAxes(x, 2), InsertAxes(mean, 1)), InsertAxes(precision, 1)) // [B,N,K,F]
	squares := engine.Dense(Reshape(Square(z), b*n*k, f), Ones(x.Graph(), shapes.Make(x.DType(), f, 1)), nil)
	logVolume := AddScalar(ReduceSum(Log(std), 2), float64(f)/2*math.Log(2*math.Pi)) // [B,K]
	logWeight := Sub(logits, InsertAxes(logSumExp(logits, 1), 1))
	return Add(MulScalar(Reshape(squares, b, n, k), -0.5), InsertAxes(Sub(logWeight, logVolume), 1))
}

// softplus is log(1 + exp x), to full relative precision, with the gradient 1/(1 + exp −x) everywhere.
func softplus(x *Node) *Node {
	zero := ZerosLike(x)
	positive := GreaterThan(x, zero)
	return Add(Where(positive, x, zero), Log1P(Exp(Where(positive, Neg(x), x))))
}

// logSumExp is log Σ exp(x) along an axis, computed around the largest value.
func logSumExp(x *Node, axis int) *Node {
	top := StopGradient(ReduceAndKeep(x, ReduceMax, axis))
	return Add(Log(ReduceSum(Exp(Sub(x, top)), axis)), Squeeze(top, axis))
}
