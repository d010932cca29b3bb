package train

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/models/peers/ccp"
	"github.com/gfncp/gfncp/models/peers/dac"
	"github.com/gfncp/gfncp/models/peers/st"
	"github.com/gfncp/gfncp/sampling"
)

// The models that this package trains.
const (
	GFNCP = "gfncp"
	NCP   = "ncp"
	ST    = "st"
	DAC   = "dac"
	CCP   = "ccp"
)

// kinds lists all kinds of models. A new peer is a line here beside its package.
var kinds = []peers.Peer{{Name: GFNCP}, {Name: NCP}, st.Peer, dac.Peer, ccp.Peer}

// Kinds lists the registered kinds of models, the energy networks first.
func Kinds() []peers.Peer { return slices.Clone(kinds) }

// KindOf returns the kind of a name. For an unknown name it returns the zero value, which counts as an energy network.
func KindOf(name string) peers.Peer {
	for _, k := range kinds {
		if k.Name == name {
			return k
		}
	}
	return peers.Peer{}
}

// Models lists the names of the kinds.
func Models() (names []string) {
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

func (c Config) objective(w *weights) (Objective, error) {
	if c.IsPeer() {
		planned, err := c.buckets(w.backend)
		if err != nil {
			return nil, err
		}
		buckets := models.BucketsFor(w.backend.Name())
		buckets.Points = planned.Points
		return &peerObjective{Method: c.method(), config: c, weights: w, buckets: buckets}, nil
	}
	return newEnergyObjective(w, c)
}

func (c Config) method() peers.Method { return KindOf(c.Model).New(c.Net, c.Peer) }

// IsPeer reports whether the model is one that the paper compares with, such as ST, DAC or CCP.
func (c Config) IsPeer() bool { return !KindOf(c.Model).Energies() }

// Layout lists the weights of the configured model, of any kind, without values.
func (c Config) Layout() models.Params {
	if c.IsPeer() {
		return c.method().Layout()
	}
	return c.Net.Layout()
}

// Clusterer puts a trained model of any kind on a backend. The type of the result tells what else it can do: a
// peers.Sampler draws clusterings and gives their probabilities (GFNCP, NCP, CCP; CCP's are estimates).
func (m *Model) Clusterer(backend compute.Backend) (peers.Clusterer, error) {
	if m.Config.IsPeer() {
		return m.Config.method().Open(backend, m.Params)
	}
	net, err := m.Network(backend)
	if err != nil {
		return nil, err
	}
	return energyClusterer{net}, nil
}

// Network puts a trained energy network (GFNCP, NCP) on a backend. It returns a *usererr.Error for a peer.
func (m *Model) Network(backend compute.Backend) (*models.Network, error) {
	if m.Config.IsPeer() {
		return nil, usererr.New("give a gfncp or ncp model; eval, on data with known classes, and reproduce take any",
			"%s is a %s model: it has no energies", m.Card.Name, m.Config.Model)
	}
	net, err := models.NewNetwork(backend, m.Config.Net, m.Params)
	if err == nil {
		net.FreeFlows = m.Config.Model == GFNCP && m.Config.Loss.Flows == losses.FlowsFree
	}
	return net, err
}

// energyClusterer decodes the energy network: greedily for the point estimate, ancestrally for samples.
type energyClusterer struct{ net *models.Network }

func (e energyClusterer) Cluster(_ *rand.Rand, x []float32, b, n int) ([][]int32, error) {
	return e.labels(x, b, n, sampling.Greedy())
}

func (e energyClusterer) Sample(rng *rand.Rand, x []float32, b, n int) ([][]int32, error) {
	return e.labels(x, b, n, sampling.Ancestral(rng, b, n))
}

func (e energyClusterer) labels(x []float32, b, n int, policy sampling.Policy) ([][]int32, error) {
	result, err := sampling.Decode(e.net, x, b, n, policy)
	if err != nil {
		return nil, err
	}
	for i, labels := range result.Labels {
		result.Labels[i], _ = metrics.Canonical(labels)
	}
	return result.Labels, nil
}

// LogProb is exact for the order in which the points are given, without the constant log 1/N!.
func (e energyClusterer) LogProb(_ *rand.Rand, x []float32, labels []int32, b, n int) ([]float64, error) {
	if len(labels) != b*n {
		return nil, fmt.Errorf("%d labels for %d sets of %d points", len(labels), b, n)
	}
	given := sampling.Given(slices.Collect(slices.Chunk(labels, n)))
	result, err := sampling.Decode(e.net, x, b, n, given)
	if err != nil {
		return nil, err
	}
	return result.LogProb, nil
}
