package models

import (
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// The extended network (Config.Extended) is given numbers that the paper's would have to learn: the number of points of
// a cluster, their mean and variance, and the numbers of points and clusters. All of it follows from sums. So it
// travels in channels beside the H hidden ones of h', u' and g', and every sum over points or clusters adds it up:
//
//	h'(x)   1, x_1 … x_D, x_1² … x_D²       a cluster's sums give its moments: inputs of g
//	u'(x)   0, 1                            a state's sums give its counts: inputs of f
//	g'(H)   1, 0, n, direct                 and the energy of the cluster itself, which E adds without f
//
// Two more channels, log α and whether it is known, are added to every point. Divided by N, their sums are the set's.
// If the network sees whole sets, the views of a point stand behind x_D, and its inverse counts in u' behind 0, 1, 0,
// 0; a learned channel, t, comes before the others of h'. The other channels depend only on the points and have no
// gradient.
//
// A mixture's log-posterior is such a sum over the clusters of functions of these moments, and one function of the
// counts.
const (
	countClusters = iota // K, the clusters so far
	countAhead           // the points that are not assigned
	countAssigned        // n, the points that are
	directEnergy         // Σ_k of the clusters' own energies
	stateChannels
)

const (
	momentInputs = 3 // besides 2·D: log n, n, the scatter
	directInputs = 5 // of the direct energy besides g'
	countInputs  = 6
	alphaDirect  = 2 // where α is known: K·log α, as in the prior of the process, and K
)

// memberChannels is the number of channels of h' beside the hidden ones, without the channels of α.
func (c Config) memberChannels() int { return c.densityColumns() + 1 + 2*c.pointColumns() }

// densityColumns is the number of learned channels of h': 1 for t.
func (c Config) densityColumns() int { return when(c.seesSets(), 1) }

// countsChannels is the number of channels of u', g' and states beside the hidden ones, without the channels of α.
func (c Config) countsChannels() int { return stateChannels + c.countColumns() + c.densityColumns() }

// alphaInputs is the number of input columns for α, beside a point's coordinates.
func (c Config) alphaInputs() int { return when(c.Extended, 2) }

// Inputs is the number of columns of TableInputs.X: D and alphaInputs.
func (c Config) Inputs() int { return c.Dim + c.alphaInputs() }

// WithAlpha returns the Inputs of points x [B,N,D] of sets of n points: in an extended network log α and 1 stand beside
// each point, or 0 and 0 where α of its set is unknown. alpha [B] is 0 for an unknown α; nil means that all are
// unknown.
func (c Config) WithAlpha(x []float32, n int, alpha []float64) []float32 {
	if !c.Extended {
		return x
	}
	wide := make([]float32, 0, len(x)/c.Dim*c.Inputs())
	for i := range len(x) / c.Dim {
		wide = append(wide, x[i*c.Dim:(i+1)*c.Dim]...)
		if alpha == nil || alpha[i/n] == 0 {
			wide = append(wide, 0, 0)
		} else {
			wide = append(wide, float32(math.Log(alpha[i/n])), 1)
		}
	}
	return wide
}

// Width is W, the width of h' and of a cluster's sum of it: the hidden width H, and the channels.
func (c Config) Width() int { return c.Hidden + when(c.Extended, c.memberChannels()+c.alphaInputs()) }

// StateWidth is V, the width of u', of g', and of a state's sums of them: H, and the channels.
func (c Config) StateWidth() int {
	return c.Hidden + when(c.Extended, c.countsChannels()+c.alphaInputs())
}

// when returns size if holds, else 0.
func when(holds bool, size int) int {
	if !holds {
		return 0
	}
	return size
}

// trainedColumns is the number of columns of h' that depend on weights, the first ones.
func (c Config) trainedColumns() int { return c.Hidden + c.densityColumns() }

// momentsLayout lists the extended network's weights for the channels.
func (c Config) momentsLayout() Params {
	if !c.Extended {
		return nil
	}
	direct, alpha := c.additiveStart()
	return Params{
		{Name: "g.moments.weight", Shape: []int{c.momentInputs(), c.Hidden}},
		{Name: "g.direct.weight", Shape: []int{c.Hidden + directInputs, 1}, Start: direct},
		{Name: "f.counts.weight", Shape: []int{c.countInputs(), c.Hidden}},
		{Name: "f.direct.weight", Shape: []int{alphaDirect, 1}, Start: alpha},
	}
}

// momentInputs is the number of columns that g reads beside the sums of h.
func (c Config) momentInputs() int { return 2*c.pointColumns() + momentInputs }

// countInputs is the number of columns of countsOf.
func (c Config) countInputs() int { return countInputs + 2*c.countColumns() + 3*c.alphaInputs()/2 }

// The networks that only extended ones that see whole sets have: v of mean shift, q and t of additive energies.
const (
	contextNet = iota
	countsNet
	densityNet
	extraNets
)

// extraLayouts lists the weights of each.
func (c Config) extraLayouts() [extraNets]Params {
	if !c.seesSets() {
		return [extraNets]Params{}
	}
	h := c.Hidden
	return [...]Params{
		contextNet: MLPLayout("v", c.contextInputs(), h, h, h),
		countsNet:  c.countsLayout(),
		densityNet: MLPLayout("t", c.pointColumns()+c.contextColumns()+c.alphaInputs(), h, h, 1),
	}
}

// moments are the weights of momentsLayout as nodes; nil for the paper's network.
type moments struct{ toG, direct, toF, alpha *Node }

// takeMoments takes the next nodes as the weights of momentsLayout.
func (c Config) takeMoments(take *taker) *moments {
	if !c.Extended {
		return nil
	}
	return &moments{toG: take.next(), direct: take.next(), toF: take.next(), alpha: take.next()}
}

// pointChannels returns the channels of h' and u' for inputs in [M,pointColumns], followed by the inputs for α. density
// [M,1] is t; nil in an online network, which has none.
func pointChannels(c Config, in, density *Node) (h, u *Node) {
	x := column(in, 0, c.pointColumns())
	one := OnesLike(column(in, 0, 1))
	zero := ZerosLike(one)
	members := []*Node{one, x, Square(x)}
	ahead := []*Node{zero, one, zero, zero}
	if density != nil {
		members = slices.Insert(members, 0, density)
		ahead = append(ahead, column(x, c.pointColumns()-c.countColumns(), c.pointColumns()), zero)
	}
	alpha := column(in, c.pointColumns(), c.pointColumns()+c.alphaInputs())
	return Concatenate(append(members, alpha), 1), Concatenate(append(ahead, alpha), 1)
}

// column is x[…,from:to].
func column(x *Node, from, to int) *Node { return Slice(x, AxisRange().Spacer(), AxisRange(from, to)) }

// clusterMoments are the moments of clusters: the number of points n, mean and variance [M,pointColumns] by column, the
// scatter Σ|x − mean|² of the points and the square of their mean. An empty cluster counts as one point at 0.
type clusterMoments struct{ n, mean, variance, scatter, square *Node }

func momentsOf(c Config, channels *Node) clusterMoments {
	dim := c.pointColumns()
	n := Max(column(channels, 0, 1), ScalarOne(channels.Graph(), channels.DType()))
	mean := Div(column(channels, 1, 1+dim), n)
	variance := Max(Sub(Div(column(channels, 1+dim, 1+2*dim), n), Square(mean)), ScalarZero(n.Graph(), n.DType()))
	total := func(x *Node) *Node { return InsertAxes(ReduceSum(column(x, 0, c.Dim), 1), -1) }
	return clusterMoments{n, mean, variance, Mul(n, total(variance)), total(Square(mean))}
}

// inputs returns g's inputs, each of the order of 1 for clusters of unit width: [M, 2·pointColumns + momentInputs].
func (m clusterMoments) inputs() *Node {
	return Concatenate([]*Node{
		Log(m.n), DivScalar(m.n, 50), MulScalar(m.mean, 0.1), Log(AddScalar(m.variance, 0.05)),
		Log(AddScalar(m.scatter, 1)),
	}, 1)
}

// directInputs returns the direct energy's inputs beside g': a Gaussian cluster's energy is a weighted sum of these.
func (m clusterMoments) directInputs() *Node {
	logN := Log(m.n)
	factorial := Sub(Mul(SubScalar(m.n, 0.5), logN), m.n) // log (n−1)! by Stirling, but for a constant
	return Concatenate([]*Node{m.scatter, MulScalar(m.square, 0.01), factorial, logN, OnesLike(logN)}, 1)
}

// countsOf returns the inputs of f from the channels [M,·] of states: K, n and the points ahead, and their logarithms;
// the inverse counts ahead, if the network sees whole sets; whether α is known, log α and K·log α.
func countsOf(c Config, channels *Node) *Node {
	one := ScalarOne(channels.Graph(), channels.DType())
	k := Max(column(channels, countClusters, countClusters+1), one)
	ahead := column(channels, countAhead, countAhead+1)
	n := Max(column(channels, countAssigned, countAssigned+1), one)
	counts := []*Node{
		DivScalar(k, 5), Log(k), DivScalar(n, 50), Log(n), DivScalar(ahead, 50), Log(AddScalar(ahead, 1)),
	}
	if c.seesSets() {
		clusters := column(channels, stateChannels, stateChannels+c.countColumns())
		counts = append(counts, DivScalar(clusters, 5), Log(AddScalar(clusters, 1)))
	}
	known, logAlpha := alphaOf(c, channels)
	return Concatenate(append(counts, known, logAlpha, Mul(counts[0], logAlpha)), 1)
}

// alphaOf returns whether α is known, and log α, 0 where it is not, from the channels [M,·] of states.
func alphaOf(c Config, channels *Node) (known, logAlpha *Node) {
	points := Add(column(channels, countAhead, countAhead+1), column(channels, countAssigned, countAssigned+1))
	points = Max(points, ScalarOne(channels.Graph(), channels.DType()))
	first := c.countsChannels()
	of := func(at int) *Node { return Div(column(channels, first+at, first+at+1), points) }
	return of(1), of(0)
}

// clusterChannels returns the channels of g' of clusters whose hidden columns are gamma.
func (f Folded) clusterChannels(gamma, learned, fixed, numbers *Node) *Node {
	c := f.config
	one := OnesLike(column(fixed, 0, 1))
	channels := []*Node{one, ZerosLike(one), column(fixed, 0, 1)}
	channels = append(channels, f.ownEnergies(gamma, learned, numbers)...)
	at := c.memberChannels() - c.densityColumns()
	return Concatenate(append(channels, column(fixed, at, at+c.alphaInputs())), 1)
}

// energyBeside adds to f of states [M,1] the terms that follow from their counts and channels.
func (f Folded) energyBeside(energy, counts, channels *Node) *Node {
	if f.config.seesSets() {
		energy = f.withForesight(energy, counts, channels)
	}
	known, logAlpha := alphaOf(f.config, channels)
	k := column(channels, countClusters, countClusters+1)
	direct := Concatenate([]*Node{Mul(k, logAlpha), Mul(k, known)}, 1)
	if f.config.seesSets() {
		direct = MulScalar(direct, directScale)
	}
	energy = Add(energy, Dot(direct, f.moments.alpha).Product())
	return Reshape(Add(energy, column(channels, directEnergy, directEnergy+1)), -1)
}
