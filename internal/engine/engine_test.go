package engine

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"
)

func double(in []*graph.Node) []*graph.Node { return []*graph.Node{graph.Add(in[0], in[0])} }

func TestTry(t *testing.T) {
	fault := errors.New("fault")
	var none []int
	for _, test := range []struct {
		name string
		fn   func() error
		want string // part of the message, "" for no error
	}{
		{"success", func() error { return nil }, ""},
		{"error", func() error { return fault }, "fault"},
		{"panic with an error", func() error { panic(fault) }, "fault"},
		{"panic with a string", func() error { panic("out of bounds") }, "out of bounds"},
		{"runtime panic", func() error { return errors.New(string(rune(none[3]))) }, "index out of range"},
	} {
		err := Try(test.fn)
		if (err == nil) != (test.want == "") {
			t.Errorf("%s: error %v", test.name, err)
		}
		if err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %q lacks %q", test.name, err, test.want)
		}
	}
	if err := Try(func() error { panic(fault) }); !errors.Is(err, fault) {
		t.Errorf("the panicked error is lost: %v", err)
	}
}

// A panic while the graph is built comes back as an error with the function's name; the next call works.
func TestFuncCallTurnsPanicsIntoErrors(t *testing.T) {
	f := NewFunc(goTestBackend(), "the product", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{graph.Dot(in[0], in[1]).Product()}
	})
	_, err := f.Call(matrix(make([]float32, 6), 2, 3), matrix(make([]float32, 4), 2, 2)) // 3 against 2
	if err == nil || !strings.HasPrefix(err.Error(), "run the product: ") {
		t.Errorf("shapes that do not fit: %v", err)
	}
	out := must.M1(f.Call(matrix([]float32{2, 3}, 1, 2), matrix([]float32{5, 7}, 2, 1)))
	if got := must.M1(Float32s(out[0])); got[0] != 31 { // 2·5 + 3·7
		t.Errorf("after the error: %v, want 31", got)
	}
	f = NewFunc(goTestBackend(), "a bug", func([]*graph.Node) []*graph.Node { panic("string") })
	if _, err = f.Call(matrix([]float32{1}, 1)); err == nil || !strings.Contains(err.Error(), "string") {
		t.Errorf("panic with a string: %v", err)
	}
}

// Concurrent calls, some of which compile, agree bit for bit with calls one after another.
func TestFuncCallIsSafeForConcurrentUse(t *testing.T) {
	network := func(in []*graph.Node) []*graph.Node {
		h := ReLU(Dense(in[0], in[1], in[2]))
		return []*graph.Node{ReLU(Dense(h, in[1], in[2]))}
	}
	const width = 32
	input := func(rows int) []*tensors.Tensor {
		return []*tensors.Tensor{
			matrix(wave(rows*width, 1), rows, width), matrix(wave(width*width, 2), width, width),
			matrix(wave(width, 3), width),
		}
	}
	want := make([][]float32, 8)
	for i := range want {
		want[i] = callOnce(t, network, input(10+i%4)...)[0]
	}
	f := NewFunc(goTestBackend(), "network", network)
	var wg sync.WaitGroup
	for i := range want {
		wg.Go(func() {
			for range 5 {
				out := must.M1(f.Call(input(10 + i%4)...))
				if got := must.M1(Float32s(out[0])); !slices.Equal(got, want[i]) {
					t.Errorf("call %d: %v, want %v", i, got, want[i])
					return
				}
			}
		})
	}
	wg.Wait()
}

// Concurrent calls may share arguments that none of them has brought to the backend yet.
func TestFuncCallsShareArguments(t *testing.T) {
	f := NewFunc(goTestBackend(), "sum", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{graph.ReduceAllSum(graph.Add(in[0], in[1]))}
	})
	const n = 1 << 12
	for range 50 {
		shared := []*tensors.Tensor{matrix(make([]float32, n), n), matrix(make([]float32, n), n)}
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() { must.M1(f.Call(shared...)) })
		}
		calls.Wait()
	}
}
