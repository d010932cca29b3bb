package dac

import (
	"math"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// adam is the optimizer on the host, with the usual constants.
type adam struct {
	rate          float64
	step          int
	first, second [][]float64
}

func (a *adam) apply(weights models.Params, gradients [][]float32) {
	if a.first == nil {
		for _, p := range weights {
			a.first, a.second = append(a.first, make([]float64, len(p.Data))),
				append(a.second, make([]float64, len(p.Data)))
		}
	}
	a.step++
	scale := a.rate * math.Sqrt(1-math.Pow(0.999, float64(a.step))) / (1 - math.Pow(0.9, float64(a.step)))
	for i, p := range weights {
		for j, g := range gradients[i] {
			g := float64(g)
			a.first[i][j] = 0.9*a.first[i][j] + 0.1*g
			a.second[i][j] = 0.999*a.second[i][j] + 0.001*g*g
			p.Data[j] -= float32(scale * a.first[i][j] / (math.Sqrt(a.second[i][j]) + 1e-8))
		}
	}
}

// train takes steps on fresh batches of sets of 16 points in 3 clusters and returns the loss of each.
func train(m *Method, weights models.Params, steps int) (losses []float64) {
	f, optimizer := lossAndGradient(m), &adam{rate: 5e-3}
	for step := range steps {
		batch := newBatch(uint64(100+step), 8, 16, 3)
		values := evaluate(f, m, weights, newRand(uint64(step)), batch, models.FineBuckets)
		losses = append(losses, float64(values[0][0]))
		optimizer.apply(weights, values[1:])
	}
	return losses
}

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// A short training of a tiny network: the loss falls, and new sets are clustered. Seen with these seeds: min-filtering
// from 3.1 to 0.16 with an ARI of 0.86, anchored filtering from 0.70 to 0.44 with 0.57. The bounds leave room for other
// rounding; one cluster for all has ARI 0.
func TestTraining(t *testing.T) {
	for _, c := range []struct {
		variant         string
		likelihood      bool
		steps           int
		lossTo, ariFrom float64
	}{
		{peers.MinFilter, true, 140, 1, 0.5},
		{peers.Anchored, false, 140, 0.6, 0.25},
	} {
		t.Run(c.variant, func(t *testing.T) {
			m := tiny(c.variant, c.likelihood)
			weights := m.Layout().Init(newRand(1))
			losses := train(m, weights, c.steps)
			if end := mean(losses[len(losses)-20:]); !(end < c.lossTo) {
				t.Errorf("the loss fell from %.3f to %.3f, want below %g", mean(losses[:5]), end, c.lossTo)
			}
			clusterer := must.M1(m.Open(goBackend(), weights))
			batch := newBatch(99, 20, 16, 3)
			var aris []float64
			for set, labels := range must.M1(clusterer.Cluster(newRand(5), batch.X, batch.B, batch.N)) {
				_, truth := batch.Set(set)
				aris = append(aris, must.M1(metrics.ARI(truth, labels)))
			}
			t.Logf("loss from %.3f to %.3f, ARI %.3f", mean(losses[:5]), mean(losses[len(losses)-20:]), mean(aris))
			if !(mean(aris) > c.ariFrom) {
				t.Errorf("ARI of new sets is %.3f, want above %g", mean(aris), c.ariFrom)
			}
		})
	}
}
