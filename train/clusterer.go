package train

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/sampling"
)

// Clusterer puts a trained model of any kind on a backend behind the one interface that all five share. What else a
// model can do shows in its type: a peers.Sampler draws clusterings (GFNCP, NCP, CCP), a peers.LogProber gives their
// probabilities (the same three; CCP's are estimates).
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

// Network puts a trained energy network (GFNCP, NCP) on a backend. A peer is a usererr.Error.
func (m *Model) Network(backend compute.Backend) (*models.Network, error) {
	if m.Config.IsPeer() {
		return nil, usererr.New("give a gfncp or ncp model here; `gfncp eval` and `gfncp reproduce` take any",
			"%s is a %s model: it has no energies",
			m.Card.Name, m.Config.Model)
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
	return e.labels(x, b, n, sampling.Greedy{})
}

func (e energyClusterer) Sample(rng *rand.Rand, x []float32, b, n int) ([][]int32, error) {
	return e.labels(x, b, n, sampling.NewAncestral(rng, b, n))
}

func (e energyClusterer) labels(x []float32, b, n int, policy sampling.Policy) ([][]int32, error) {
	result, err := decode(context.Background(), e.net, x, b, n, policy)
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
	given := make([][]int32, b)
	for i := range given {
		given[i] = labels[i*n : (i+1)*n]
	}
	result, err := decode(context.Background(), e.net, x, b, n, &sampling.Given{Labels: given})
	if err != nil {
		return nil, err
	}
	return result.LogProb, nil
}

// decode runs one sequence of each of b sets of n points x [B,N,D] under a policy, until ctx ends.
func decode(
	ctx context.Context, net *models.Network, x []float32, b, n int, policy sampling.Policy,
) (*sampling.Result, error) {
	sets, err := sampling.EncodeContext(ctx, net, x, b, n)
	if err != nil {
		return nil, err
	}
	return sets.Run(sets.EachSet(), policy)
}
