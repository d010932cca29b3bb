package engine

import (
	"encoding/binary"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// keptPrograms is the number of shapes for which a function keeps its program on the Go backend. A training's gradient
// takes about 1.2 MB for each and compiles in some 5 ms, and sets of changing size come in thousands of shapes.
const keptPrograms = 64

// programs are the last used programs of a function on the Go backend, by the shapes of its arguments.
type programs struct {
	create func() (*graph.Exec, error)

	mu      sync.Mutex
	byShape map[string]*kept
	calls   int // so far
}

// kept is a program of one shape and when it was used last.
type kept struct {
	exec   *graph.Exec
	used   int
	first  sync.Mutex  // held in calls until one has succeeded
	called atomic.Bool // whether one has
}

// call runs a call of the program. No other call runs at the same time as the first one. In it GoMLX chooses how to
// compute each operation, and a second call during such a choice may read a tensor that is gone: execMulSIMD of compute
// v0.1.12 gives its operand away before the plain executor reads it.
func (k *kept) call(run func() error) error {
	if k.called.Load() {
		return run()
	}
	k.first.Lock()
	defer k.first.Unlock()
	err := run()
	k.called.CompareAndSwap(false, err == nil)
	return err
}

// forShapes returns the program for arguments of these shapes. It compiles at its first call. A dropped program stays
// usable; the garbage collector frees it when no call uses it any more.
func (p *programs) forShapes(args []*tensors.Tensor) (*kept, error) {
	var room [512]byte
	shape := room[:0]
	for _, a := range args {
		s := a.Shape()
		shape = append(shape, byte(s.DType), byte(len(s.Dimensions)))
		for _, d := range s.Dimensions {
			shape = binary.AppendUvarint(shape, uint64(d))
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	if found := p.byShape[string(shape)]; found != nil {
		found.used = p.calls
		return found, nil
	}
	exec, err := p.create()
	if err != nil {
		return nil, err
	}
	if len(p.byShape) >= keptPrograms {
		used := func(a, b string) int { return p.byShape[a].used - p.byShape[b].used }
		oldest := slices.MinFunc(slices.Collect(maps.Keys(p.byShape)), used)
		delete(p.byShape, oldest)
	}
	program := &kept{exec: exec, used: p.calls}
	p.byShape[string(shape)] = program
	return program, nil
}
