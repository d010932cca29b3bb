package engine

import (
	"fmt"
	"sync/atomic"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
)

// Traffic counts the bytes that this process has moved so far: from the host to the device, and back.
type Traffic struct{ Up, Down int64 }

var up, down atomic.Int64

// Moved returns the traffic so far. If the device is the host, it is the traffic that a separate device would need.
func Moved() Traffic { return Traffic{Up: up.Load(), Down: down.Load()} }

// Since is the traffic after an earlier state of it.
func (t Traffic) Since(earlier Traffic) Traffic {
	return Traffic{Up: t.Up - earlier.Up, Down: t.Down - earlier.Down}
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
		up.Add(int64(t.ByteSize()))
	}
	return nil
}
