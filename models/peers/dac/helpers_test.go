package dac

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// goBackend is one Go backend for all tests.
var goBackend = sync.OnceValue(func() compute.Backend { return must.M1(must.M1(engine.Choose("go")).Open()) })

// noPadding keeps every size as it is.
var noPadding = models.Buckets{
	Points: func(n int) int { return n }, Rows: func(n int) int { return n }, Slots: func(n int) int { return n },
}

// tiny is a small network for points of two coordinates.
func tiny(variant string, likelihood bool) *Method {
	c := peers.Default(likelihood)
	c.Width, c.Heads, c.Inducing, c.Variant = 16, 2, 4, variant
	return New(models.Default(2), c)
}

// newRand is a generator of a fixed seed.
func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// newBatch draws b sets of n points in k clusters from a mixture of Gaussians, at a tenth of the default scale.
func newBatch(seed uint64, b, n, k int) *data.Batch {
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.FixedK = b, n, n, k
	batch := must.M1(must.M1(data.NewMoG(c)).Batch(seed, 0))
	for i := range batch.X {
		batch.X[i] /= 10
	}
	return batch
}

// call runs a graph function once and returns its results' values.
func call(t *testing.T, build func(in []*Node) []*Node, in ...*tensors.Tensor) [][]float32 {
	t.Helper()
	var values [][]float32
	for _, out := range must.M1(must.M1(engine.NewFunc(goBackend(), t.Name(), build)).Call(in...)) {
		values = append(values, must.M1(engine.Float32s(out)))
	}
	return values
}

// lossAndGradient returns the function weights, share, inputs → loss, gradient by each weight.
func lossAndGradient(m *Method) *engine.Func {
	count := len(m.Layout())
	return must.M1(engine.NewFunc(goBackend(), "loss and gradient", func(in []*Node) []*Node {
		loss := m.Loss(in[:count], in[count], in[count+1:])
		return append([]*Node{loss}, Gradient(loss, in[:count]...)...)
	}))
}

// evaluate returns the mean loss of a batch and its gradient by weight.
func evaluate(
	f *engine.Func, m *Method, weights models.Params, rng *rand.Rand, batch *data.Batch, buckets models.Buckets,
) [][]float32 {
	in := append([]*tensors.Tensor{tensors.FromScalar(1 / float32(batch.B))}, must.M1(m.Inputs(rng, batch, buckets))...)
	var values [][]float32
	for _, out := range must.M1(f.Call(slices.Concat(weights.Tensors(), in)...)) {
		values = append(values, must.M1(engine.Float32s(out)))
	}
	return values
}
