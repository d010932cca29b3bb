package engine

import (
	"fmt"
	"strconv"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/usererr"
)

// devicesOption is this package's own option of XLA backends: on how many of its devices a training computes its steps,
// each a part of the batch: a number or "all", by default 1. A program is compiled once for all of them.
const devicesOption = "devices"

// devicesUsed holds the number of those backends that use more than one.
var devicesUsed Kept[string, int]

// Devices is the number of devices that trainings on a backend use.
func Devices(backend compute.Backend) int {
	if count, found := devicesUsed.Find(backend, devicesOption); found {
		return count
	}
	return 1
}

// devices reads the option for a backend that has so many; 1 without it.
func (c Choice) devices(there int) (int, error) {
	value, set := optionOf(c.Config, devicesOption)
	if !set {
		return 1, nil
	}
	count, err := strconv.Atoi(value)
	switch {
	case value == "all":
		return there, nil
	case err != nil || count < 1:
		return 0, usererr.New("write devices=2, or devices=all",
			"backend option devices=%s is no number of devices", value)
	case count > there:
		return 0, usererr.New("ask for fewer, or look at `gfncp doctor`; visible_devices=0;1 chooses among them",
			"backend option devices=%d, but the backend has %d", count, there)
	default:
		return count, nil
	}
}

// CopyTo copies tensors that lie on some device to another one; they stay where they are. The copies are the caller's.
func CopyTo(backend compute.Backend, device int, ts []*tensors.Tensor) ([]*tensors.Tensor, error) {
	copies := make([]*tensors.Tensor, len(ts))
	for i, t := range ts {
		from, err := t.Device()
		if err != nil {
			return nil, fmt.Errorf("copy a tensor to device %d: %w", device, err)
		}
		buffer, err := t.Buffer(backend, from)
		if err == nil {
			buffer, err = buffer.CopyToDevice(compute.DeviceNum(device))
		}
		if err == nil {
			copies[i], err = tensors.FromBuffer(buffer)
		}
		if err != nil {
			return nil, fmt.Errorf("copy a tensor from device %d to %d: %w", from, device, err)
		}
		across.Add(int64(t.ByteSize()))
	}
	return copies, nil
}

// MoveTo brings tensors to a device, from the host or from another one. After it they may be arguments of calls that
// run side by side there.
func MoveTo(backend compute.Backend, device int, ts ...*tensors.Tensor) error {
	for _, t := range ts {
		passed := int64(t.ByteSize())
		if t.IsOnDevice(compute.DeviceNum(device)) {
			passed = 0
		}
		from := &up
		if t.IsOnAnyDevice() {
			from = &across
		}
		if err := t.MaterializeOnDevice(backend, true, compute.DeviceNum(device)); err != nil {
			return fmt.Errorf("bring a tensor to device %d: %w", device, err)
		}
		from.Add(passed)
	}
	return nil
}
