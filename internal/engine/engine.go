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
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/support/exceptions"
)

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

// Float32s copies a tensor's values to the host, row-major. It fails for a tensor of another type, or one that was
// freed.
func Float32s(t *tensors.Tensor) (values []float32, err error) {
	err = Try(func() error {
		return tensors.ConstFlatData(t, func(flat []float32) { values = slices.Clone(flat) })
	})
	if err != nil {
		return nil, fmt.Errorf("read tensor %s: %w", t.Shape(), err)
	}
	return values, nil
}

// Free gives the memory of tensors back at once instead of waiting for the garbage collector. A nil tensor is skipped.
func Free(ts ...*tensors.Tensor) {
	for _, t := range ts {
		if t != nil {
			_ = t.FinalizeAll() // freeing twice is the only failure, and it is harmless
		}
	}
}
