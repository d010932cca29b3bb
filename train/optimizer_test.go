package train

import (
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/engine"
)

// The rates by hand: the cosine at multiples of π/10 and π/4, held for RateEvery steps, and the Set Transformer's two
// rates.
func TestRateSchedule(t *testing.T) {
	t.Parallel()
	cosine := Options{Steps: 100, LearningRate: 1, FinalRate: 0.1, RateEvery: 10}
	each := cosine
	each.RateEvery = 1
	half := Options{Steps: 7, LearningRate: 2, FinalRate: 0.5, RateEvery: 1, Schedule: ScheduleHalf}
	for _, test := range []struct {
		options Options
		step    int
		want    float64
	}{
		{cosine, 0, 1},
		{cosine, 9, 1},
		{cosine, 10, 0.977975432},
		{cosine, 19, 0.977975432},
		{cosine, 50, 0.55},
		{cosine, 59, 0.55},
		{cosine, 99, 0.122024568},
		{each, 25, 0.868198052},
		{each, 50, 0.55},
		{each, 75, 0.231801948},
		{half, 0, 2},
		{half, 2, 2},
		{half, 3, 0.2},
		{half, 6, 0.2},
	} {
		if got := test.options.rate(test.step); !(math.Abs(got-test.want) <= 1e-9) {
			t.Errorf("%+v: the rate of step %d is %.10g, want %.10g", test.options, test.step, got, test.want)
		}
	}
}

// adam is the reference in float64 (Kingma and Ba 2015, algorithm 1), with the gradient scaled to at most clip before
// (0: never).
type adam struct {
	w, m, v []float64
	t       int
}

func (a *adam) step(rate, clip float64, gradient []float64) (norm float64) {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-8
	for _, g := range gradient {
		norm += g * g
	}
	norm = math.Sqrt(norm)
	scale := 1.0
	if clip > 0 && norm > clip {
		scale = clip / norm
	}
	a.t++
	for i, g := range gradient {
		g *= scale
		a.m[i] = beta1*a.m[i] + (1-beta1)*g
		a.v[i] = beta2*a.v[i] + (1-beta2)*g*g
		m, v := a.m[i]/(1-math.Pow(beta1, float64(a.t))), a.v[i]/(1-math.Pow(beta2, float64(a.t)))
		a.w[i] -= rate * m / (math.Sqrt(v) + epsilon)
	}
	return norm
}

// Twelve steps of training move the weights as Adam in float64 moves them by the same gradients, and the gradient of
// the last step is the one that a new trainer computes from the same weights. GoMLX v0.28.15 and v0.28.16 fail here:
// they keep a variable's first value in a graph that is not marked as training.
func TestTrainingEqualsAdam(t *testing.T) {
	t.Parallel()
	const steps = 12
	for _, name := range []string{GFNCP, NCP} {
		c := Default(name)
		c.Net.Hidden, c.Net.Embed, c.Net.Global = 16, 8, 12
		c.Data.Batch, c.Data.NMin, c.Data.NMax = 2, 20, 30
		c.Train.LearningRate, c.Train.Steps, c.Train.RateEvery = 0.01, steps, 1
		trainer := must.M1(New(openGo(t), sources.Source, c))
		flat := flatWeights(trainer)
		want := &adam{w: flat, m: make([]float64, len(flat)), v: make([]float64, len(flat))}
		var last []float64
		for step := range steps {
			if step == steps-1 {
				fresh := must.M1(Open(openGo(t), sources.Source, c, must.M1(trainer.Weights())))
				fresh.Step = step
				last = nextGradient(t, fresh)
			}
			got := nextGradient(t, trainer)
			if step == steps-1 {
				near(t, name+": the last gradient", got, last, 1e-5)
			}
			want.step(c.Train.rate(step), c.Train.ClipNorm, got)
			must.M1(trainer.Advance())
		}
		near(t, name+": the weights", flatWeights(trainer), want.w, 1e-5)
	}
}

// nextGradient is the gradient of a trainer's next step, which it does not take.
func nextGradient(t *testing.T, trainer *Trainer) []float64 {
	t.Helper()
	batch := must.M1(trainer.batches.get(t.Context(), trainer.Step))
	_, _, g, err := trainer.evaluate(t.Context(), Moment{Index: trainer.Step}, batch)
	must.M(err)
	defer engine.Free(g...)
	return widen(flat(g[1:]))
}

func flatWeights(trainer *Trainer) (flat []float64) {
	for _, p := range must.M1(trainer.Weights()) {
		flat = append(flat, widen(p.Data)...)
	}
	return flat
}

func widen(values []float32) []float64 {
	wide := make([]float64, len(values))
	for i, v := range values {
		wide[i] = float64(v)
	}
	return wide
}

// near fails where numbers differ by more than a share of the largest.
func near(t *testing.T, what string, got, want []float64, share float64) {
	t.Helper()
	largest, worst := 0.0, 0.0
	for i, w := range want {
		largest, worst = max(largest, math.Abs(w)), max(worst, math.Abs(got[i]-w))
	}
	if !(worst <= share*largest) || slices.Max(want) == 0 {
		t.Errorf("%s differ by up to %.2g, of at most %.2g", what, worst, largest)
	}
}
