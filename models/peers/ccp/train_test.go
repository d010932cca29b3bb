package ccp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// adam is the optimizer on the host (Kingma and Ba 2015).
type adam struct {
	rate         float64
	step         int
	first, power [][]float64
}

func (a *adam) apply(weights models.Params, grads [][]float32) {
	a.step++
	if a.first == nil {
		for _, g := range grads {
			a.first, a.power = append(a.first, make([]float64, len(g))), append(a.power, make([]float64, len(g)))
		}
	}
	biasFirst, biasPower := 1-math.Pow(0.9, float64(a.step)), 1-math.Pow(0.999, float64(a.step))
	for i, g := range grads {
		for j, v := range g {
			a.first[i][j] += 0.1 * (float64(v) - a.first[i][j])
			a.power[i][j] += 0.001 * (float64(v)*float64(v) - a.power[i][j])
			weights[i].Data[j] -= float32(
				a.rate * a.first[i][j] / biasFirst / (math.Sqrt(a.power[i][j]/biasPower) + 1e-8),
			)
		}
	}
}

// A short training on well separated mixtures clusters them far better than chance.
func TestTraining(t *testing.T) {
	m := New(models.Config{Encoder: models.EncoderMLP, Dim: 2, Hidden: 16, Embed: 16, Global: 1},
		peers.Config{Width: 16, Latent: 4, Samples: 3})
	d := data.DefaultMoG()
	d.Batch, d.NMin, d.NMax, d.AlphaMin, d.AlphaMax, d.MaxK = 16, 20, 20, 1, 1, 4
	source := must.M1(data.NewMoG(d))
	weights := m.Layout().Init(rand.New(rand.NewPCG(1, 1)))
	gradient, optimizer := lossFunc(t, m, true), &adam{rate: 3e-3}
	buckets := models.FineBuckets
	buckets.Rows = func(n int) int { return (n + 511) / 512 * 512 } // few shapes: compiling takes most of the time
	var early, late float64
	const steps = 110
	for step := range steps {
		batch := must.M1(source.Batch(1, step))
		for i := range batch.X {
			batch.X[i] /= 5
		}
		loss, grads := gradient(weights, 1.0/16, must.M1(m.Inputs(data.Rand(1, "step", step), batch, buckets)))
		optimizer.apply(weights, grads)
		if step < 20 {
			early += loss / 20
		} else if step >= steps-40 {
			late += loss / 40
		}
	}
	batch := must.M1(source.Batch(2, 0))
	for i := range batch.X {
		batch.X[i] /= 5
	}
	nmi := 0.0
	for b, labels := range must.M1(newClusterer(t, m, weights).Cluster(rand.New(rand.NewPCG(1, 1)),
		batch.X, batch.B, batch.N)) {
		_, truth := batch.Set(b)
		nmi += must.M1(metrics.NMI(truth, labels)) / float64(batch.B)
	}
	t.Logf("loss %.2f, then %.2f nats; NMI %.3f", early, late, nmi)
	if !(late < 0.5*early) || !(nmi > 0.6) {
		t.Errorf("loss fell from %.2f to %.2f nats only, NMI %.3f", early, late, nmi)
	}
}

// A network for images trains with dropout from the inputs' random state and evaluates without.
func TestImages(t *testing.T) {
	m := New(models.DefaultImages(), peers.Config{Width: 8, Latent: 2, Samples: 2})
	weights := newWeights(m, 1, 1)
	batch := data.NewBatch(2, 4, 784)
	copy(batch.X, newPoints(1, len(batch.X)))
	copy(batch.Labels, []int32{0, 1, 0, 1, 0, 0, 1, 2})
	loss := lossFunc(t, m, true)
	run := func(seed uint64) float64 {
		value, grads := loss(weights, 0.5, must.M1(m.Inputs(rand.New(rand.NewPCG(7, seed)), batch, models.FineBuckets)))
		for i, g := range grads {
			for _, v := range g {
				if v-v != 0 {
					t.Fatalf("gradient of %s holds %v", weights[i].Name, v)
				}
			}
		}
		return value
	}
	if a, b := run(1), run(1); a != b || !(a > 0) {
		t.Errorf("the same state gave losses %g and %g", a, b)
	}
	in := must.M1(m.Inputs(rand.New(rand.NewPCG(7, 1)), batch, models.FineBuckets))
	if len(in) != numInputs+1 {
		t.Errorf("%d inputs, want a state of dropout after %d", len(in), numInputs)
	}
	in[numInputs] = must.M1(m.Inputs(rand.New(rand.NewPCG(8, 1)), batch, models.FineBuckets))[numInputs]
	if a, _ := loss(weights, 0.5, in); a == run(1) {
		t.Errorf("another state of dropout gave the same loss %g", a)
	}
	c := newClusterer(t, m, weights)
	if labels := must.M1(c.Cluster(rand.New(rand.NewPCG(1, 1)), batch.X, 2, 4)); len(labels) != 2 ||
		len(labels[0]) != 4 {
		t.Errorf("labels %v", labels)
	}
}
