// Package enginetest runs graph functions in tests.
package enginetest

import (
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
)

// Go is one Go backend for all tests of a package.
var Go = sync.OnceValue(func() compute.Backend { return must.M1(engine.OpenGo()) })

// Run calls a graph function once on the Go backend and returns the values of its results, row-major.
func Run(t testing.TB, build func(in []*graph.Node) []*graph.Node, in ...*tensors.Tensor) [][]float32 {
	t.Helper()
	return Call(engine.NewFunc(Go(), t.Name(), build), in...)
}

// Call calls a compiled function and returns the values of its results, row-major.
func Call(f *engine.Func, in ...*tensors.Tensor) (values [][]float32) {
	for _, result := range must.M1(f.Call(in...)) {
		values = append(values, must.M1(engine.Float32s(result)))
	}
	return values
}
