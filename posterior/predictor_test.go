package posterior

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/metrics"
)

// predictAll collects what a predictor says of further points.
func predictAll(t *testing.T, p *Predictor, d int, x []float64) [][][]float64 {
	t.Helper()
	all := make([][][]float64, len(x)/d)
	points := func(from, to int) []float64 { return x[from*d : to*d] }
	if err := p.Each(t.Context(), len(all), points, func(i int, logJoint [][]float64) {
		for _, row := range logJoint {
			all[i] = append(all[i], slices.Clone(row))
		}
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// Each number is a ratio of joint probabilities that share no code with it: log p(c, c_new, x, x_new) − log p(c, x), up
// to a constant that the clusters share. With one point more, the prior has another α where that is unknown, and bounds
// on K; each state has its own law.
func TestPredictorAgainstJoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(171, 172))
	const n, m, d = 12, 9, 2
	for _, prior := range []CRP{{Alpha: 1.3}, {Alpha: 0.3, AlphaMax: 3}, {Alpha: 0.5, AlphaMax: 5, MinK: 2, MaxK: 4}} {
		models := []Likelihood{randomNIW(rng, d), StandardNIW(d), Gaussian{Dim: d, Tau: 2, Sigma: 0.7}}
		x := drawPoints(rng, models[0], randomLabels(rng, n, 3))
		more := drawPoints(rng, models[0], randomLabels(rng, m, 9))
		var states []State
		for _, model := range models {
			labels := randomLabels(rng, n, 2)
			labels[0], labels[1], labels[2] = 7, 0, 1 // names of any kind
			states = append(states, State{Labels: labels, Model: model})
		}
		states[2].Labels = []int32{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3} // as many as MaxK
		law := must[Prior](t)(prior.Prior(n + 1))
		got := predictAll(t, must[*Predictor](t)(NewPredictor(prior, x, states)), d, more)
		for i := range m {
			longer := append(slices.Clone(x), more[i*d:(i+1)*d]...)
			for s, state := range states {
				canonical, k := metrics.Canonical(state.Labels)
				before := must[float64](t)(LogLikelihood(state.Model, x, canonical))
				var want, priors []float64
				for c := range k + 1 {
					labels := append(slices.Clone(canonical), int32(c))
					after := must[float64](t)(LogLikelihood(state.Model, longer, labels))
					p := law(sizesOf(labels))
					want, priors = append(want, p+after-before), append(priors, p)
				}
				floats.AddConst(-floats.LogSumExp(priors), want)
				for c, w := range want {
					if g := got[i][s][c]; !(math.Abs(g-w) <= 1e-9) && !(math.IsInf(w, -1) && math.IsInf(g, -1)) {
						t.Errorf("%+v, state %d, point %d, cluster %d: %v, want %v", prior, s, i, c, g, w)
					}
				}
			}
		}
	}
}

// Many points, on several goroutines, get to the last bit what each gets alone; Progress counts to the end.
func TestPredictorKnowsNoCompany(t *testing.T) {
	rng := rand.New(rand.NewPCG(173, 174))
	w := randomNIW(rng, 3)
	x, labels := drawPoints(rng, w, randomLabels(rng, 40, 4)), randomLabels(rng, 40, 4)
	p := must[*Predictor](t)(NewPredictor(CRP{Alpha: 1}, x, []State{{Labels: labels, Model: w}}))
	last := 0
	p.Progress = func(done, total int) {
		if done <= last || total != 5000 {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last = done
	}
	more := drawPoints(rng, w, randomLabels(rng, 5000, 4))
	all := predictAll(t, p, 3, more)
	if last != 5000 {
		t.Errorf("%d points were counted", last)
	}
	p.Progress = nil
	for i := 0; i < 5000; i += 617 {
		if alone := predictAll(t, p, 3, more[3*i:3*i+3]); !slices.Equal(alone[0][0], all[i][0]) {
			t.Errorf("point %d: %v, alone %v", i, all[i][0], alone[0][0])
		}
	}
	if none := predictAll(t, p, 3, nil); len(none) != 0 {
		t.Errorf("no points gave %v", none)
	}
}

// In directions a state predicts as in what the points are there.
func TestPredictorSeesDirections(t *testing.T) {
	rng := rand.New(rand.NewPCG(305, 306))
	x, more, labels := normals(rng, 3*8), normals(rng, 3*5), []int32{0, 1, 0, 1, 1, 0, 2, 0}
	directions := [][]float64{{1, 0, 2}, {0, -1, 1}}
	w := StandardNIW(2)
	p := must[*Predictor](t)(NewPredictor(CRP{Alpha: 1}, x, []State{
		{Labels: labels, Model: w, Directions: directions}, {Labels: labels, Model: StandardNIW(3)},
	}))
	alone := []State{{Labels: labels, Model: w}}
	plain := must[*Predictor](t)(NewPredictor(CRP{Alpha: 1}, project(x, directions), alone))
	got, want := predictAll(t, p, 3, more), predictAll(t, plain, 2, project(more, directions))
	for i := range got {
		for k, v := range want[i][0] {
			near(t, "log-density", got[i][0][k], v, 1e-12)
		}
	}
}

func TestPredictorFaults(t *testing.T) {
	w, x := StandardNIW(2), []float64{0, 1, 2, 3}
	for name, c := range map[string]struct {
		states []State
		want   error
	}{
		"no states": {nil, metrics.ErrTooFew},
		"labels":    {[]State{{Labels: []int32{0}, Model: w}}, metrics.ErrLength},
		"dimensions": {[]State{
			{Labels: []int32{0, 1}, Model: w}, {Labels: []int32{0, 1, 1, 1}, Model: StandardNIW(1)},
		}, metrics.ErrLength},
		"directions": {[]State{
			{Labels: []int32{0, 1}, Model: w, Directions: [][]float64{{1, 0}}},
		}, metrics.ErrLength},
	} {
		if _, err := NewPredictor(CRP{Alpha: 1}, x, c.states); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := NewPredictor(CRP{Alpha: 1, MinK: 4}, x, []State{{Labels: []int32{0, 1}, Model: w}}); err == nil {
		t.Error("a prior that excludes the state is taken")
	}
	if _, err := NewPredictor(CRP{}, x, []State{{Labels: []int32{0, 1}, Model: w}}); err == nil {
		t.Error("a prior without α is taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := must[*Predictor](t)(NewPredictor(CRP{Alpha: 1}, x, []State{{Labels: []int32{0, 1}, Model: w}}))
	err := p.Each(ctx, 2, func(from, to int) []float64 { return x[2*from : 2*to] }, func(int, [][]float64) {})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
