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
func onGraph(t *testing.T, style Images, images, params []float32, height, width int) []float32 {
	t.Helper()
	m := len(params) / NumParams
	return enginetest.Run(t, func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{style.RenderGraph(in[0], in[1], height, width)}
	}, tensors.FromFlatDataAndDimensions(images, m, len(images)/m),
		tensors.FromFlatDataAndDimensions(params, m, NumParams))[0]
}

// The graph renders as the host does. Where a pixel's place lies on a border, rounding may decide otherwise: at fewer
// than one pixel in a thousand.
func TestGraphMatchesHost(t *testing.T) {
	const m = 64
	published := PublishedImages()
	published.BlurProb = 0.5
	hard := Images{
		ScaleMin: 0.2, ScaleMax: 1, RatioMin: 0.5, RatioMax: 2, Rotation: 180, JitterProb: 1, Jitter: 0.9,
		BlurProb: 1, BlurMin: 0.1, BlurMax: 2,
	}
	for name, o := range map[string]Images{"default": DefaultImages(), "hard": hard, "published": published} {
		for _, size := range [][2]int{{28, 28}, {8, 8}, {5, 9}, {1, 7}} {
			rng := rand.New(rand.NewPCG(5, 6))
			height, width := size[0], size[1]
			pixels := height * width
			images, params := noise(rng, m*pixels), make([]float32, m*NumParams)
			for i, v := range images { // grey levels of pictures
				images[i] = float32(math.Round(float64(v)*255) / 255)
			}
			want, r, far := make([]float32, m*pixels), Renderer{Images: o}, 0
			for i := range m {
				o.Draw(rng, params[i*NumParams:])
				r.Render(want[i*pixels:][:pixels], images[i*pixels:], height, width, params[i*NumParams:])
			}
			for i, v := range onGraph(t, o, images, params, height, width) {
				if !(math.Abs(float64(v-want[i])) <= 1e-4) {
					far++
				}
			}
			if far*1000 >= len(want) {
				t.Errorf("%s %v: %d of %d pixels differ", name, size, far, len(want))
			}
		}
	}
}

func TestGraphRefusesShapes(t *testing.T) {
	defer func() {
		if fault := fmt.Sprint(recover()); !strings.Contains(fault, "60") {
			t.Errorf("images of 60 pixels for 8×8: got %s, want an error that names the shape", fault)
		}
	}()
	onGraph(t, Images{}, make([]float32, 60), identity(), 8, 8)
}
