package peers_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/modelstest"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/models/peers/ccp"
	"github.com/gfncp/gfncp/models/peers/dac"
	"github.com/gfncp/gfncp/models/peers/st"
)

// What every peer promises; package train tests the rest of it on mixtures.

// eachMethod runs a test for every method on the points of net.
func eachMethod(t *testing.T, net models.Config, test func(t *testing.T, m peers.Method, weights models.Params)) {
	c := peers.Config{Width: 8, Heads: 2, Inducing: 3, Clusters: 3, Variant: peers.MinFilter, Latent: 2, Samples: 3}
	anchored := c
	anchored.Variant = peers.Anchored
	for name, m := range map[string]peers.Method{
		"ST": st.New(net, c), "DAC": dac.New(net, c), "anchored DAC": dac.New(net, anchored), "CCP": ccp.New(net, c),
	} {
		t.Run(name, func(t *testing.T) {
			test(t, m, modelstest.Weights(m.Layout(), newRand(2), 1.5))
		})
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// newBatch draws sets of points in −1..1 with labels [B,N].
func newBatch(b, n, d int, labels ...int32) *data.Batch {
	batch, rng := data.NewBatch(b, n, d), newRand(1)
	for i := range batch.X {
		batch.X[i] = 2*rng.Float32() - 1
	}
	copy(batch.Labels, labels)
	return batch
}

// step is the loss of a method and its gradient as a function of weights, share and inputs.
func step(m peers.Method) *engine.Func {
	count := len(m.Layout())
	return engine.NewFunc(enginetest.Go(), "step", func(in []*Node) []*Node {
		loss := m.Loss(in[:count], in[count], in[count+1:])
		return append([]*Node{loss}, Gradient(loss, in[:count]...)...)
	})
}

// evaluate calls step on inputs.
func evaluate(f *engine.Func, weights models.Params, share float32, in []*tensors.Tensor) [][]float32 {
	return enginetest.Call(f, slices.Concat(weights.Tensors(), []*tensors.Tensor{tensors.FromScalar(share)}, in)...)
}

// The loss is linear in share and adds up over the sets: a batch cut into shards gives the same.
func TestLossesAddUpOverSets(t *testing.T) {
	eachMethod(t, models.Default(2), func(t *testing.T, m peers.Method, weights models.Params) {
		batch, f := newBatch(3, 7, 2, 0, 1, 0, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 1, 2, 2), step(m)
		loss := func(share float32, rng *rand.Rand, batch *data.Batch) float64 {
			return float64(evaluate(f, weights, share, must.M1(m.Inputs(rng, batch, models.FineBuckets)))[0][0])
		}
		whole, rng, sum := loss(1.0/3, newRand(9), batch), newRand(9), 0.0
		for set := range batch.B {
			sum += loss(1, rng, batch.Slice(set, set+1)) / 3
		}
		if !(math.Abs(sum-whole) <= 1e-5*math.Abs(whole)) {
			t.Errorf("the sets' losses sum to %.7g, the batch's is %.7g", sum, whole)
		}
	})
}

// Networks for images train with the encoder and with dropout, which their inputs decide, and cluster. Evaluation,
// without random numbers, drops no units, and then padding changes nothing; CCP's loss has noise nevertheless.
func TestImages(t *testing.T) {
	net := models.DefaultImages()
	net.Embed = 8
	batch := newBatch(2, 4, net.Dim, 0, 0, 1, 1, 0, 1, 2, 0)
	exact := models.Buckets{Points: func(n int) int { return n }, Slots: func(n int) int { return n }}
	eachMethod(t, net, func(t *testing.T, m peers.Method, weights models.Params) {
		f, in := step(m), must.M1(m.Inputs(newRand(3), batch, models.FineBuckets))
		values := evaluate(f, weights, 0.5, in)
		for i, v := range values {
			if slices.ContainsFunc(v, func(x float32) bool { return x-x != 0 }) {
				t.Errorf("result %d is not finite", i)
			}
		}
		if slices.Max(values[1]) == 0 && slices.Min(values[1]) == 0 {
			t.Error("the encoder has no gradient")
		}
		again := must.M1(m.Inputs(newRand(3), batch, models.FineBuckets))
		if loss := evaluate(f, weights, 0.5, again)[0][0]; loss != values[0][0] {
			t.Errorf("the same random numbers give the losses %g and %g", values[0][0], loss)
		}
		again[len(again)-1] = models.DropoutState(newRand(4))
		if loss := evaluate(f, weights, 0.5, again)[0][0]; loss == values[0][0] {
			t.Errorf("another state of dropout gives the loss %g, too", loss)
		}
		c := must.M1(m.Open(enginetest.Go(), weights))
		for _, labels := range must.M1(c.Cluster(newRand(4), batch.X, batch.B, batch.N)) {
			if canonical, _ := metrics.Canonical(labels); len(labels) != 4 || !slices.Equal(canonical, labels) {
				t.Errorf("labels %v", labels)
			}
		}
		if _, draws := m.(*ccp.Method); draws {
			return
		}
		var losses []float64
		for _, buckets := range []models.Buckets{models.FineBuckets, exact} {
			in := must.M1(m.Inputs(nil, batch, buckets))
			losses = append(losses, float64(evaluate(f, weights, 0.5, in)[0][0]))
		}
		if !(math.Abs(losses[0]-losses[1]) <= 1e-5*math.Abs(losses[1])) {
			t.Errorf("padding changes the loss from %g to %g", losses[1], losses[0])
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	eachMethod(t, models.Default(2), func(t *testing.T, m peers.Method, weights models.Params) {
		if _, err := m.Open(enginetest.Go(), weights[1:]); err == nil {
			t.Error("missing weights are accepted")
		}
	})
}
