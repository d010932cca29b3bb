package st_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
)

// adam is Kingma & Ba's optimizer (2015, algorithm 1) on the host.
type adam struct {
	rate float64
	t    int
	m, v [][]float64
}

func (a *adam) update(ps models.Params, gradient [][]float32) {
	if a.m == nil {
		for _, p := range ps {
			a.m, a.v = append(a.m, make([]float64, len(p.Data))), append(a.v, make([]float64, len(p.Data)))
		}
	}
	a.t++
	c1, c2 := 1-math.Pow(0.9, float64(a.t)), 1-math.Pow(0.999, float64(a.t))
	for i, p := range ps {
		for j := range p.Data {
			g := float64(gradient[i][j])
			a.m[i][j] = 0.9*a.m[i][j] + 0.1*g
			a.v[i][j] = 0.999*a.v[i][j] + 0.001*g*g
			p.Data[j] -= float32(a.rate * (a.m[i][j] / c1) / (math.Sqrt(a.v[i][j]/c2) + 1e-8))
		}
	}
}

// oneGaussian is the mean negative log-likelihood of a batch's points under the best single Gaussian with diagonal
// covariance for each set: Σ_d ½·(log 2πs_d² + 1), s_d² the set's variance.
func oneGaussian(batch *data.Batch) float64 {
	var total float64
	for set := range batch.B {
		x, _ := batch.Set(set)
		for d := range batch.D {
			var mean, square float64
			for n := range batch.N {
				v := float64(x[n*batch.D+d])
				mean += v / float64(batch.N)
				square += v * v / float64(batch.N)
			}
			total += (math.Log(2*math.Pi*(square-mean*mean)) + 1) / 2
		}
	}
	return total / float64(batch.B)
}

// A few hundred steps bring the loss on sets never seen below what any single Gaussian reaches, and the clusters nearer
// to the data's than chance.
func TestTrainingBeatsOneGaussian(t *testing.T) {
	const b, n, k, spread = 16, 16, 2, 4
	m, rng := small(k), rand.New(rand.NewPCG(9, 0))
	ps, f, optimizer := m.Layout().Init(rng), step(t, m), &adam{rate: 1e-2}
	test := mixtures(rng, b, n, k, spread)
	first, _ := evaluate(t, m, f, ps, rng, test, exact)
	for range 200 {
		_, gradient := evaluate(t, m, f, ps, rng, mixtures(rng, b, n, k, spread), exact)
		optimizer.update(ps, gradient)
	}
	last, _ := evaluate(t, m, f, ps, rng, test, exact)
	bound := oneGaussian(test)
	var ari float64
	for set, labels := range must.M1(must.M1(m.Open(goBackend(), ps)).Cluster(nil, test.X, b, n)) {
		_, truth := test.Set(set)
		ari += must.M1(metrics.ARI(truth, labels)) / b
	}
	t.Logf("loss %.3f before, %.3f after; one Gaussian %.3f; ARI %.3f", first, last, bound, ari)
	if !(last < bound) {
		t.Errorf("loss %g after training, but one Gaussian reaches %g", last, bound)
	}
	if ari < 0.4 { // chance is 0
		t.Errorf("ARI %g", ari)
	}
}
