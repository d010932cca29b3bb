// Package engine is the interface to GoMLX: everything that depends on its backends, and nothing about clustering.
//
// It chooses the backend, turns GoMLX's panics into errors, holds tensors for the host, and offers the few graph
// functions whose formulation decides the speed (Dense, Times). It avoids two traps of GoMLX 0.28:
//
//  1. concurrent calls of the Go backend deadlock in its parallel modes: Choose takes ops_sequential (backend.go);
//  2. exp is up to 140 times slower at random in simd builds: Prepare (preempt.go).
package engine

import (
	"fmt"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Func is a computation on the backend, compiled once per combination of input shapes; the Go backend, which compiles
// fast, drops programs that were not used for long. It is safe for concurrent calls, which may share arguments.
type Func struct {
	exec     *graph.Exec // of all shapes; nil on the Go backend
	programs *programs   // on the Go backend; nil on others
	name     string
	backend  compute.Backend
}

// NewFunc compiles build lazily on backend. build gets one node per argument of Call and returns the results; it may
// panic as GoMLX graph functions do: Call returns such a panic as an error.
func NewFunc(backend compute.Backend, name string, build func(in []*graph.Node) []*graph.Node) (*Func, error) {
	create := func() (*graph.Exec, error) {
		exec, err := graph.NewExec(backend, build)
		if err != nil {
			return nil, fmt.Errorf("build %s: %w", name, err)
		}
		return exec.SetMaxCache(-1).WithName(name), nil
	}
	f := &Func{name: name, backend: backend}
	if OnGo(backend) {
		f.programs = &programs{create: create, byShape: map[string]*kept{}}
		return f, nil
	}
	var err error
	f.exec, err = create()
	return f, err
}

// Call runs the function on the backend's first device. The arguments stay the caller's; the results are new tensors,
// which the caller may finalize.
func (f *Func) Call(args ...*tensors.Tensor) (out []*tensors.Tensor, err error) {
	anyArgs := make([]any, len(args))
	for i, a := range args {
		anyArgs[i] = a
	}
	err = Try(func() error {
		if err := toDevice(f.backend, args); err != nil {
			return err
		}
		call := func(exec *graph.Exec) (err error) {
			out, err = exec.Call(anyArgs...)
			return err
		}
		if f.programs == nil {
			return call(f.exec)
		}
		program, err := f.programs.forShapes(args)
		if err != nil {
			return err
		}
		return program.call(func() error { return Try(func() error { return call(program.exec) }) })
	})
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", f.name, err)
	}
	return out, nil
}

var moving sync.Mutex

// toDevice copies the arguments that are only on the host to the first device, one call at a time: GoMLX checks without
// a lock where a tensor is. If two calls share one, the second could find it nowhere while the first moves it.
func toDevice(backend compute.Backend, args []*tensors.Tensor) error {
	moving.Lock()
	defer moving.Unlock()
	for _, t := range args {
		if t.IsOnAnyDevice() {
			continue
		}
		if err := t.MaterializeOnDevice(backend, true, 0); err != nil {
			return fmt.Errorf("bring a tensor to the device: %w", err)
		}
	}
	return nil
}

// Try runs fn and returns its error, or its panic as an error: no panic of GoMLX leaves this package. Most of GoMLX's
// panics are errors; a few are strings.
func Try(fn func() error) (err error) {
	switch caught := exceptions.Try(func() { err = fn() }).(type) {
	case nil:
		return err
	case error:
		return caught
	default:
		return fmt.Errorf("panic: %v", caught)
	}
}

// Float32s copies a tensor's values to the host, row-major.
func Float32s(t *tensors.Tensor) ([]float32, error) {
	return ReadInto(make([]float32, t.Size()), t)
}

// ReadInto copies a tensor's values into dst, which must have at least the tensor's size, and returns its filled part.
func ReadInto(dst []float32, t *tensors.Tensor) ([]float32, error) {
	dst = dst[:t.Size()]
	err := Try(func() error {
		return tensors.ConstFlatData(t, func(flat []float32) { copy(dst, flat) })
	})
	if err != nil {
		return nil, fmt.Errorf("read tensor %s: %w", t.Shape(), err)
	}
	return dst, nil
}

// Free gives the memory of tensors back at once instead of waiting for the garbage collector. A nil tensor is skipped.
func Free(ts ...*tensors.Tensor) {
	for _, t := range ts {
		if t != nil {
			_ = t.FinalizeAll() // freeing twice is the only failure, and it is harmless
		}
	}
}
