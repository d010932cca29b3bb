package augment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
)

// goBackend is one Go backend for all tests of this package.
var goBackend = sync.OnceValue(func() compute.Backend { return must.M1(must.M1(engine.Choose("go")).Open()) })

// onGraph renders images [M,H·W] by RenderGraph on the Go backend.
func onGraph(style Style, images, params []float32, height, width int) ([]float32, error) {
	f, err := engine.NewFunc(goBackend(), "augment", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{style.RenderGraph(in[0], in[1], height, width)}
	})
	if err != nil {
		return nil, err
	}
	m := len(params) / NumParams
	out, err := f.Call(tensors.FromFlatDataAndDimensions(images, m, len(images)/m),
		tensors.FromFlatDataAndDimensions(params, m, NumParams))
	if err != nil {
		return nil, err
	}
	return engine.Float32s(out[0])
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
				got := must.M1(onGraph(Style{}, images, params, height, width))
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
	_, err := onGraph(Style{}, make([]float32, 60), identity(), 8, 8)
	if err == nil || !strings.Contains(err.Error(), "60") {
		t.Errorf("images of 60 pixels for 8×8: got %v, want an error that names the shape", err)
	}
}
