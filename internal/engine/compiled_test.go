package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/janpfeifer/must"
)

// Each program is told of once, when it is compiled: one for each shape.
func TestOnCompile(t *testing.T) {
	backend := &watched{Backend: goTestBackend()}
	var heard []string
	OnCompile(backend, func(c Compilation) {
		if c.Seconds <= 0 {
			t.Errorf("%s took %g seconds", c.Program, c.Seconds)
		}
		heard = append(heard, fmt.Sprint(c.Number, strings.HasPrefix(c.Program, "twice")))
	})
	twice := must.M1(NewFunc(backend, "twice", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{graph.Add(in[0], in[0])}
	}))
	for _, n := range []int{2, 3, 2, 3} {
		out := must.M1(twice.Call(matrix(make([]float32, n), n)))
		if out[0].Size() != n {
			t.Errorf("%d numbers doubled are %d", n, out[0].Size())
		}
	}
	if want := []string{"1 true", "2 true"}; !slices.Equal(heard, want) {
		t.Errorf("heard %v, want %v", heard, want)
	}
	OnCompile(goTestBackend(), func(Compilation) { t.Error("the Go backend is watched") })
	must.M1(must.M1(NewFunc(goTestBackend(), "quiet", func(in []*graph.Node) []*graph.Node { return in })).
		Call(matrix(make([]float32, 2), 2)))
}
