package xla

import (
	"math"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/internal/engine/xlatest"
	"github.com/gfncp/gfncp/models"
)

// Energies differ from the Go backend's by at most 2e-5 in float32, and by at most 5e-2 in TF32, where errors show; a
// processor has no TF32.
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
		}{{"", 0, 2e-5}, {",tf32=true", 1e-5, 5e-2}} {
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
