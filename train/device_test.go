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

// imageTrainer is a trainer of a small network on images, whose objective acts as on a device, and its renderer.
func imageTrainer(t *testing.T, source *data.PoolSource) (*Trainer, *deviceRenderer) {
	t.Helper()
	c := DefaultOn(GFNCP, data.SourceFile)
	c.Net.Hidden, c.Net.Embed, c.Net.Global = 16, 8, 8
	c.Data.Path, c.Data.Batch, c.Data.NMin, c.Data.NMax = "noise", 3, 5, 9
	c.Train.Shards = 1
	trainer := must.M1(New(openGo(t), func(data.Config) (data.Source, error) { return source, nil }, c))
	o := trainer.objective.(*energyObjective)
	if trainer.batches.device != nil || newDeviceRenderer(o.net.Backend, source, o) != nil {
		t.Error("the Go backend renders")
	}
	o.setPadding(must.M1(c.planned()), true)
	return trainer, newDeviceRenderer(o.net.Backend, source, o)
}

// onHost copies a batch that a device rendered to the host.
func onHost(batch *data.Batch) *data.Batch {
	host, there := *batch, onDevice(batch)
	all := must.M1(engine.Float32s(there))
	host.Device, host.X = nil, nil
	for set := range slices.Chunk(all, len(all)/batch.B) {
		host.X = append(host.X, set[:batch.N*batch.D]...)
	}
	return &host
}

// Images that stay where they were rendered give the objective of the same images from the host.
func TestImagesStayOnTheDevice(t *testing.T) {
	t.Parallel()
	trainer, renderer := imageTrainer(t, imageSource(data.ModeInstance, 0))
	batch := must.M1(renderer.batch(1, 4))
	if onDevice(batch) == nil || batch.X != nil {
		t.Fatalf("a batch with %d values on the host", len(batch.X))
	}
	copied := onHost(batch) // a step frees the batch's points
	there, host := must.M1(trainer.Loss(batch)), must.M1(trainer.Loss(copied))
	if !(math.Abs(there-host) <= 1e-4*math.Abs(host)) || host == 0 {
		t.Errorf("the loss is %g on the device, %g from the host", there, host)
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

func imageSource(mode string, fixedK int) *data.PoolSource {
	c := data.Default(data.SourceFile)
	c.Path, c.Mode, c.Batch, c.NMin, c.NMax, c.FixedK = "noise", mode, 3, 5, 9, fixedK
	if mode == data.ModeGenerative { // a class has one image
		c.NMin, c.NMax = fixedK, fixedK
	}
	return must.M1(data.NewPoolSource(c, noisePool()))
}

// TestDeviceRenderer: the graph renders what the host renders, here on the Go backend. Only the edge of a turned image
// may differ, where rounding decides whether a pixel is filled with black (augment, TestGraphMatchesHost).
func TestDeviceRenderer(t *testing.T) {
	t.Parallel()
	for _, source := range []*data.PoolSource{
		imageSource(data.ModeInstance, 0), imageSource(data.ModeGenerative, 5),
	} {
		_, device := imageTrainer(t, source)
		for step := range 3 {
			want, got := must.M1(source.Batch(7, step)), onHost(must.M1(device.batch(7, step)))
			if got.B != want.B || got.N != want.N || len(got.X) != len(want.X) ||
				!slices.Equal(got.Labels, want.Labels) ||
				!slices.Equal(got.Index, want.Index) || !slices.Equal(got.Views, want.Views) {
				t.Fatalf("step %d: another batch: B=%d N=%d, %d values", step, got.B, got.N, len(got.X))
			}
			differ := 0
			for i, v := range got.X {
				if !(math.Abs(float64(v-want.X[i])) <= 1e-4) {
					differ++
				}
			}
			if differ*1000 > len(want.X) {
				t.Errorf("%v, step %d: %d of %d pixels differ by more than 1e-4", source, step, differ, len(want.X))
			}
		}
	}
}

// Batches come from the source, or from the renderer of a device.
func TestWhoRenders(t *testing.T) {
	t.Parallel()
	source := imageSource(data.ModeInstance, 0)
	_, device := imageTrainer(t, source)
	want := must.M1(source.Batch(3, 2))
	host, there := &batches{source: source, seed: 3}, &batches{source: source, seed: 3, device: device}
	if got := must.M1(host.get(t.Context(), 2)); !slices.Equal(got.X, want.X) {
		t.Error("another batch than the source's")
	}
	if got := must.M1(there.get(t.Context(), 2)); !slices.Equal(got.Index, want.Index) || onDevice(got) == nil {
		t.Error("the device renders another step")
	}
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
