// Package peers holds the amortized clustering systems that the paper compares with, each in a package of its own: ST
// (peers/st), DAC (peers/dac) and CCP (peers/ccp), with the Set Transformer blocks that ST and DAC share
// (peers/attention). A peer is a network with its training objective (Method) and its way to cluster (Clusterer); how
// it is trained is not its business (package train).
//
// Axis letters: B sets, N points, D coordinates, K clusters. Labels are canonical: numbered from 0 in order of
// appearance.
package peers

import (
	"math/rand/v2"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
)

// Method is a clustering network with its training objective. It holds no weights and is safe for concurrent use.
type Method interface {
	// Layout lists the weights' names and shapes in their fixed order.
	Layout() models.Params
	// Inputs turns a batch into the tensors that Loss reads, after the weight of a set. rng makes every random choice
	// of a training step. Sizes are rounded up by the buckets, and padding changes nothing.
	Inputs(rng *rand.Rand, batch *data.Batch, buckets models.Buckets) ([]*tensors.Tensor, error)
	// Loss builds the objective: Σ over the sets of share × the set's loss, a scalar. weights are in the layout's
	// order, share is a scalar (1/B of the whole batch, which may be cut into shards), in are the nodes of Inputs'
	// tensors.
	Loss(weights []*Node, share *Node, in []*Node) *Node
	// Open puts weights on a backend for clustering.
	Open(backend compute.Backend, weights models.Params) (Clusterer, error)
}

// Peer describes a peer to whatever lists, configures, trains or opens models: package train keeps the list.
type Peer struct {
	// Name is the value of "model" in a config.
	Name string
	// New returns the method of the given sizes, for the points of a network's encoder. Both configs must be valid.
	New func(net models.Config, c Config) Method
	// Steps and LearningRate are what the authors published; 0 leaves GFNCP's. Halves keeps the rate for the first half
	// of the steps, and a tenth of it for the second.
	Steps        int
	LearningRate float64
	Halves       bool
	// SmallSteps trains on mixtures in minutes (the small scale of experiments).
	SmallSteps int
	// FixedK is the number of clusters that all sets must have, by default; 0 where K is free.
	FixedK int
	// Mixtures says that it is trained on mixtures of Gaussians alone.
	Mixtures bool
	// Variants are the values of Config.Variant that make methods of their own, the default first; nil if there is one
	// method.
	Variants []Variant
}

// Variant is a value of Config.Variant and its title in tables.
type Variant struct{ Name, Title string }

// Clusterer is a trained system on a backend. It is safe for concurrent use.
type Clusterer interface {
	// Cluster returns the system's point estimate for B sets of N points x [B,N,D], as canonical labels [B][N]. Where
	// the system chooses at random by its nature, rng decides; the same state of rng gives the same labels.
	Cluster(rng *rand.Rand, x []float32, b, n int) ([][]int32, error)
}

// Sampler is a Clusterer that also draws clusterings from a distribution.
type Sampler interface {
	Clusterer
	// Sample draws one clustering of each of B sets of N points x [B,N,D], as canonical labels [B][N].
	Sample(rng *rand.Rand, x []float32, b, n int) ([][]int32, error)
}

// LogProber is a Clusterer that gives the probability of a clustering.
type LogProber interface {
	Clusterer
	// LogProb returns log p(c|x) in nats, exactly or as a Monte Carlo estimate from rng, for labels [B,N] of B sets of
	// N points x [B,N,D].
	LogProb(rng *rand.Rand, x []float32, labels []int32, b, n int) ([]float64, error)
}
