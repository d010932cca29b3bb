package dac

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
)

// BenchmarkStep is the loss and its gradient at the published sizes for 16 sets.
func BenchmarkStep(b *testing.B) {
	for _, variant := range []string{peers.MinFilter, peers.Anchored} {
		for _, n := range []int{75, 100} {
			b.Run(fmt.Sprintf("%s/N=%d", variant, n), func(b *testing.B) {
				c := peers.Default(true)
				c.Variant = variant
				m := New(models.Default(2), c)
				batch := newBatch(1, 16, n, 4)
				in := append([]*tensors.Tensor{tensors.FromScalar(float32(1) / 16)},
					must.M1(m.Inputs(newRand(1), batch, models.FineBuckets))...)
				in = append(m.Layout().Init(newRand(1)).Tensors(), in...)
				f := lossAndGradient(m)
				engine.Free(must.M1(f.Call(slices.Clone(in)...))...)
				for b.Loop() {
					engine.Free(must.M1(f.Call(slices.Clone(in)...))...)
				}
			})
		}
	}
}

// BenchmarkCluster clusters 16 sets of 100 points with a network that was not trained.
func BenchmarkCluster(b *testing.B) {
	for _, variant := range []string{peers.MinFilter, peers.Anchored} {
		b.Run(variant, func(b *testing.B) {
			c := peers.Default(true)
			c.Variant = variant
			m := New(models.Default(2), c)
			clusterer := must.M1(m.Open(goBackend(), m.Layout().Init(newRand(1))))
			batch := newBatch(1, 16, 100, 4)
			for b.Loop() {
				must.M1(clusterer.Cluster(newRand(2), batch.X, batch.B, batch.N))
			}
		})
	}
}
