package ccp

import (
	"math/rand/v2"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

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
