package engine

import (
	"sync"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"
)

// The first calls of a program side by side: GoMLX alone lets one of some thousand fail.
func TestFirstCallsSideBySide(t *testing.T) {
	backend := must.M1(must.M1(Choose("go")).Open())
	defer backend.Finalize()
	for range 1000 {
		// GoMLX's SIMD code takes no product that repeats the second and the last axis; x is the call's own.
		f := NewFunc(backend, "product", func(in []*graph.Node) []*graph.Node {
			x := in[0]
			for range 40 {
				x = graph.Mul(graph.AddScalar(x, 1), in[1])
			}
			return []*graph.Node{x}
		})
		x := tensors.FromFlatDataAndDimensions(make([]float32, 2*3*4*5), 2, 3, 4, 5)
		like := tensors.FromFlatDataAndDimensions(make([]float32, 3*5), 1, 3, 1, 5)
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() { must.M1(f.Call(x, like)) })
		}
		wg.Wait()
	}
}
