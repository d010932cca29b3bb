package train

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
)

func openGo(t *testing.T) compute.Backend {
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	t.Cleanup(backend.Finalize)
	return backend
}

// noisePool has m images of noise, each of a class of its own.
func noisePool(m int) *data.Pool {
	p := &data.Pool{Name: "noise", D: 784, Height: 28, Width: 28}
	rng := data.Rand(1, "noise", 0)
	for i := range m {
		p.Labels, p.Classes = append(p.Labels, int32(i)), append(p.Classes, string(rune('a'+i)))
		for range p.D {
			p.X = append(p.X, rng.Float32())
		}
	}
	return p
}

func imageSource(mode string, fixedK int, pool *data.Pool) *data.PoolSource {
	c := data.Default(data.SourceFile)
	c.Path, c.Mode, c.Batch, c.NMin, c.NMax, c.FixedK = "noise", mode, 3, 5, 9, fixedK
	if mode == data.ModeGenerative { // a class has one image
		c.NMin, c.NMax = fixedK, fixedK
	}
	return must.M1(data.NewPoolSource(c, pool))
}

// TestDeviceRenderer: the graph renders what the host renders, here on the Go backend. Only the edge of a turned image
// may differ, where rounding decides whether a pixel is filled with black (augment, TestGraphMatchesHost).
func TestDeviceRenderer(t *testing.T) {
	t.Parallel()
	backend := openGo(t)
	for _, source := range []*data.PoolSource{
		imageSource(data.ModeInstance, 0, noisePool(9)), imageSource(data.ModeGenerative, 5, noisePool(9)),
	} {
		device := must.M1(newDeviceRenderer(backend, source))
		for step := range 3 {
			want, got := must.M1(source.Batch(7, step)), must.M1(device.batch(7, step))
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

// The Go backend leaves the images to the host, whose renderer is faster there, and so does any backend with other
// points.
func TestWhoRenders(t *testing.T) {
	t.Parallel()
	backend := openGo(t)
	mixture := data.DefaultMoG()
	mixture.Batch, mixture.NMin, mixture.NMax = 2, 4, 6
	for _, source := range []data.Source{
		imageSource(data.ModeInstance, 0, noisePool(9)), must.M1(data.NewMoG(mixture)),
	} {
		b := must.M1(newBatches(backend, source, 3))
		if b.device != nil {
			t.Errorf("%v: the Go backend renders", source)
		}
		if got, want := must.M1(b.get(t.Context(), 2)), must.M1(source.Batch(3, 2)); !slices.Equal(got.X, want.X) {
			t.Errorf("%v: another batch than the source's", source)
		}
	}
	b := &batches{source: imageSource(data.ModeInstance, 0, noisePool(9)), seed: 3}
	b.device = must.M1(newDeviceRenderer(backend, b.source.(*data.PoolSource)))
	got, want := must.M1(b.get(t.Context(), 2)), must.M1(b.source.Batch(3, 2))
	if !slices.Equal(got.Index, want.Index) || len(got.X) != len(want.X) {
		t.Error("the device renders another step")
	}
}
