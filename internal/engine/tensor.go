package engine

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
)

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

// ToDevice copies tensors that are only on the host to the backend's first device. After it they may be arguments of
// concurrent calls.
func ToDevice(backend compute.Backend, ts ...*tensors.Tensor) error {
	for _, t := range ts {
		if t.IsOnAnyDevice() {
			continue
		}
		if err := t.MaterializeOnDevice(backend, true, 0); err != nil {
			return fmt.Errorf("bring a tensor to the device: %w", err)
		}
	}
	return nil
}

// Free gives the memory of tensors back at once instead of waiting for the garbage collector. A nil tensor is skipped.
func Free(ts ...*tensors.Tensor) {
	for _, t := range ts {
		if t != nil {
			_ = t.FinalizeAll() // freeing twice is the only failure, and it is harmless
		}
	}
}
