package models

import (
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
)

// In an extended network that is not online a point sees the others of its set. Its inputs are its coordinates, the
// mode that it reaches when it moves uphill in the density of the set, and the number of points there (mean shift:
// Fukunaga and Hostetler 1975, Cheng 1995; that is attention with a Gaussian kernel). For each bandwidth s
//
//	m⁰ = x,   mᵗ⁺¹ = Σ_j w_j·x_j / Σ_j w_j,   w_j = exp(−|mᵗ − x_j|²/2s²),   cᵗ = Σ_j w_j
//
// it sees m³, the logarithms of the variances around m² [D each], log c², 1/c², and log c⁰ at the point itself. The sum
// of 1/c² over the unassigned points tells how many clusters are ahead. All of it depends only on the points, never on
// labels, and has neither weights nor a gradient.
//
// In addition, a network v averages over the points that share the mode, at one of the bandwidths:
//
//	p_i = Σ_j a_ij·v(x_j − m_j, what j sees) / Σ_j a_ij,   a_ij = exp(−2·|m_i − m_j|²/s²)
var shiftBandwidths = [...]float64{4, 2, 1} // in units of a cluster's width; each half the one before

const (
	shifts    = 3 // steps uphill
	pooledAt  = 1 // the index of the bandwidth whose places of rest are pooled
	ownWeight = 1e-6
	// placeScale brings coordinates to the order of 1 where h and u read them. They read modes relative to the point.
	placeScale = 0.1
	// countViews is the number of counts at each bandwidth: log c⁰, log c², 1/c².
	countViews = 3
	// leastCount and leastVariance bound c and the variances from below.
	leastCount    = 0.5
	leastVariance = 0.05
	// mostNeighbours is the number of points of a set that a point looks at. In larger sets it looks at a sample, so
	// that the work is linear in N.
	mostNeighbours = 1024
)

// meanShiftColumns is the number of columns that mean shift adds to a point's coordinates.
func (c Config) meanShiftColumns() int {
	return when(c.seesSets(), len(shiftBandwidths)*(2*c.Dim+countViews))
}

// pointColumns is the number of columns of a point that the moments read.
func (c Config) pointColumns() int { return c.Dim + c.meanShiftColumns() }

// contextColumns is the number of columns that v adds to the inputs of h and u.
func (c Config) contextColumns() int { return when(c.seesSets(), c.Hidden) }

// countColumns is the number of columns 1/c, the last ones of meanShiftColumns.
func (c Config) countColumns() int { return when(c.seesSets(), len(shiftBandwidths)) }

// contextInputs is the number of columns that v reads: the way from the mode, and the views without the modes.
func (c Config) contextInputs() int { return c.Dim + c.meanShiftColumns() - len(shiftBandwidths)*c.Dim }

// neighbourhood are the points [B,M,pointColumns] that others look at. valid [B,1,M] is 1 for real ones. Each stands
// for scale points, or for one if scale is nil.
type neighbourhood struct{ points, valid, scale *Node }

// meanShiftViews returns points x [B,N,D] with their views of others [B,M,D]: [B,N,pointColumns].
func meanShiftViews(x, others, valid, scale *Node) *Node {
	v := neighbourhood{points: StopGradient(others), valid: valid, scale: scale}
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

// weights returns the weights [B,N,M] of the points for the places m [B,N,D].
func (v neighbourhood) weights(m *Node, bandwidth float64) *Node {
	return Mul(gaussian(m, v.points, bandwidth), v.valid)
}

// gaussian returns exp(−|a − b|²/2s²) [B,N,M] for a [B,N,D] and b [B,M,D].
func gaussian(a, b *Node, bandwidth float64) *Node {
	square := func(x *Node) *Node { return MulScalar(ReduceSum(Square(x), 2), 0.5) }
	sets, n, m := a.Shape().Dimensions[0], a.Shape().Dimensions[1], b.Shape().Dimensions[1]
	near := Sub(engine.TimesTransposed(a, b), Reshape(square(b), sets, 1, m))
	near = Sub(near, Reshape(square(a), sets, n, 1)) // −d²/2
	near = Min(near, ScalarZero(a.Graph(), a.DType()))
	return Exp(MulScalar(near, 1/(bandwidth*bandwidth)))
}

// step takes one step uphill. It returns the number of points at m, the next place, and the variances there.
func (v neighbourhood) step(m, weights *Node) (count, mean, variance *Node) {
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

// pool returns v averaged over the neighbourhood's points that share the mode of points seen [B,N,pointColumns]:
// [B,N,H].
func (f Folded) pool(seen *Node, v neighbourhood) *Node {
	c, s := f.config, shiftBandwidths[pooledAt]
	from := c.Dim * (1 + pooledAt)
	rest := func(x *Node) *Node { return column(x, from, from+c.Dim) }
	others := v.points
	in := Concatenate([]*Node{
		Sub(column(others, 0, c.Dim), rest(others)), column(others, c.Dim*(1+len(shiftBandwidths)), c.pointColumns()),
	}, 2)
	near := StopGradient(Mul(gaussian(rest(seen), rest(others), s/2), v.valid))
	total := AddScalar(InsertAxes(ReduceSum(near, 2), -1), ownWeight)
	dims := in.Shape().Dimensions
	made := Reshape(mlp(flat(in), f.extra[contextNet]), dims[0], dims[1], -1)
	return Div(engine.Times(near, made), total)
}

// EncodeSets embeds the points of sets x [B,N,Inputs]; valid [B,N] (bool) marks the real points: see Encode.
func (f Folded) EncodeSets(x, valid *Node, drop *Dropout) (h, u *Node) {
	if !f.config.seesSets() {
		return f.Encode(flat(x), drop)
	}
	points, more := f.columns(x)
	return f.encodeAmong(points, points, more, valid, nil)
}

// encodeAmong embeds points x [B,N,D], with the inputs more for α, that look at others [B,M,D], which may be x. valid
// [B,M] (bool) tells the real ones of others. Each of others stands for scale points, or for one if scale is nil.
func (f Folded) encodeAmong(x, others, more, valid, scale *Node) (h, u *Node) {
	real := ConvertDType(InsertAxes(valid, 1), x.DType())
	around := neighbourhood{points: meanShiftViews(others, others, real, scale), valid: real}
	seen := around.points
	if x != others {
		seen = meanShiftViews(x, others, real, scale)
	}
	return f.encodeSeen(seen, f.pool(seen, around), more)
}

// columns returns the coordinates of x [B,N,Inputs] and the inputs for α.
func (f Folded) columns(x *Node) (points, more *Node) {
	return column(x, 0, f.config.Dim), column(x, f.config.Dim, f.config.Inputs())
}

// encodeSeen embeds points seen [B,N,pointColumns], given p [B,N,H] of each and more [B,N,·], the inputs for α.
func (f Folded) encodeSeen(seen, p, more *Node) (h, u *Node) {
	d, rests := f.config.Dim, (1+len(shiftBandwidths))*f.config.Dim
	seen = flat(seen)
	place := column(seen, 0, d)
	inputs := []*Node{MulScalar(place, placeScale)} // all of the order of 1
	for at := d; at < rests; at += d {
		inputs = append(inputs, Sub(column(seen, at, at+d), place))
	}
	in := Concatenate(append(inputs, column(seen, rests, f.config.pointColumns()), flat(p)), 1)
	more = flat(more)
	seen = Concatenate([]*Node{seen, more}, 1)
	h, u = mlp(in, f.h), mlp(in, f.u)
	ofH, ofU := pointChannels(f.config, seen, mlp(Concatenate([]*Node{in, more}, 1), f.extra[densityNet]))
	return Concatenate([]*Node{h, ofH}, 1), Concatenate([]*Node{u, ofU}, 1)
}

// sampleOf returns the points of a set x [N,D] that its points look at, and the number of points that each stands for:
// all points, or one from each of mostNeighbours stretches of equal length. Places within the stretches follow the
// multiples of the golden ratio, so that they match no period of the rows.
func sampleOf(x []float32, dim int) (others []float32, scale float32) {
	n := len(x) / dim
	if n <= mostNeighbours {
		return x, 1
	}
	others = make([]float32, 0, mostNeighbours*dim)
	for i := range mostNeighbours {
		_, within := math.Modf(float64(i+1) * (math.Sqrt(5) - 1) / 2)
		at := min(int((float64(i)+within)*float64(n)/mostNeighbours), n-1)
		others = append(others, x[at*dim:(at+1)*dim]...)
	}
	return others, float32(n) / mostNeighbours
}
