package xla

import (
	"math"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/internal/engine/xlatest"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// Energies differ from the Go backend's by at most 2e-5 in float32 and by at most 2e-1 with bf16=true, where errors
// show. bf16=hidden rounds gradients alone. On a card, those of TF32 are at most 5e-2; a processor has no TF32.
func TestPrecision(t *testing.T) {
	for name, c := range networks() {
		c.Hidden, c.Embed, c.Global = 64, 64, 64
		ps, x, labels := drawnWeights(c.Layout(), 5), points(9, setPoints, 2), make([]int32, setPoints)
		for i := range labels {
			labels[i] = int32(i % 4)
		}
		reference := must.M1(models.NewNetwork(enginetest.Go(), c, ps))
		want := must.M1(reference.Tables(x, labels, 1, setPoints))[0]
		for _, p := range []struct {
			options     string
			least, most float64
		}{{"", 0, 2e-5}, {",bf16=true", 1e-3, 2e-1}, {",bf16=hidden", 0, 2e-5}, {",tf32=true", 1e-5, 5e-2}} {
			if p.options == ",tf32=true" && !strings.Contains(xlatest.Plugin(t), "cuda") {
				continue
			}
			net := must.M1(models.NewNetwork(plugin(t, p.options), c, ps))
			var worst, most float64
			for n, row := range must.M1(net.Tables(x, labels, 1, setPoints))[0] {
				for k, got := range row {
					worst, most = max(worst, math.Abs(got-want[n][k])), max(most, math.Abs(want[n][k]))
				}
			}
			t.Logf("%s%s: up to %.1e of the largest energy, %.3g", name, p.options, worst/most, most)
			if !(worst/most <= p.most && worst/most >= p.least) {
				t.Errorf("%s%s: off by %.2g, want %g to %g", name, p.options, worst/most, p.least, p.most)
			}
		}
	}
}

// With bf16=hidden a validation equals float32's. The values of a training step are near float32's and show the
// rounding.
func TestHiddenLayersInBF16(t *testing.T) {
	for _, model := range []string{train.GFNCP, train.NCP} {
		c := tiny(model, nil)
		var held [2]float64
		var steps [2]train.StepReport
		for i, options := range []string{"", ",bf16=hidden"} {
			trainer := must.M1(train.New(plugin(t, options), sources.Source, c))
			held[i] = must.M1(trainer.Loss(must.M1(must.M1(sources.Source(c.Data)).Batch(7, 0))))
			steps[i] = must.M1(trainer.Advance())
		}
		near(t, model+", validation", held[1], held[0], 1e-6)
		near(t, model+", loss", steps[1].Loss, steps[0].Loss, 5e-2)
		near(t, model+", gradient norm", steps[1].GradNorm, steps[0].GradNorm, 1e-1)
		if steps[1].Loss == steps[0].Loss {
			t.Errorf("%s: nothing is rounded, the loss is %g", model, steps[0].Loss)
		}
	}
}
