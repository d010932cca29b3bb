package train

import (
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/losses"
)

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
			if drawn := task.Negative != nil || task.Drawn != nil; drawn != (lambda > 0) ||
				task.Kind != losses.DataStep {
				t.Errorf("λ = %g, %+v: a %s step with a sample: %v", lambda, at, task.Kind, drawn)
			}
			inputs[lambda] = len(must.M1(trainer.objective.Inputs(at, 0, task)))
		}
	}
	if inputs[0.4] != inputs[0]+2 { // labels and slots
		t.Errorf("%d inputs without a sample, %d with one", inputs[0], inputs[0.4])
	}
}
