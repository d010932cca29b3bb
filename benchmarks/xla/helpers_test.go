package xla

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/xlatest"
	"github.com/gfncp/gfncp/models"
)

// dumps is the folder in which XLA leaves the gradients' programs, as text.
var dumps string

// TestMain lets XLA write down the gradients' programs, and keeps the user's cache of programs out of the tests: what a
// test compiles must be compiled.
func TestMain(m *testing.M) {
	dumps = must.M1(os.MkdirTemp("", "gfncp-xla-"))
	must.M(os.Setenv("XDG_CACHE_HOME", filepath.Join(dumps, "cache")))
	must.M(os.Setenv("XLA_FLAGS",
		"--xla_dump_to="+dumps+" --xla_dump_hlo_as_text --xla_dump_hlo_module_re=gradient_of.*"))
	status := m.Run()
	_ = os.RemoveAll(dumps)
	os.Exit(status)
}

var (
	opening sync.Mutex
	opened  = map[string]compute.Backend{}
)

// plugin is the XLA CPU backend under test; options such as ",tf32=true" follow the plugin's path.
func plugin(t *testing.T, options string) compute.Backend {
	t.Helper()
	path := xlatest.Plugin(t)
	opening.Lock()
	defer opening.Unlock()
	if opened[options] == nil {
		opened[options] = must.M1(must.M1(engine.Choose("xla:" + path + options)).Open())
	}
	return opened[options]
}

// near fails where two numbers differ by more than a share of the larger one, or of 1.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s: %g on XLA, %g on the Go backend", what, got, want)
	}
}

// allNear compares slices; the share is that of the largest magnitude.
func allNear[T float32 | float64](t *testing.T, what string, got, want []T, tolerance float64) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	var most, worst float64
	for i, w := range want {
		most = max(most, math.Abs(float64(w)))
		if d := math.Abs(float64(got[i]) - float64(w)); !(d <= worst) {
			worst = d
		}
	}
	if !(worst <= tolerance*most) {
		t.Errorf("%s: up to %g apart, of %g", what, worst, most)
	}
}

// small is a network of the paper's kind that is computed quickly.
func small(c models.Config) models.Config {
	c.Hidden, c.Embed, c.Global = 16, 8, 12
	return c
}

// drawnWeights fills a layout with weights under which decisions differ.
func drawnWeights(ps models.Params, seed uint64) models.Params {
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range ps {
		p := &ps[i]
		size, scale := ps[i:i+1].Size(), 0.1
		if len(p.Shape) > 1 {
			scale = 1.4 / math.Sqrt(float64(size/p.Shape[len(p.Shape)-1]))
		}
		p.Data = make([]float32, size)
		for j := range p.Data {
			p.Data[j] = float32(scale * r.NormFloat64())
		}
	}
	return ps
}

// points are n points of d coordinates around a few places.
func points(seed uint64, n, d int) []float32 {
	r := rand.New(rand.NewPCG(seed, 2))
	x := make([]float32, n*d)
	for i := range x {
		x[i] = float32(6*float64(r.IntN(3)-1) + r.NormFloat64())
	}
	return x
}
