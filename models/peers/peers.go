// Package peers holds the amortized clustering systems that the paper compares with, each in a package of its own: ST
// (peers/st), DAC (peers/dac) and CCP (peers/ccp), with the Set Transformer blocks that ST and DAC share
// (peers/attention). A peer is a network with its training objective (Method) and its way to cluster (Clusterer).
// Package train trains it.
//
// Axis letters: B sets, N points, D coordinates, K clusters. Labels are canonical: numbered from 0 in order of
// appearance.
package peers

import (
	"errors"
	"math/rand/v2"
	"strings"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
)

// Method is a clustering network with its training objective. It holds no weights and is safe for concurrent use.
type Method interface {
	// Layout lists the weights' names and shapes in their fixed order.
	Layout() models.Params
	// Inputs turns a batch into the tensors that Loss reads as in. rng makes every random choice of a training step.
	// Sizes are rounded up by the buckets, and padding changes nothing.
	Inputs(rng *rand.Rand, batch *data.Batch, buckets models.Buckets) ([]*tensors.Tensor, error)
	// Loss builds the objective: Σ over the sets of share × the set's loss, a scalar. weights are in the layout's
	// order, share is 1/B of the whole batch, in are the nodes of Inputs' tensors.
	Loss(weights []*Node, share *Node, in []*Node) *Node
	// Open puts weights on a backend for clustering.
	Open(backend compute.Backend, weights models.Params) (Clusterer, error)
}

// Peer describes a kind of model to the code that lists, configures, trains or opens models; package train keeps the
// list. For an energy network (GFNCP, NCP) it holds only the name.
type Peer struct {
	// Name is the value of "model" in a config.
	Name string
	// New returns the method of the given sizes, for the points of a network's encoder. Both configs must be valid.
	New func(net models.Config, c Config) Method
	// Steps and LearningRate are the authors' published values; 0 leaves GFNCP's. Halves lowers the rate to a tenth in
	// the second half of the steps.
	Steps        int
	LearningRate float64
	Halves       bool
	// SmallSteps trains on mixtures in minutes (the small scale of experiments).
	SmallSteps int
	// FixedK is the number of clusters that all sets must have, by default; 0 where K is free.
	FixedK int
	// Mixtures says that it is trained only on mixtures of Gaussians.
	Mixtures bool
	// Variants are the values of Config.Variant that make methods of their own, the default first; nil if there is one
	// method.
	Variants []Variant
}

// Energies reports whether the kind is an energy network: it has energies, log-probabilities and marginal consistency.
func (p Peer) Energies() bool { return p.New == nil }

// Title is the kind's name in tables and messages, such as "GFNCP".
func (p Peer) Title() string { return strings.ToUpper(p.Name) }

// Variant is a value of Config.Variant and its title in tables.
type Variant struct{ Name, Title string }

// Clusterer is a trained system on a backend. It is safe for concurrent use.
type Clusterer interface {
	// Cluster returns the system's point estimate for B sets of N points x [B,N,D], as canonical labels [B][N]. Where
	// the system chooses at random by its nature, rng decides; the same state of rng gives the same labels.
	Cluster(rng *rand.Rand, x []float32, b, n int) ([][]int32, error)
}

// Sampler is a Clusterer that also draws clusterings from a distribution and gives their probabilities.
type Sampler interface {
	Clusterer
	// Sample draws one clustering of each of B sets of N points x [B,N,D], as canonical labels [B][N].
	Sample(rng *rand.Rand, x []float32, b, n int) ([][]int32, error)
	// LogProb returns log p(c|x) in nats, exactly or as a Monte Carlo estimate from rng, for labels [B,N] of B sets of
	// N points x [B,N,D].
	LogProb(rng *rand.Rand, x []float32, labels []int32, b, n int) ([]float64, error)
}

// The variants of DAC.
const (
	MinFilter = "min"      // find any one cluster
	Anchored  = "anchored" // find the cluster of a given point
)

// Config holds the sizes of the peers' networks; each peer reads the keys that concern it. The energy networks read no
// key and have the zero value; for a peer, start from Default.
type Config struct {
	// Width is the width of every layer. Published: 128.
	Width int `toml:"width" json:"width"`
	// Heads is the number of attention heads (ST, DAC); it divides Width. Published: 4.
	Heads int `toml:"heads" json:"heads"`
	// Inducing is the number of inducing points of an ISAB (ST, DAC). Published: 32.
	Inducing int `toml:"inducing" json:"inducing"`
	// Clusters is the fixed K of ST. Paper: 6.
	Clusters int `toml:"clusters" json:"clusters"`
	// Variant is DAC's filter: MinFilter or Anchored.
	Variant string `toml:"variant" json:"variant"`
	// Likelihood adds the likelihood of a found cluster's points to DAC's loss. Paper: for mixtures of Gaussians only.
	Likelihood bool `toml:"likelihood" json:"likelihood"`
	// Latent is the number of coordinates of CCP's latent z.
	Latent int `toml:"latent" json:"latent"`
	// Samples is the number of importance samples of CCP's objective. Published: 40.
	Samples int `toml:"samples" json:"samples"`
}

// Default returns the published sizes; likelihood says whether DAC's loss uses the cluster likelihood.
func Default(likelihood bool) Config {
	return Config{
		Width: 128, Heads: 4, Inducing: 32, Clusters: 6, Variant: MinFilter,
		Likelihood: likelihood, Latent: 64, Samples: 40,
	}
}

// Validate returns an error for all keys that are out of range.
func (c Config) Validate() error {
	var faults usererr.Faults
	faults.Within("peer.width", c.Width, 4096)
	faults.Within("peer.heads", c.Heads, 64)
	faults.Within("peer.inducing", c.Inducing, 1024)
	faults.Within("peer.clusters", c.Clusters, 256)
	faults.Within("peer.latent", c.Latent, 4096)
	faults.Within("peer.samples", c.Samples, 1024)
	if c.Heads > 0 && c.Width%c.Heads != 0 {
		faults = append(faults, usererr.New("choose peer.heads so that it divides peer.width",
			"peer.width = %d cannot be split into %d heads", c.Width, c.Heads))
	}
	if c.Variant != MinFilter && c.Variant != Anchored {
		faults = append(faults, usererr.New(`choose "min" or "anchored"`, "peer.variant = %q is not known", c.Variant))
	}
	return errors.Join(faults...)
}
