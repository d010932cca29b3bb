package engine

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// keptPrograms is the number of shapes for which a function keeps its program on the Go backend. A training's gradient
// takes about 1.2 MB for each and compiles in some 5 ms, and sets of changing size come in thousands of shapes.
const keptPrograms = 64

// Func is a computation on the backend, compiled once per combination of input shapes; the Go backend, which compiles
// fast, drops programs that were not used for long. It is safe for concurrent calls, which may share arguments.
type Func struct {
	name    string
	backend compute.Backend
	build   func(in []*graph.Node) []*graph.Node

	mu      sync.Mutex
	byShape map[string]*program // by the shapes of the arguments
	calls   int                 // so far
}

// program is a computation on arguments of one shape and when it was used last.
type program struct {
	exec   *graph.Exec
	used   int
	first  sync.Mutex  // held in calls until one has succeeded
	called atomic.Bool // whether one has
}

// NewFunc returns the computation that build describes. It is compiled when it is called. build gets one node per
// argument of Call and returns the results; it may panic as GoMLX graph functions do: Call returns such a panic as an
// error.
func NewFunc(backend compute.Backend, name string, build func(in []*graph.Node) []*graph.Node) *Func {
	return &Func{name: name, backend: backend, build: build, byShape: map[string]*program{}}
}

// Call runs the function on the backend's first device. The arguments stay the caller's; the results are new tensors,
// which the caller may finalize.
func (f *Func) Call(args ...*tensors.Tensor) (out []*tensors.Tensor, err error) {
	anyArgs := make([]any, len(args))
	for i, a := range args {
		anyArgs[i] = a
	}
	err = Try(func() error {
		if err := allToDevice(f.backend, args); err != nil {
			return err
		}
		program, err := f.forShapes(args)
		if err != nil {
			return err
		}
		return program.call(func() error {
			return Try(func() (err error) {
				out, err = program.exec.Call(anyArgs...)
				return err
			})
		})
	})
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", f.name, err)
	}
	return out, nil
}

// Values calls the function on bound arguments, which stay the caller's, and on others, which it frees. It returns the
// values of the results, row-major, which are float32.
func (f *Func) Values(bound []*tensors.Tensor, others ...*tensors.Tensor) ([][]float32, error) {
	out, err := f.Call(slices.Concat(bound, others)...)
	Free(others...)
	if err != nil {
		return nil, err
	}
	defer Free(out...)
	values := make([][]float32, len(out))
	for i, t := range out {
		if values[i], err = Float32s(t); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// ToDevice copies a tensor that no other goroutine uses yet to the first device. It returns the backend's error.
func ToDevice(backend compute.Backend, t *tensors.Tensor) error {
	if err := Try(func() error { return t.MaterializeOnDevice(backend, true, 0) }); err != nil {
		return fmt.Errorf("bring a tensor to the device: %w", err)
	}
	return nil
}

var moving sync.Mutex

// allToDevice copies the arguments that are only on the host to the first device, one call at a time: GoMLX checks
// without a lock where a tensor is. If two calls share one, the second could find it nowhere while the first moves it.
func allToDevice(backend compute.Backend, args []*tensors.Tensor) error {
	moving.Lock()
	defer moving.Unlock()
	for _, t := range args {
		if t.IsOnAnyDevice() {
			continue
		}
		if err := ToDevice(backend, t); err != nil {
			return err
		}
	}
	return nil
}

// call runs a call of the program. No other call runs at the same time as the first one. In it GoMLX chooses how to
// compute each operation, and a second call during such a choice may read a tensor that is gone: execMulSIMD of compute
// v0.1.12 gives its operand away before the plain executor reads it.
func (p *program) call(run func() error) error {
	if p.called.Load() {
		return run()
	}
	p.first.Lock()
	defer p.first.Unlock()
	err := run()
	p.called.CompareAndSwap(false, err == nil)
	return err
}

// forShapes returns the program for arguments of these shapes. It compiles at its first call. A dropped program stays
// usable; the garbage collector frees it when no call uses it any more.
func (f *Func) forShapes(args []*tensors.Tensor) (*program, error) {
	var room [512]byte
	shape := room[:0]
	for _, a := range args {
		s := a.Shape()
		shape = append(shape, byte(s.DType), byte(len(s.Dimensions)))
		for _, d := range s.Dimensions {
			shape = binary.AppendUvarint(shape, uint64(d))
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if found := f.byShape[string(shape)]; found != nil {
		found.used = f.calls
		return found, nil
	}
	exec, err := graph.NewExec(f.backend, f.build)
	if err != nil {
		return nil, err
	}
	if OnGo(f.backend) && len(f.byShape) >= keptPrograms {
		used := func(a, b string) int { return f.byShape[a].used - f.byShape[b].used }
		delete(f.byShape, slices.MinFunc(slices.Collect(maps.Keys(f.byShape)), used))
	}
	p := &program{exec: exec.WithName(f.name), used: f.calls}
	f.byShape[string(shape)] = p
	return p, nil
}
