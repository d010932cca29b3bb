package engine

import (
	"sync"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/janpfeifer/must"
)

// A function keeps the programs that were used last, and computes the same where one has to be compiled anew, also
// when calls run side by side.
func TestProgramsAreBounded(t *testing.T) {
	const shapes = keptPrograms + 30
	compiled := 0
	var mu sync.Mutex
	f := NewFunc(goTestBackend(), "double", func(in []*graph.Node) []*graph.Node {
		mu.Lock()
		defer mu.Unlock()
		compiled++
		return double(in)
	})
	call := func(n int) {
		got := must.M1(Float32s(must.M1(f.Call(matrix(wave(n, 1), n)))[0]))
		for i, w := range wave(n, 1) {
			if got[i] != 2*w {
				t.Errorf("%d numbers: %g in place of %g", n, got[i], 2*w)
			}
		}
	}
	for n := 1; n <= shapes; n++ {
		call(1) // stays
		call(n)
	}
	if len(f.byShape) != keptPrograms || compiled != shapes {
		t.Errorf("%d programs are kept, %d were compiled, want %d and %d", len(f.byShape), compiled,
			keptPrograms, shapes)
	}
	call(1)
	call(shapes)
	if compiled != shapes {
		t.Errorf("a program that was used was dropped")
	}
	call(2)
	if compiled != shapes+1 {
		t.Errorf("%d programs were compiled after the oldest was dropped, want %d", compiled, shapes+1)
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := range shapes {
				call(((n+1)*(i+3))%shapes + 1)
			}
		})
	}
	wg.Wait()
}
