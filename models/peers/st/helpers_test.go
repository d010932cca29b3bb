package st_test

import (
	"math/rand/v2"
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
	"github.com/gfncp/gfncp/models/peers/st"
)

var goBackend = sync.OnceValue(func() compute.Backend { return must.M1(must.M1(engine.Choose("go")).Open()) })

// exact buckets leave sizes as they are.
var exact = models.Buckets{Points: func(n int) int { return n }}

// small is a small ST for points of two coordinates.
func small(clusters int) *st.Method {
	return st.New(models.Default(2), peers.Config{Width: 16, Heads: 4, Inducing: 4, Clusters: clusters})
}

// mixtures draws B sets of N points from k Gaussians of standard deviation 1, whose means are normal with the given
// spread.
func mixtures(rng *rand.Rand, b, n, k int, spread float64) *data.Batch {
	batch := data.NewBatch(b, n, 2)
	for set := range b {
		x, labels := batch.Set(set)
		means := make([]float64, 2*k)
		for i := range means {
			means[i] = rng.NormFloat64() * spread
		}
		for i := range labels {
			labels[i] = int32(i % k)
			for d := range 2 {
				x[2*i+d] = float32(means[2*int(labels[i])+d] + rng.NormFloat64())
			}
		}
	}
	return batch
}

// step is the loss and its gradient as a compiled function of weights, share and inputs.
func step(t testing.TB, m *st.Method) *engine.Func {
	t.Helper()
	count := len(m.Layout())
	return must.M1(engine.NewFunc(goBackend(), "step", func(in []*Node) []*Node {
		loss := m.Loss(in[:count], in[count], in[count+1:])
		return append([]*Node{loss}, Gradient(loss, in[:count]...)...)
	}))
}

// evaluate returns the loss of a batch, a mean over its sets, and the gradient by weight. rng is that of Inputs.
func evaluate(
	t testing.TB, m *st.Method, f *engine.Func, ps models.Params, rng *rand.Rand,
	batch *data.Batch, buckets models.Buckets,
) (float64, [][]float32) {
	t.Helper()
	in := append(ps.Tensors(), tensors.FromScalar(1/float32(batch.B)))
	in = append(in, must.M1(m.Inputs(rng, batch, buckets))...)
	out := must.M1(f.Call(in...))
	engine.Free(in...)
	gradient := make([][]float32, len(ps))
	for i := range gradient {
		gradient[i] = must.M1(engine.Float32s(out[i+1]))
	}
	loss := float64(tensors.ToScalar[float32](out[0]))
	engine.Free(out...)
	return loss, gradient
}
