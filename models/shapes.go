package models

import (
	"math"
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
)

// With Config.Shapes the clusters' own energies (Config.Additive) are those of Gaussian clusters of any width and
// shape. A set's coordinates z have mean 0 and, each, variance 1 once divided by their standard deviation in the set;
// the covariance of a cluster there has a normal-inverse-Wishart prior (Murphy 2007, "Conjugate Bayesian analysis of
// the Gaussian distribution", section 8) of which its fraction ψ of the set's variance is not known:
//
//	d(H_k) = −log Σ_j w_j·m_j(z_k),   m_j(z) = ∫ Π_i N(z_i; μ, Σ) NIW(μ, Σ | 0, κ0 = ψ_j, Ψ0 = ψ_j·I, ν0 = p + 2)
//
// j runs over the fractions, each with covariances of any shape and with diagonal ones. Between the first fullAxes
// coordinates any covariance is seen, the others are taken as independent of them and of each other. p counts the
// coordinates that vary: those that a set lacks are zeros and count nothing. w and a factor of each of d's numbers are
// trained. That is little on purpose: training sees partitions that are right but for one point, and what a network
// adds to their energies is far off for others, where samplers go (docs/training.md).
//
// All of it follows from sums over the cluster: z, the products of its first coordinates, and p ride on every point.
const (
	fullAxes     = 8    // coordinates whose products ride on the points
	leastSpread  = 1e-3 // a coordinate with a smaller standard deviation is one that the set lacks
	shapeNumbers = 5    // by which d is a sum: −log Σ w·m, and four of the size
	logEach      = 3    // families are told to g as differences of this order
)

// shapeFractions are ψ_j: of clusters as wide as half the set, a fifth, and so on in variance.
var shapeFractions = [...]float64{0.5, 0.15, 0.04, 0.01}

// families is the number of components of the mixture of priors.
const families = 2 * len(shapeFractions)

// fullAxes is the number of coordinates whose products are seen.
func (c Config) fullAxes() int { return min(fullAxes, c.Dim) }

// shapeChannels is the number of channels that Shapes adds to a point's: p, z and the products.
func (c Config) shapeChannels() int {
	if !c.Shapes {
		return 0
	}
	full := c.fullAxes()
	return 1 + c.Dim + c.Dim - full + full*(full+1)/2
}

// shapesLayout lists the weights that Shapes adds: the logarithms of w.
func (c Config) shapesLayout() Params {
	if !c.Shapes {
		return nil
	}
	return Params{{Name: "g.families.weight", Shape: []int{1, families}, Start: make([]float32, families)}}
}

// shapesStart are the weights of d at step 0, before directScale: −log Σ w·m, and −log (n−1)! as in the Chinese
// restaurant process.
func shapesStart() []float32 {
	start := []float32{1, -1, 0, 0, float32(-math.Log(2*math.Pi) / 2)}
	for i := range start {
		start[i] /= directScale
	}
	return start
}

// spreads are the standard deviations [B,1,D] of the coordinates of others [B,M,D], of which valid [B,1,M] is 1 for the
// real ones, and whether the set has the coordinate [B,1,D], as 0 or 1.
func spreads(others, valid *Node) (mean, spread, has *Node) {
	count := InsertAxes(ReduceSum(valid, 2), -1)
	average := func(x *Node) *Node { return Div(engine.Times(valid, x), count) }
	mean = average(others)
	variance := Max(Sub(average(Square(others)), Square(mean)), ScalarZero(others.Graph(), others.DType()))
	spread = Sqrt(variance)
	has = ConvertDType(GreaterThan(spread, Scalar(spread.Graph(), spread.DType(), leastSpread)), spread.DType())
	return mean, Max(spread, Scalar(spread.Graph(), spread.DType(), leastSpread)), has
}

// shapeColumns are the channels [B,N,shapeChannels] of points x [B,N,D] among others: p, z, and products.
func (c Config) shapeColumns(x, others, valid *Node) *Node {
	mean, spread, has := spreads(StopGradient(others), valid)
	dims, full := x.Shape().Dimensions, c.fullAxes()
	z := Mul(Div(Sub(StopGradient(x), mean), spread), has)
	p := BroadcastToDims(InsertAxes(ReduceSum(has, 2), -1), dims[0], dims[1], 1)
	columns := []*Node{p, z}
	at := func(from, to int) *Node { return Slice(z, AxisRange(), AxisRange(), AxisRange(from, to)) }
	for a := range full {
		columns = append(columns, Mul(at(a, a+1), at(a, full)))
	}
	if full < c.Dim {
		columns = append(columns, Square(at(full, c.Dim)))
	}
	return StopGradient(Concatenate(columns, 2))
}

// shapeSums are the sums of the channels over clusters, R of them, each as a row [1,R]: rows are what the work below is
// fast on.
type shapeSums struct {
	n, p     *Node   // the number of points, at least 1, and of coordinates
	mean     []*Node // [D] of z
	scatter  [][]*Node
	variance []*Node // [D−full] n times the variances of the last coordinates
	has      []*Node // [D] whether there is such a coordinate
}

// shapeSumsOf reads the channels [R,shapeChannels] of clusters of n [R,1] points.
func shapeSumsOf(c Config, n, channels *Node) shapeSums {
	rows := channels.Shape().Dimensions[0]
	columns := Transpose(channels, 0, 1)
	next := 0
	take := func() *Node {
		next++
		return Slice(columns, AxisRange(next-1, next), AxisRange())
	}
	s := shapeSums{n: Reshape(n, 1, rows)}
	s.p = Div(take(), s.n)
	for j := range c.Dim {
		s.mean = append(s.mean, Div(take(), s.n))
		has := GreaterThan(s.p, Scalar(n.Graph(), n.DType(), float64(j)+0.5))
		s.has = append(s.has, ConvertDType(has, n.DType()))
	}
	about := func(sum *Node, a, b int) *Node { return Sub(sum, Mul(s.n, Mul(s.mean[a], s.mean[b]))) }
	for a := range c.fullAxes() {
		row := make([]*Node, c.fullAxes())
		for b := a; b < len(row); b++ {
			row[b] = about(take(), a, b)
		}
		s.scatter = append(s.scatter, row)
	}
	for j := c.fullAxes(); j < c.Dim; j++ {
		s.variance = append(s.variance, about(take(), j, j))
	}
	return s
}

// logMarginals are log m_j of the clusters, [R,families]: for each fraction with covariances of any shape between the
// first coordinates, and then with diagonal ones.
func (s shapeSums) logMarginals() *Node {
	full, diagonal := s.gaussian()
	both := Concatenate([]*Node{InsertAxes(full, 1), InsertAxes(diagonal, 1)}, 1)
	return Transpose(Reshape(both, families, -1), 0, 1)
}

// fractions are numbers that depend on ψ, as a column for all clusters: [F,R].
func (s shapeSums) fractions(number func(fraction float64) float64) *Node {
	column := make([][]float32, len(shapeFractions))
	for i, fraction := range shapeFractions {
		column[i] = []float32{float32(number(fraction))}
	}
	return s.spread(Const(s.n.Graph(), column))
}

// spread repeats a row [1,R] or a column [F,1].
func (s shapeSums) spread(x *Node) *Node {
	return BroadcastToDims(x, len(shapeFractions), s.n.Shape().Dimensions[1])
}

// gaussian are the log-marginals [F,R] at all fractions.
func (s shapeSums) gaussian() (full, diagonal *Node) {
	inverse := s.fractions(func(f float64) float64 { return 1 / f })
	n := s.spread(s.n)
	pull := Div(n, AddScalar(Mul(n, inverse), 1)) // κ0·n/κn, with ψ = κ0
	// Ψn/ψ but for the unit matrix
	own := func(sum *Node, a, b int) *Node {
		return Mul(inverse, Add(s.spread(sum), Mul(pull, s.spread(Mul(s.mean[a], s.mean[b])))))
	}
	axes := len(s.scatter)
	shrink := Log(AddScalar(Mul(n, inverse), 1)) // log κn/κ0
	alone := s.marginal(OnesLike(s.n), 1, shrink)
	degrees := MulScalar(AddScalar(n, 3), 0.5) // νn/2 of one coordinate
	each := make([]*Node, len(s.mean))
	products := make([][]*Node, axes)
	for j := range each {
		var ratio *Node
		if j < axes {
			products[j] = make([]*Node, axes)
			for k := j; k < axes; k++ {
				products[j][k] = own(s.scatter[j][k], j, k)
			}
			ratio = products[j][j]
		} else {
			ratio = own(s.variance[j-axes], j, j)
		}
		logs := Log(AddScalar(Max(ratio, ZerosLike(ratio)), 1))
		each[j] = Mul(s.spread(s.has[j]), Sub(alone, Mul(degrees, logs)))
	}
	rest := addAll(ZerosLike(n), each[axes:])
	count := addAll(ZerosLike(s.n), s.has[:axes]) // of the first coordinates
	logDet := logDeterminant(products)
	end := MulScalar(s.spread(AddScalar(Add(count, s.n), 2)), 0.5)
	return addAll(rest, []*Node{s.marginal(count, axes, shrink), Neg(Mul(end, logDet))}), addAll(rest, each[:axes])
}

// marginal are the log-marginals [F,R] of n points in p [1,R] ≤ most coordinates but for −νn·log det(Ψn/ψ)/2: up to
// −n·p·log(π)/2, which no partition changes,
//
//	log Γ_p(νn/2) − log Γ_p(ν0/2) − n·p·log(ψ)/2 − p·log(κn/κ0)/2
func (s shapeSums) marginal(p *Node, most int, shrink *Node) *Node {
	rows := s.n.Shape().Dimensions[1]
	down := Iota(p.Graph(), shapes.Make(p.DType(), most, rows), 0)
	of := func(degrees *Node) *Node { // each of the Γ in Γ_p
		half := MulScalar(Sub(BroadcastToDims(degrees, most, rows), down), 0.5)
		return logGamma(Max(half, MulScalar(OnesLike(half), 0.5)))
	}
	inside := ConvertDType(LessThan(down, BroadcastToDims(SubScalar(p, 0.5), most, rows)), p.DType())
	start := AddScalar(p, 2) // ν0
	gammas := InsertAxes(ReduceSum(Mul(inside, Sub(of(Add(start, s.n)), of(start))), 0), 0)
	perPoint := Mul(s.fractions(func(f float64) float64 { return -0.5 * math.Log(f) }), s.spread(Mul(s.n, p)))
	return Add(s.spread(gammas), Sub(perPoint, Mul(shrink, s.spread(MulScalar(p, 0.5)))))
}

// logDeterminant is log det(1 + products), by elimination; products has the upper triangle. A coordinate that the set
// lacks has zeros.
func logDeterminant(products [][]*Node) *Node {
	axes := len(products)
	a := make([][]*Node, axes)
	for i := range a {
		a[i] = slices.Clone(products[i])
		a[i][i] = AddScalar(a[i][i], 1)
	}
	var logs []*Node
	for i := range axes {
		pivot := Max(a[i][i], OnesLike(a[i][i])) // no smaller but for rounding: products have no negative eigenvalue
		logs = append(logs, Log(pivot))
		inverse := Reciprocal(pivot)
		for j := i + 1; j < axes; j++ {
			factor := Mul(a[i][j], inverse)
			for k := j; k < axes; k++ {
				a[j][k] = Sub(a[j][k], Mul(factor, a[i][k]))
			}
		}
	}
	return addAll(logs[0], logs[1:])
}

// logGamma is log Γ(x) for x ≥ 1/2, by Stirling's series at x + 4: within 1e-6.
func logGamma(x *Node) *Node {
	product := x
	for i := 1; i < 4; i++ {
		product = Mul(product, AddScalar(x, float64(i)))
	}
	y := AddScalar(x, 4)
	inverse := Reciprocal(y)
	series := Mul(inverse, AddScalar(MulScalar(Square(inverse), -1.0/360), 1.0/12))
	main := Sub(Mul(SubScalar(y, 0.5), Log(y)), y)
	return Sub(Add(AddScalar(main, math.Log(2*math.Pi)/2), series), Log(product))
}

// addAll is start and the sum of more.
func addAll(start *Node, more []*Node) *Node {
	for _, n := range more {
		start = Add(start, n)
	}
	return start
}

// shapeEnergies are what d reads of clusters [R,shapeNumbers], and the families beside each other [R,families], for g:
// how far each is from the best, and what the best has a point.
func (f Folded) shapeEnergies(n, channels *Node) (numbers, told *Node) {
	logM := StopGradient(shapeSumsOf(f.config, n, channels).logMarginals())
	weighed := Add(logM, f.moments.families)
	best := ReduceAndKeep(StopGradient(weighed), ReduceMax, 1)
	marginal := Add(best, Log(ReduceAndKeep(Exp(Sub(weighed, best)), ReduceSum, 1)))
	logN := Log(n)
	factorial := Sub(Mul(SubScalar(n, 0.5), logN), n)
	numbers = Concatenate([]*Node{Neg(marginal), factorial, logN, Reciprocal(n), OnesLike(logN)}, 1)
	beside := Max(DivScalar(Sub(logM, best), logEach), Scalar(n.Graph(), n.DType(), -5))
	return numbers, beside
}
