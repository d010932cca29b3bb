package train

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
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

// Five steps on two weights, of gradients above and below the bound and one of 0, equal those of the reference, with
// clipping and without. Adam forgets the scale of a gradient that never changes: only different ones show what was
// clipped.
func TestStepsEqualAdam(t *testing.T) {
	t.Parallel()
	gradients := [][]float64{
		{3, -4, 12, 0, 84}, {0.1, 0.2, -0.2, 0.4, 0}, {0, 0, 0, 0, 0}, {-30, 7, 1, 2, 0.5}, {0.3, 0, 0, 0, -0.4},
	}
	norms := []float64{85, 0.5, 0, math.Sqrt(900 + 49 + 1 + 4 + 0.25), 0.5}
	for _, clip := range []float64{0, 1, 20} {
		options := Options{Steps: 8, LearningRate: 0.05, FinalRate: 0.01, RateEvery: 2, ClipNorm: clip}
		weights := models.Params{
			{Name: "a", Shape: []int{3}, Data: []float32{1, -2, 0.5}},
			{Name: "b", Shape: []int{2}, Data: []float32{0, 3}},
		}
		store := must.M1(weights.Store())
		backend := openGo(t)
		o := must.M1(newOptimizer(backend, store, weights, options))
		sizes := must.M1(engine.NewFunc(backend, "norm", func(in []*Node) []*Node { return []*Node{norm(in)} }))
		want := &adam{w: []float64{1, -2, 0.5, 0, 3}, m: make([]float64, 5), v: make([]float64, 5)}
		for step, given := range gradients {
			grads := make([]float32, 5)
			for i, g := range given {
				grads[i] = float32(g)
			}
			in := []*tensors.Tensor{
				tensors.FromFlatDataAndDimensions(grads[:3], 3), tensors.FromFlatDataAndDimensions(grads[3:], 2),
			}
			size := must.M1(sizes.Call(in...))[0]
			norm := must.M1(engine.Float64(size))
			if !(math.Abs(norm-norms[step]) <= 1e-6*norms[step]) {
				t.Errorf("the norm of gradient %d is %g, want %g", step, norm, norms[step])
			}
			must.M(o.apply(step, &gradient{norm: size, by: in}))
			want.step(options.rate(step), clip, given)
			for i, p := range must.M1(weights.FromStore(store)) {
				for j, got := range p.Data {
					if w := want.w[3*i+j]; !(math.Abs(float64(got)-w) <= 1e-6*max(1, math.Abs(w))) {
						t.Fatalf("clip %g, after step %d: weight %s[%d] = %.8g, want %.8g",
							clip, step, p.Name, j, got, w)
					}
				}
			}
		}
	}
}
