package models

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// The energy of a state in an extended network that sees whole sets is
//
//	E = Σ_k d(H_k) + Σ_{i≤n} t(x_i) + q(counts) + a/(a+4) · (f + Σ_k d'(H_k))
//
// where a points are not assigned. d reads the five numbers whose weighted sum is the log-marginal of a Gaussian
// cluster (directInputs). q reads the numbers of clusters and points, and α. d' reads the output of g for a cluster. A
// mixture has
//
//	−log p(c_{1:n}|x) = −log p(c_{1:n}, x_{1:n}) − log p(x_{n+1:N}|c_{1:n}, x_{1:n}) + log p(x)
//
// The first of the three terms is Σ d + q, for any partition. t is a point's log-density in its set, the same for all
// candidates. With t the rest is small, and f and d' learn how it differs between candidates. At the last decision no
// point is ahead, and f and d' do not count.
const (
	aheadScale    = 4
	countsHidden  = 32  // the width of q
	meansVariance = 100 // of the clusters' means in data.DefaultMoG, in squares of their width
	directScale   = 0.1 // of the weights of d and of α: they move a tenth as fast as others
)

// additiveStart returns the weights of d and of α at step 0, before directScale. They fit mixtures of Gaussian clusters
// (data.DefaultMoG, α known). Random weights were a third of the way there after 600 steps. It returns nil for online
// networks.
func (c Config) additiveStart() (direct, alpha []float32) {
	if !c.seesSets() {
		return nil, nil
	}
	perDim := 0.5 * float32(c.Dim)
	stirling := float32(math.Log(2*math.Pi) / 2) // the constant that the approximate factorial lacks
	each := perDim*float32(math.Log(meansVariance)) - stirling
	direct = []float32{0.5, 0.5, -1, perDim, each}
	for i := range direct {
		direct[i] /= directScale
	}
	return direct, []float32{-1 / directScale, 0}
}

// countsLayout lists the weights of q, which is constant at step 0.
func (c Config) countsLayout() Params {
	layout := MLPLayout("q", c.countInputs()+1, countsHidden, countsHidden, 1)
	last := &layout[len(layout)-2]
	last.Start = make([]float32, countsHidden)
	return layout
}

// ownEnergies returns the channels of g' that hold energies of clusters, and the channels between them: in an online
// network only d of its inputs, else d plus Σ t, zeros where u' has the inverse counts of the points ahead, and d'.
func (f Folded) ownEnergies(gamma, learned, inputs *Node) []*Node {
	weights := f.moments.direct
	if !f.config.seesSets() {
		return []*Node{Dot(Concatenate([]*Node{gamma, inputs}, 1), weights).Product()}
	}
	h := gamma.Shape().Dimensions[1]
	direct := MulScalar(Dot(inputs, Slice(weights, AxisRange(h))).Product(), directScale)
	return []*Node{
		Add(direct, column(learned, h, h+1)), ZerosLike(column(gamma, 0, f.config.countColumns())),
		Dot(gamma, Slice(weights, AxisRange(0, h))).Product(),
	}
}

// EnergyLast is the energy [R] that Score gives at the last decision, when no point is ahead. In an extended network
// that sees whole sets the hidden layers of g and f have no part in it and are left out.
func (f Folded) EnergyLast(sums, rest *Node) *Node {
	if !f.config.seesSets() {
		_, energy := f.Score(sums, rest)
		return energy
	}
	learned, fixed := f.config.parts(sums)
	m := momentsOf(f.config, fixed)
	h := f.config.Hidden
	own := f.clusterChannels(ZerosLike(column(learned, 0, h)), learned, fixed, m.directInputs())
	channels := Add(own, column(rest, h, f.config.StateWidth()))
	return f.energyBeside(ZerosLike(m.n), countsOf(f.config, channels), channels)
}

// withForesight returns E without d and t, from f of states [M,1], their counts and channels.
func (f Folded) withForesight(energy, counts, channels *Node) *Node {
	own := stateChannels + f.config.countColumns()
	ahead := column(channels, countAhead, countAhead+1)
	energy = Mul(Add(energy, column(channels, own, own+1)), Div(ahead, AddScalar(ahead, aheadScale)))
	k := column(channels, countClusters, countClusters+1)
	kLogK := DivScalar(Mul(k, Log(Max(k, OnesLike(k)))), 10) // −log of an average of α^K bends like this
	return Add(energy, mlp(Concatenate([]*Node{counts, kLogK}, 1), f.extra[countsNet]))
}
