package train

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

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
		o.pads(c.planned(), true)
	}
	batch := must.M1(trainer.batches.get(t.Context(), 0))
	task := must.M1(o.Plan(t.Context(), Moment{}, batch))
	values, gradient, err := trainer.evaluator.compute(t.Context(), Moment{}, task)
	must.M(err)
	return values, gradient, task
}

// What a device does, listing the candidates and keeping what it samples, gives the losses, the gradient and the sample
// of the host's way.
func TestDeviceStepEqualsHost(t *testing.T) {
	t.Parallel()
	for name, beta := range map[string]float64{losses.DataStep: 1, losses.ExplorationStep: 0} {
		c := Default(GFNCP)
		c.Net.Hidden, c.Net.Embed, c.Net.Global = 16, 8, 12
		c.Data.Batch, c.Data.NMin, c.Data.NMax = 3, 19, 40
		c.Loss.Beta, c.Train.Shards = beta, 1
		want, wantGradient, wantTask := stepOf(t, c, false)
		got, gradient, task := stepOf(t, c, true)
		if task.Kind != name || (task.Drawn == nil) != (beta == 0) || task.Negative != nil {
			t.Fatalf("%s step: kind %s, drawn %v, sampled on the host %v", name, task.Kind, task.Drawn, task.Negative)
		}
		near := func(what string, got, want float64) {
			if !(math.Abs(got-want) <= 1e-4*max(1, math.Abs(want))) {
				t.Errorf("%s step: %s %g, want %g", name, what, got, want)
			}
		}
		near("clusters sampled", task.sampled(), wantTask.sampled())
		near("loss", got.Loss, want.Loss)
		near("norm", *got.norm, *want.norm)
		for part, value := range want.Parts {
			near(part, got.Parts[part], value)
		}
		for i, g := range gradient {
			values, wantValues := must.M1(engine.Float32s(g)), must.M1(engine.Float32s(wantGradient[i]))
			for j, v := range wantValues {
				if !(math.Abs(float64(values[j]-v)) <= 1e-4**want.norm) {
					t.Fatalf("%s step: gradient %d at %d is %g, want %g", name, i, j, values[j], v)
				}
			}
		}
	}
}
