package train

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/losses"
)

// stepOf are the values and the gradient of step 0 of a config, and its task.
func stepOf(t *testing.T, c Config, device bool) (Values, []*tensors.Tensor, Task) {
	t.Helper()
	trainer := must.M1(New(openGo(t), sources.Source, c))
	o := trainer.objective.(*energyObjective)
	if device {
		o.setPadding(must.M1(c.planned()), true)
	}
	batch := must.M1(trainer.batches.get(t.Context(), 0))
	task := must.M1(o.Plan(t.Context(), Moment{}, batch))
	values, gradient, err := trainer.evaluator.compute(t.Context(), Moment{}, task)
	must.M(err)
	return values, gradient[1:], task
}

// What a device does, listing the candidates and sampling by the compiled loop, gives the losses, the gradient and the
// sample of the host's way.
func TestDeviceStepEqualsHost(t *testing.T) {
	t.Parallel()
	for name, beta := range map[string]float64{losses.DataStep: 1, losses.ExplorationStep: 0} {
		c := Default(GFNCP)
		c.Net.Hidden, c.Net.Embed, c.Net.Global = 16, 8, 12
		c.Data.Batch, c.Data.NMin, c.Data.NMax = 3, 19, 40
		c.Loss.Beta, c.Train.Shards, c.Loss.NLLWeight = max(beta-0.001, 0), 1, 0.3
		want, wantGradient, wantTask := stepOf(t, c, false)
		got, gradient, task := stepOf(t, c, true)
		if task.Kind != name || (task.Negative == nil) != (beta == 0) {
			t.Fatalf("%s step: kind %s, sampled %v", name, task.Kind, task.Negative)
		}
		near := func(what string, got, want float64) {
			if !(math.Abs(got-want) <= 1e-4*max(1, math.Abs(want))) {
				t.Errorf("%s step: %s %g, want %g", name, what, got, want)
			}
		}
		near("clusters sampled", meanClusters(task.Negative), meanClusters(wantTask.Negative))
		if len(got.Parts) != len(want.Parts) {
			t.Errorf("%s step: parts %v, want %v", name, got.Parts, want.Parts)
		}
		near("loss", got.Loss, want.Loss)
		near("norm", got.Norm, want.Norm)
		for part, value := range want.Parts {
			near(part, got.Parts[part], value)
		}
		for i, g := range gradient {
			values, wantValues := must.M1(engine.Float32s(g)), must.M1(engine.Float32s(wantGradient[i]))
			for j, v := range wantValues {
				if !(math.Abs(float64(values[j]-v)) <= 1e-4*want.Norm) {
					t.Fatalf("%s step: gradient %d at %d is %g, want %g", name, i, j, values[j], v)
				}
			}
		}
	}
}

// Images are brought to a device once, and give there the objective of the same images on the host. On the Go backend
// they stay on the host.
func TestImagesStayOnTheDevice(t *testing.T) {
	t.Parallel()
	c := DefaultOn(GFNCP, data.SourceFile)
	c.Net.Hidden, c.Net.Embed, c.Net.Global = 16, 8, 8
	c.Data.Path, c.Data.Batch, c.Data.NMin, c.Data.NMax = "noise", 3, 5, 9
	c.Train.Shards = 1
	source := imageSource()
	trainer := must.M1(New(openGo(t), func(data.Config) (data.Source, error) { return source, nil }, c))
	host := must.M1(trainer.batches.get(t.Context(), 4))
	trainer.objective.(*energyObjective).setPadding(must.M1(c.planned()), true)
	there := must.M1(trainer.batches.get(t.Context(), 4))
	if host.Device != nil || there.Device == nil || !slices.Equal(host.X, there.X) {
		t.Fatalf("points on a device: %v of the Go backend, %v of a device", host.Device, there.Device)
	}
	got, want := must.M1(trainer.Loss(there)), must.M1(trainer.Loss(host))
	if !(math.Abs(got-want) <= 1e-4*math.Abs(want)) || want == 0 {
		t.Errorf("the loss is %g on the device, %g from the host", got, want)
	}
}

func openGo(t *testing.T) compute.Backend {
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	t.Cleanup(func() { backend.Finalize() })
	return backend
}

// noisePool has nine images of noise, each of a class of its own.
func noisePool() *data.Pool {
	p := &data.Pool{Name: "noise", D: 784, Height: 28, Width: 28}
	rng := data.Rand(1, "noise", 0)
	for i := range 9 {
		p.Labels, p.Classes = append(p.Labels, int32(i)), append(p.Classes, string(rune('a'+i)))
		for range p.D {
			p.X = append(p.X, rng.Float32())
		}
	}
	return p
}

func imageSource() *data.PoolSource {
	c := data.Default(data.SourceFile)
	c.Path, c.Batch, c.NMin, c.NMax = "noise", 3, 5, 9
	return must.M1(data.NewPoolSource(c, noisePool()))
}

// Contrastive divergence alone reads a sample from the policy: where λ is 0 none is drawn, in training and in
// validations, and the graph of the step has no input for one.
func TestNoSampleWhereNoneCounts(t *testing.T) {
	t.Parallel()
	backend, inputs := openGo(t), map[float64]int{}
	for _, lambda := range []float64{0, 0.4} {
		c := Default(GFNCP)
		c.Net.Hidden, c.Net.Embed, c.Net.Global = 16, 8, 12
		c.Data.Batch, c.Data.NMin, c.Data.NMax = 3, 5, 9
		c.Loss.Beta, c.Loss.Lambda = 1, lambda
		trainer := must.M1(New(backend, sources.Source, c))
		batch := must.M1(trainer.batches.get(t.Context(), 0))
		for _, at := range []Moment{{}, {Held: true}} {
			task := must.M1(trainer.objective.Plan(t.Context(), at, batch))
			if drawn := task.Negative != nil; drawn != (lambda > 0) || task.Kind != losses.DataStep {
				t.Errorf("λ = %g, %+v: a %s step with a sample: %v", lambda, at, task.Kind, drawn)
			}
			inputs[lambda] = len(must.M1(trainer.objective.Inputs(at, 0, task)))
		}
	}
	if inputs[0.4] != inputs[0]+2 { // labels and slots
		t.Errorf("%d inputs without a sample, %d with one", inputs[0], inputs[0.4])
	}
}
