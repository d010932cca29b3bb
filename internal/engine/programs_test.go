package engine

import (
	"fmt"
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
	f := must.M1(NewFunc(goTestBackend(), "double", func(in []*graph.Node) []*graph.Node {
		mu.Lock()
		defer mu.Unlock()
		compiled++
		return double(in)
	}))
	call := func(n int) error {
		out, err := f.Call(matrix(wave(n, 1), n))
		if err != nil {
			return err
		}
		got := must.M1(Float32s(out[0]))
		for i, w := range wave(n, 1) {
			if got[i] != 2*w {
				return fmt.Errorf("%d numbers: %g in place of %g", n, got[i], 2*w)
			}
		}
		return nil
	}
	for n := 1; n <= shapes; n++ {
		must.M(call(1)) // stays
		must.M(call(n))
	}
	if len(f.programs.byShape) != keptPrograms || compiled != shapes {
		t.Errorf("%d programs are kept, %d were compiled, want %d and %d", len(f.programs.byShape), compiled,
			keptPrograms, shapes)
	}
	must.M(call(1))
	must.M(call(shapes))
	if compiled != shapes {
		t.Errorf("a program that was used was dropped")
	}
	must.M(call(2))
	if compiled != shapes+1 {
		t.Errorf("%d programs were compiled after the oldest was dropped, want %d", compiled, shapes+1)
	}
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wg.Go(func() {
			for n := 1; n <= shapes && errs[i] == nil; n++ {
				errs[i] = call((n*(i+3))%shapes + 1)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		must.M(err)
	}
}
