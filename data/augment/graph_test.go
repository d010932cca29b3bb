package augment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
)

// onGraph renders images [M,H·W] by RenderGraph on the Go backend.
func onGraph(t *testing.T, style Style, images, params []float32, height, width int) []float32 {
	t.Helper()
	m := len(params) / NumParams
	return enginetest.Run(t, func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{style.RenderGraph(in[0], in[1], height, width)}
	}, tensors.FromFlatDataAndDimensions(images, m, len(images)/m),
		tensors.FromFlatDataAndDimensions(params, m, NumParams))[0]
}

// Host and graph agree to 1e-4 on every pixel whose place in the mask rounding cannot decide; the others are fewer
// than one in a thousand.
func TestGraphMatchesHost(t *testing.T) {
	const m = 64
	for seed, o := range []Images{DefaultImages(), {
		ScaleMin: 0.2, ScaleMax: 1, RatioMin: 0.5, RatioMax: 2, Rotation: 180, JitterProb: 1, Jitter: 0.9,
		BlurProb: 1, BlurMin: 0.1, BlurMax: 2,
	}} {
		for _, size := range [][2]int{{28, 28}, {8, 8}, {5, 9}, {1, 7}} {
			t.Run(fmt.Sprintf("%v/%dx%d", seed, size[0], size[1]), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(5, uint64(seed)))
				height, width := size[0], size[1]
				pixels := height * width
				images, params := noise(rng, m*pixels), make([]float32, m*NumParams)
				want := make([]float32, m*pixels)
				var r Renderer
				for i := range m {
					o.Draw(rng, params[i*NumParams:])
					r.Render(want[i*pixels:][:pixels], images[i*pixels:], height, width, params[i*NumParams:])
				}
				got := onGraph(t, Style{}, images, params, height, width)
				compareGraph(t, got, want, images, params, height, width)
			})
		}
	}
}

func compareGraph(t *testing.T, got, want, images, params []float32, height, width int) {
	t.Helper()
	pixels := height * width
	undecided, worst := 0, 0.0
	var edge []float64
	for i := range want {
		if i%pixels == 0 {
			one := reference{height, width, params[i/pixels*NumParams:][:NumParams]}
			_, edge = one.render(images[i : i+pixels])
		}
		d := math.Abs(float64(got[i] - want[i]))
		switch near := nearEdge(edge, i%pixels, height, width); {
		case d > 1e-4 && near:
			undecided++
		case !(d <= 1e-4):
			t.Fatalf("image %d pixel %d: graph %g, host %g", i/pixels, i%pixels, got[i], want[i])
		default:
			worst = max(worst, d)
		}
	}
	t.Logf("largest difference %.2g; %d of %d pixels decided otherwise", worst, undecided, len(want))
	if undecided*1000 >= len(want) {
		t.Errorf("the mask differs on %d of %d pixels, want fewer than 0.1 %%", undecided, len(want))
	}
}

func TestGraphRefusesShapes(t *testing.T) {
	defer func() {
		if fault := fmt.Sprint(recover()); !strings.Contains(fault, "60") {
			t.Errorf("images of 60 pixels for 8×8: got %s, want an error that names the shape", fault)
		}
	}()
	onGraph(t, Style{}, make([]float32, 60), identity(), 8, 8)
}
