package train

import (
	"math"
	"testing"
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
