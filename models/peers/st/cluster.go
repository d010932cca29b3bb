package st

import (
	"math/rand/v2"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// clusterer is ST with weights on a backend.
type clusterer struct {
	*peers.Opened
	assign peers.Func // points, mask → the component of each point
}

// Open puts weights on a backend for clustering. Weights that are not of this layout are an error.
func (m *Method) Open(backend compute.Backend, weights models.Params) (peers.Clusterer, error) {
	o, err := peers.OpenWeights("ST", backend, m.Layout(), weights, m.Net.Dim)
	if err != nil {
		return nil, err
	}
	assign, err := o.Func("assignment", func(w, in []*Node) []*Node {
		return []*Node{ConvertDType(ArgMax(m.jointLogs(w, in[0], in[1], nil), 2, dtypes.Int32), dtypes.Float32)}
	})
	return &clusterer{o, assign}, err
}

// Cluster returns each point's component of the highest responsibility, as canonical labels [B][N]: at most K clusters.
// Nothing is random: rng is not read.
func (c *clusterer) Cluster(_ *rand.Rand, x []float32, b, n int) ([][]int32, error) {
	if err := c.CheckSets(x, b, n); err != nil {
		return nil, err
	}
	size := c.Buckets.Points(n)
	out, err := c.assign(padded(x, b, n, c.Dim, size)...)
	if err != nil {
		return nil, err
	}
	labels := make([][]int32, b)
	for set := range labels {
		components := make([]int32, n)
		for i := range components {
			components[i] = int32(out[0][set*size+i])
		}
		labels[set], _ = metrics.Canonical(components)
	}
	return labels, nil
}
