package xla

import (
	"math"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/models"
)

// Energies beside the literal form in float64, by network: float32 is right to 2e-5, bf16 to 2e-1, and its errors show.
// XLA's CPU backend rounds operands to nearest. TF32 it does not have.
func TestPrecision(t *testing.T) {
	for name, c := range networks() {
		c.Hidden, c.Embed, c.Global = 64, 64, 64
		ps, x, labels := drawnWeights(c.Layout(), 5), points(9, setPoints, 2), make([]int32, setPoints)
		for i := range labels {
			labels[i] = int32(i % 4)
		}
		want := must.M1(models.NewLiteral(c, ps)).Table(x, labels)
		for _, p := range []struct {
			options     string
			least, most float64
		}{{"", 0, 2e-5}, {",bf16=true", 1e-3, 2e-1}, {",bf16=hidden", 1e-4, 2e-1}} {
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
