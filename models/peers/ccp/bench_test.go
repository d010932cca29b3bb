package ccp

import (
	"fmt"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// BenchmarkGradient is a training step without the optimizer: 16 sets of 75 points in 4 clusters, published widths, T
// steps a set (99: all of them) and S samples. Compare user CPU times where others load the machine.
func BenchmarkGradient(b *testing.B) {
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.FixedK = 16, 75, 75, 4
	source := must.M1(data.NewMoG(c))
	for _, size := range []struct{ steps, samples int }{{1, 5}, {1, 10}, {2, 5}, {2, 10}, {1, 40}, {99, 5}, {99, 40}} {
		b.Run(fmt.Sprintf("T=%d/S=%d", size.steps, size.samples), func(b *testing.B) {
			p := peers.Default(false)
			p.Samples = size.samples
			m := New(models.Default(2), p)
			m.Steps = min(size.steps, c.FixedK)
			layout := m.Layout()
			weights := layout.Init(data.Rand(1, "weights", 0)).Tensors()
			f := must.M1(engine.NewFunc(backend(), "benchmark", func(in []*Node) []*Node {
				loss := m.Loss(in[:len(layout)], in[len(layout)], in[len(layout)+1:])
				return append([]*Node{loss}, Gradient(loss, in[:len(layout)]...)...)
			}))
			step := 0
			for b.Loop() {
				step++
				in := must.M1(m.Inputs(data.Rand(1, "step", step), must.M1(source.Batch(1, step)), models.FineBuckets))
				args := append(append(append([]*tensors.Tensor{}, weights...),
					tensors.FromScalar(float32(1)/16)), in...)
				engine.Free(must.M1(f.Call(args...))...)
				engine.Free(in...)
			}
		})
	}
}
