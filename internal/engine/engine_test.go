package engine

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
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
	f, err := NewFunc(goTestBackend(), "the product", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{graph.Dot(in[0], in[1]).Product()}
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Call(matrix(make([]float32, 6), 2, 3), matrix(make([]float32, 4), 2, 2)) // 3 against 2
	if err == nil || !strings.HasPrefix(err.Error(), "run the product: ") {
		t.Errorf("shapes that do not fit: %v", err)
	}
	out, err := f.Call(matrix([]float32{2, 3}, 1, 2), matrix([]float32{5, 7}, 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Float32s(out[0]); err != nil || got[0] != 31 { // 2·5 + 3·7
		t.Errorf("after the error: %v, %v, want 31", got, err)
	}
	f, err = NewFunc(goTestBackend(), "a bug", func([]*graph.Node) []*graph.Node { panic("string") })
	if err != nil {
		t.Fatal(err)
	}
	if _, err = f.Call(matrix([]float32{1}, 1)); err == nil || !strings.Contains(err.Error(), "string") {
		t.Errorf("panic with a string: %v", err)
	}
}

// GoMLX keeps at most 32 compiled shapes unless told otherwise.
func TestFuncCallTakesManyShapes(t *testing.T) {
	f, err := NewFunc(goTestBackend(), "double", double)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 40; n++ {
		if _, err := f.Call(matrix(make([]float32, n), n)); err != nil {
			t.Fatalf("shape %d: %v", n, err)
		}
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
	f, err := NewFunc(goTestBackend(), "network", network)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range want {
		wg.Go(func() {
			for range 5 {
				out, err := f.Call(input(10 + i%4)...)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := Float32s(out[0])
				if err != nil {
					t.Error(err)
					return
				}
				for j := range got {
					if got[j] != want[i][j] {
						t.Errorf("call %d, value %d: %v, want %v", i, j, got[j], want[i][j])
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// Concurrent calls may share arguments that none of them has brought to the backend yet.
func TestFuncCallsShareArguments(t *testing.T) {
	f, err := NewFunc(goTestBackend(), "sum", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{graph.ReduceAllSum(graph.Add(in[0], in[1]))}
	})
	if err != nil {
		t.Fatal(err)
	}
	const n = 1 << 12
	for range 50 {
		shared := []*tensors.Tensor{matrix(make([]float32, n), n), matrix(make([]float32, n), n)}
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() {
				if _, err := f.Call(shared...); err != nil {
					t.Error(err)
				}
			})
		}
		calls.Wait()
	}
}
