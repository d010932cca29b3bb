package models

import (
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
)

// With Config.MeanShift a point is seen among the others of its set: beside its coordinates it brings where it comes
// to rest when it moves uphill in the density of the set, and how many points are there (mean shift: Fukunaga and
// Hostetler 1975, Cheng 1995; in other words, attention with a Gaussian kernel). For each bandwidth s
//
//	m⁰ = x,   mᵗ⁺¹ = Σ_j w_j·x_j / Σ_j w_j,   w_j = exp(−|mᵗ − x_j|²/2s²),   cᵗ = Σ_j w_j
//
// it sees m³ and the logarithms of the variances there [D each], log c² and 1/c² at the place of rest, and log c⁰ where
// it stands. 1/c² summed over points that are not assigned tells how many clusters are ahead. All of it depends on the
// points alone, never on labels, and has no weights and no gradient.
//
// On top comes what a network v makes of the points that rest in the same place, at one of the bandwidths:
//
//	p_i = Σ_j a_ij·v(x_j − m_j, what j sees) / Σ_j a_ij,   a_ij = exp(−2·|m_i − m_j|²/s²)
var shiftBandwidths = [...]float64{4, 2, 1} // in units of a cluster's width; each half the one before

const (
	shifts    = 3 // steps uphill
	pooledAt  = 1 // the index of the bandwidth whose places of rest are pooled
	ownWeight = 1e-6
	// placeScale brings coordinates to the order of 1 where h and u read them; places of rest they read relative to the
	// point.
	placeScale = 0.1
	// countViews is the number of counts at each bandwidth: log c⁰, log c², 1/c².
	countViews = 3
	// leastCount and leastVariance bound c and the variances from below.
	leastCount    = 0.5
	leastVariance = 0.05
	// mostSurroundings is the number of points of a set that a point looks at; of larger sets it is a sample, so that
	// the work is linear in N.
	mostSurroundings = 1024
)

// views is the number of columns that Config.MeanShift adds to a point's coordinates.
func (c Config) views() int {
	if !c.MeanShift {
		return 0
	}
	return len(shiftBandwidths) * (2*c.Dim + countViews)
}

// seen is the number of columns of a point that the moments read.
func (c Config) seen() int { return c.Dim + c.views() }

// pooled is the number of columns that v adds to those that h and u read.
func (c Config) pooled() int {
	if !c.looks() {
		return 0
	}
	return c.Hidden
}

// shares is the number of columns 1/c among those of views: the last ones.
func (c Config) shares() int {
	if !c.MeanShift {
		return 0
	}
	return len(shiftBandwidths)
}

// pooledInputs is the number of columns that v reads: the way from the place of rest, and the views but those places.
func (c Config) pooledInputs() int { return c.Dim + c.views() - len(shiftBandwidths)*c.Dim }

// shiftLayout lists the weights of v.
func (c Config) shiftLayout() Params {
	if !c.MeanShift {
		return nil
	}
	return MLPLayout("v", c.pooledInputs(), c.Hidden, c.Hidden, c.Hidden)
}

// surroundings are the points [B,M,seen], with what they see, that others look at. valid [B,1,M] is 1 for real ones;
// each stands for scale points, nil: for one.
type surroundings struct{ points, valid, scale *Node }

// look are points x [B,N,D] with what they see of others [B,M,D]: [B,N,seen].
func look(x, others, valid, scale *Node) *Node {
	v := surroundings{points: StopGradient(others), valid: valid, scale: scale}
	x = StopGradient(x)
	weights := v.weights(x, shiftBandwidths[0])
	var rest, variances, here, there, shares []*Node
	for i, bandwidth := range shiftBandwidths {
		if i > 0 {
			weights = Square(Square(weights)) // exp(−d²/2s²) of half the bandwidth is the fourth power
		}
		count, mean, _ := v.step(x, weights)
		here = append(here, Log(count))
		var variance *Node
		for range shifts - 1 {
			count, mean, variance = v.step(mean, v.weights(mean, bandwidth))
		}
		rest, variances = append(rest, mean), append(variances, Log(AddScalar(variance, leastVariance)))
		there, shares = append(there, Log(count)), append(shares, Reciprocal(count))
	}
	return StopGradient(Concatenate(slices.Concat([]*Node{x}, rest, variances, here, there, shares), 2))
}

// weights are those of the others at the places m [B,N,D]: [B,N,M].
func (v surroundings) weights(m *Node, bandwidth float64) *Node {
	return Mul(gaussian(m, v.points, bandwidth), v.valid)
}

// gaussian is exp(−|a − b|²/2s²) of a [B,N,D] and b [B,M,D]: [B,N,M].
func gaussian(a, b *Node, bandwidth float64) *Node {
	square := func(x *Node) *Node { return MulScalar(ReduceSum(Square(x), 2), 0.5) }
	sets, n, m := a.Shape().Dimensions[0], a.Shape().Dimensions[1], b.Shape().Dimensions[1]
	near := Sub(engine.TimesTransposed(a, b), Reshape(square(b), sets, 1, m))
	near = Sub(near, Reshape(square(a), sets, n, 1)) // −d²/2
	near = Min(near, ScalarZero(a.Graph(), a.DType()))
	return Exp(MulScalar(near, 1/(bandwidth*bandwidth)))
}

// step is one step uphill: the number of points at m, the next place, and the variances there.
func (v surroundings) step(m, weights *Node) (count, mean, variance *Node) {
	sum := InsertAxes(ReduceSum(weights, 2), -1)
	average := func(of, own *Node) *Node {
		return Div(Add(engine.Times(weights, of), MulScalar(own, ownWeight)), AddScalar(sum, ownWeight))
	}
	mean = average(v.points, m)
	variance = Sub(average(Square(v.points), Square(m)), Square(mean))
	if v.scale != nil {
		sum = Mul(sum, v.scale)
	}
	return Max(sum, Scalar(sum.Graph(), sum.DType(), leastCount)), mean,
		Max(variance, ScalarZero(sum.Graph(), sum.DType()))
}

// pool is what v makes of the surroundings' points that rest where points seen [B,N,seen] do: [B,N,H].
func (f Folded) pool(seen *Node, v surroundings) *Node {
	c, s := f.config, shiftBandwidths[pooledAt]
	from := c.Dim * (1 + pooledAt)
	part := func(x *Node, from, to int) *Node { return Slice(x, AxisRange(), AxisRange(), AxisRange(from, to)) }
	rest := func(x *Node) *Node { return part(x, from, from+c.Dim) }
	others := v.points
	in := Concatenate([]*Node{
		Sub(part(others, 0, c.Dim), rest(others)), part(others, c.Dim*(1+len(shiftBandwidths)), c.seen()),
	}, 2)
	near := StopGradient(Mul(gaussian(rest(seen), rest(others), s/2), v.valid))
	total := AddScalar(InsertAxes(ReduceSum(near, 2), -1), ownWeight)
	dims := in.Shape().Dimensions
	made := Reshape(mlp(flat(in), f.extra[blobNet]), dims[0], dims[1], -1)
	return Div(engine.Times(near, made), total)
}

// EncodeSets embeds the points of sets x [B,N,Inputs], of which valid [B,N] (bool) are real: see Encode.
func (f Folded) EncodeSets(x, valid *Node, drop *Dropout) (h, u *Node) {
	if !f.config.looks() {
		return f.Encode(flat(x), drop)
	}
	points, more := f.columns(x)
	real := ConvertDType(InsertAxes(valid, 1), x.DType())
	if f.config.Attention > 0 {
		return f.encodeAttended(points, f.attend(points, points, real, nil), more)
	}
	seen := look(points, points, real, nil)
	return f.encodeSeen(seen, f.pool(seen, surroundings{points: seen, valid: real}), more)
}

// encodeAmong embeds some points x [B,N,Inputs] of sets that are seen as others [B,M,D], of which valid [B,M] (bool)
// are real, and each stands for scale points.
func (f Folded) encodeAmong(x, others, valid, scale *Node) (h, u *Node) {
	points, more := f.columns(x)
	real := ConvertDType(InsertAxes(valid, 1), x.DType())
	if f.config.Attention > 0 {
		return f.encodeAttended(points, f.attend(points, others, real, scale), more)
	}
	around := surroundings{points: look(others, others, real, scale), valid: real}
	seen := look(points, others, real, scale)
	return f.encodeSeen(seen, f.pool(seen, around), more)
}

// columns are the coordinates of x [B,N,Inputs], and what else is known of the points; nil if that is nothing, for
// XLA's builder refuses a part of no columns.
func (f Folded) columns(x *Node) (points, more *Node) {
	d := f.config.Dim
	if f.config.Inputs() == d {
		return x, nil
	}
	return Slice(x, AxisRange(), AxisRange(), AxisRange(0, d)), Slice(x, AxisRange(), AxisRange(), AxisRange(d))
}

// encodeSeen embeds points seen [B,N,seen] that bring p [B,N,H] and more [B,N,·].
func (f Folded) encodeSeen(seen, p, more *Node) (h, u *Node) {
	d, rests := f.config.Dim, (1+len(shiftBandwidths))*f.config.Dim
	place := flat(Slice(seen, AxisRange(), AxisRange(), AxisRange(0, d)))
	inputs := []*Node{MulScalar(place, placeScale)} // all of the order of 1
	for at := d; at < rests; at += d {
		inputs = append(inputs, Sub(column(flat(seen), at, at+d), place))
	}
	in := Concatenate(append(inputs, column(flat(seen), rests, f.config.seen()), flat(p)), 1)
	channelsIn := flat(seen)
	if f.config.Alpha {
		more = flat(more)
		channelsIn = Concatenate([]*Node{channelsIn, more}, 1)
	}
	h, u = mlp(in, f.h), mlp(in, f.u)
	ofH, ofU := pointChannels(f.config, channelsIn, f.density(in, more))
	return Concatenate([]*Node{h, ofH}, 1), Concatenate([]*Node{u, ofU}, 1)
}

// sampleOf picks the points of a set x [N,D] that its points look at: all, or a sample of one in each of
// mostSurroundings stretches of equal length, and the number of points that each stands for.
func sampleOf(x []float32, dim int) (others []float32, scale float32) {
	n := len(x) / dim
	if n <= mostSurroundings {
		return x, 1
	}
	others = make([]float32, 0, mostSurroundings*dim)
	for i := range mostSurroundings {
		at := sampled(i, n)
		others = append(others, x[at*dim:(at+1)*dim]...)
	}
	return others, float32(n) / mostSurroundings
}

// sampled is the place of the i-th sampled point of n: at the golden ratio's multiples within the stretches, so that no
// period of the rows is met.
func sampled(i, n int) int {
	_, within := math.Modf(float64(i+1) * (math.Sqrt(5) - 1) / 2)
	return min(int((float64(i)+within)*float64(n)/mostSurroundings), n-1)
}
