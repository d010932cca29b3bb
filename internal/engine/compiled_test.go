package engine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/janpfeifer/must"
)

// Each program is told of once, when it is compiled: one for each shape.
func TestOnCompile(t *testing.T) {
	backend := must.M1(must.M1(Choose("go")).Open())
	twice := must.M1(NewFunc(backend, "twice", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{graph.Add(in[0], in[0])}
	}))
	call := func(sizes ...int) {
		for _, n := range sizes {
			if out := must.M1(twice.Call(matrix(make([]float32, n), n))); out[0].Size() != n {
				t.Errorf("%d numbers doubled are %d", n, out[0].Size())
			}
		}
	}
	call(1)
	var heard []string
	forget := OnCompile(backend, func(c Compilation) {
		if c.Seconds <= 0 {
			t.Errorf("%s took %g seconds", c.Program, c.Seconds)
		}
		heard = append(heard, fmt.Sprint(c.Number, " ", c.Program))
	})
	call(2, 3, 2, 3)
	forget()
	call(4)
	if want := []string{"1 twice", "2 twice"}; !slices.Equal(heard, want) {
		t.Errorf("heard %v, want %v", heard, want)
	}
}
