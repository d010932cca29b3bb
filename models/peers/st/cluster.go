package st

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// clusterer is ST with weights on a backend.
type clusterer struct {
	method  *Method
	weights []*tensors.Tensor
	assign  *engine.Func
	buckets models.Buckets
}

// Open puts weights on a backend for clustering. Weights that are not of this layout are an error.
func (m *Method) Open(backend compute.Backend, weights models.Params) (peers.Clusterer, error) {
	if err := m.Layout().Check(weights); err != nil {
		return nil, fmt.Errorf("open ST: %w", err)
	}
	c := &clusterer{method: m, weights: weights.Tensors(), buckets: models.BucketsFor(backend.Name())}
	var err error
	c.assign, err = engine.NewFunc(backend, "ST", func(in []*Node) []*Node {
		w, rest := in[:len(weights)], in[len(weights):]
		joint := m.jointLogs(w, rest[0], rest[1], nil)
		return []*Node{ArgMax(joint, 2, dtypes.Int32)}
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Cluster returns each point's component of the highest responsibility, as canonical labels [B][N]: at most K clusters. Nothing
// is random: rng is not read.
func (c *clusterer) Cluster(_ *rand.Rand, x []float32, b, n int) ([][]int32, error) {
	d := c.method.net.Dim
	if b < 1 || n < 1 || len(x) != b*n*d {
		return nil, fmt.Errorf("%d values are not %d sets of %d points of %d coordinates", len(x), b, n, d)
	}
	size := c.buckets.Points(n)
	in := padded(x, b, n, d, size)
	out, err := c.assign.Call(slices.Concat(c.weights, in)...)
	engine.Free(in...)
	if err != nil {
		return nil, err
	}
	defer engine.Free(out...)
	components, err := int32s(out[0])
	if err != nil {
		return nil, err
	}
	labels := make([][]int32, b)
	for set := range labels {
		labels[set], _ = metrics.Canonical(components[set*size : set*size+n])
	}
	return labels, nil
}

// int32s copies a tensor's values to the host.
func int32s(t *tensors.Tensor) ([]int32, error) {
	var values []int32
	err := engine.Try(func() error {
		var err error
		values, err = tensors.CopyFlatData[int32](t)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read labels: %w", err)
	}
	return values, nil
}
