package sampling

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
)

// The kinds of networks that predict: whose points are embedded alone, and those whose points look at their whole set
// and whose last decisions need no hidden layers.
func withMoments() *models.Network { return netOf(models.Config{Extended: true, Online: true}, 8, 1.5) }

func summing() *models.Network { return netOf(models.Config{Extended: true}, 2, 1) }

// predicted are the probabilities [labelling][M][K+1] of further points x [M,2].
func predicted(t *testing.T, p *Predictor, x []float32) [][][]float64 {
	t.Helper()
	var mu sync.Mutex
	out := make([][][]float64, len(p.states))
	for i := range out {
		out[i] = make([][]float64, len(x)/2)
	}
	points := func(from, to int) []float32 { return x[2*from : 2*to] }
	must.M(p.Each(t.Context(), len(x)/2, points, func(point int, probs [][]float64) {
		mu.Lock()
		defer mu.Unlock()
		for labelling := range out {
			if out[labelling][point] != nil {
				t.Errorf("point %d was decided twice", point)
			}
			out[labelling][point] = slices.Clone(probs[labelling])
		}
	}))
	return out
}

// Each point of a set, taken out and predicted, gets the last decision of the network: the last row of the energy table
// with the point put last.
func TestPredictIsTheLastDecision(t *testing.T) {
	const n = 9
	for name, net := range map[string]*models.Network{
		"own": withMoments(), "summing": summing(),
	} {
		x := newPoints(3, 1, n)
		for i := range n {
			rest := slices.Concat(x[:2*i], x[2*i+2:])
			labels := randomLabels(uint64(i), 2, n-1, 3)
			p := must.M1(NewPredictor(t.Context(), net, rest, labels))
			got := predicted(t, p, x[2*i:2*i+2])
			for s, l := range labels {
				canon, k := metrics.Canonical(l)
				tables := must.M1(net.Tables(slices.Concat(rest, x[2*i:2*i+2]), append(canon, 0), 1, n))
				want := softmaxNeg(narrowed(tables[0][n-1]), nil)
				if len(want) != k+1 || len(got[s][0]) != k+1 {
					t.Fatalf("%s: %d probabilities of %d clusters, want %d", name, len(got[s][0]), k, k+1)
				}
				for j, v := range want {
					assertNear(t, name+": probability", got[s][0][j], v, 1e-4)
				}
			}
		}
	}
}

// A point's decision depends neither on the others that come with it, nor on their number and order, whatever its
// embedding sees of the set; equal points get equal decisions, and all are probabilities.
func TestPredictedPointsAreAlone(t *testing.T) {
	const n, m = 40, 5000
	for name, net := range map[string]*models.Network{
		"own": withMoments(), "summing": summing(),
	} {
		p := must.M1(NewPredictor(t.Context(), net, newPoints(3, 1, n), randomLabels(1, 2, n, 4)))
		few := newPoints(5, 1, 50)
		x := slices.Concat(few, newPoints(6, 1, m-len(few)/2))
		copy(x[2*m-2:], x[:2])
		all, some := predicted(t, p, x), predicted(t, p, few)
		for s := range all {
			for i, probs := range some[s] {
				alone := predicted(t, p, few[2*i:2*i+2])[s][0]
				sum := 0.0
				for k, v := range probs {
					assertNear(t, name+": among many", all[s][i][k], v, 1e-5)
					assertNear(t, name+": alone", alone[k], v, 1e-5)
					sum += v
				}
				assertNear(t, "sum", sum, 1, 1e-12)
			}
			for k, v := range all[s][m-1] {
				assertNear(t, name+": an equal point", v, all[s][0][k], 1e-6)
			}
		}
	}
}

// Progress counts the points; a context ends the work.
func TestPredictProgressAndEnd(t *testing.T) {
	net := withMoments()
	p := must.M1(NewPredictor(t.Context(), net, newPoints(3, 1, 5), randomLabels(1, 1, 5, 2)))
	last := 0
	p.Progress = func(done, total int) {
		if done <= last || total != 9000 {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last = done
	}
	x := newPoints(7, 1, 9000)
	predicted(t, p, x)
	if last != 9000 {
		t.Errorf("%d points heard of", last)
	}
	p.Progress = nil
	ctx, stop := context.WithCancel(t.Context())
	stop()
	points := func(from, to int) []float32 { return x[2*from : 2*to] }
	if err := p.Each(ctx, 9000, points, func(int, [][]float64) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := NewPredictor(t.Context(), net, x[:10], [][]int32{{0, 1}}); !errors.Is(err, metrics.ErrLength) {
		t.Errorf("error %v", err)
	}
	x[100] = float32(math.Inf(1))
	if err := p.Each(t.Context(), 9000, points, func(int, [][]float64) {}); !errors.Is(err, metrics.ErrNotFinite) {
		t.Errorf("error %v", err)
	}
}

// narrowed are numbers in float32.
func narrowed(x []float64) (y []float32) {
	for _, v := range x {
		y = append(y, float32(v))
	}
	return y
}
