//go:build pjrtstub

package main

/*
#include "api.h"

static PJRT_Device* device_number(int n) { return &devices[n]; }
static PJRT_Event* done_event(void) { return &done; }
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"slices"
	"unsafe"

	"github.com/gfncp/gfncp/internal/engine/pjrtstub/stablehlo"
)

// buffer is a tensor on a device.
type buffer struct {
	tensor *stablehlo.Tensor
	device int
}

// elementTypes are PJRT's numbers of the element types that the interpreter knows.
var elementTypes = map[stablehlo.DType]C.PJRT_Buffer_Type{
	stablehlo.I1: C.PJRT_Buffer_Type_PRED, stablehlo.S8: C.PJRT_Buffer_Type_S8, stablehlo.S16: C.PJRT_Buffer_Type_S16,
	stablehlo.S32: C.PJRT_Buffer_Type_S32, stablehlo.S64: C.PJRT_Buffer_Type_S64, stablehlo.U8: C.PJRT_Buffer_Type_U8,
	stablehlo.U16: C.PJRT_Buffer_Type_U16, stablehlo.U32: C.PJRT_Buffer_Type_U32,
	stablehlo.U64: C.PJRT_Buffer_Type_U64, stablehlo.BF16: C.PJRT_Buffer_Type_BF16,
	stablehlo.F32: C.PJRT_Buffer_Type_F32, stablehlo.F64: C.PJRT_Buffer_Type_F64,
}

// handed gives a buffer to the caller, who destroys it.
func handed(b *buffer) *C.PJRT_Buffer {
	c := (*C.PJRT_Buffer)(C.calloc(1, C.sizeof_PJRT_Buffer))
	dims := b.tensor.Type.Dims
	c.dims = (*C.int64_t)(C.calloc(C.size_t(len(dims)+1), 8))
	for i, d := range dims {
		unsafe.Slice(c.dims, len(dims))[i] = C.int64_t(d)
	}
	c.object = C.uintptr_t(cgo.NewHandle(b))
	return c
}

// held is the buffer behind a handle.
func held(c *C.PJRT_Buffer) *buffer { return cgo.Handle(c.object).Value().(*buffer) }

//export stubClientBufferFromHostBuffer
func stubClientBufferFromHostBuffer(a *C.PJRT_Client_BufferFromHostBuffer_Args) *C.PJRT_Error {
	return guarded(func() error {
		t := stablehlo.Type{Dims: []int{}}
		found := false
		for d, number := range elementTypes {
			if number == a._type {
				t.DType, found = d, true
			}
		}
		if !found {
			return fmt.Errorf("pjrtstub: element type %d is not supported", a._type)
		}
		for _, d := range unsafe.Slice(a.dims, int(a.num_dims)) {
			t.Dims = append(t.Dims, int(d))
		}
		tensor := stablehlo.NewTensor(t)
		copy(tensor.Data, unsafe.Slice((*byte)(a.data), t.Bytes()))
		record("up\t%d\t%v", t.Bytes(), t)
		device := 0
		if a.device != nil {
			device = int(a.device.number)
		}
		a.buffer, a.done_with_host_buffer = handed(&buffer{tensor, device}), C.done_event()
		return nil
	})
}

//export stubBufferDestroy
func stubBufferDestroy(a *C.PJRT_Buffer_Destroy_Args) *C.PJRT_Error {
	cgo.Handle(a.buffer.object).Delete()
	C.free(unsafe.Pointer(a.buffer.dims))
	C.free(unsafe.Pointer(a.buffer))
	return nil
}

//export stubBufferElementType
func stubBufferElementType(a *C.PJRT_Buffer_ElementType_Args) *C.PJRT_Error {
	a._type = elementTypes[held(a.buffer).tensor.Type.DType]
	return nil
}

//export stubBufferDimensions
func stubBufferDimensions(a *C.PJRT_Buffer_Dimensions_Args) *C.PJRT_Error {
	a.dims, a.num_dims = a.buffer.dims, C.size_t(len(held(a.buffer).tensor.Type.Dims))
	return nil
}

//export stubBufferDevice
func stubBufferDevice(a *C.PJRT_Buffer_Device_Args) *C.PJRT_Error {
	a.device = C.device_number(C.int(held(a.buffer).device))
	return nil
}

//export stubBufferCopyToDevice
func stubBufferCopyToDevice(a *C.PJRT_Buffer_CopyToDevice_Args) *C.PJRT_Error {
	b := held(a.buffer)
	copied := &stablehlo.Tensor{Type: b.tensor.Type, Data: slices.Clone(b.tensor.Data)}
	record("across\t%d\t%v", len(copied.Data), copied.Type)
	a.dst_buffer = handed(&buffer{copied, int(a.dst_device.number)})
	return nil
}

//export stubBufferToHostBuffer
func stubBufferToHostBuffer(a *C.PJRT_Buffer_ToHostBuffer_Args) *C.PJRT_Error {
	return guarded(func() error {
		err := tooSmall("PJRT_Buffer_ToHostBuffer_Args", a.struct_size, C.PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE)
		if err != nil {
			return err
		}
		t := held(a.src).tensor
		size := len(t.Data)
		if a.dst == nil {
			a.dst_size, a.event = C.size_t(size), nil
			return nil
		}
		if int(a.dst_size) < size {
			return fmt.Errorf("pjrtstub: %d bytes are given for %v", a.dst_size, t.Type)
		}
		copy(unsafe.Slice((*byte)(a.dst), size), t.Data)
		record("down\t%d\t%v", size, t.Type)
		a.event = C.done_event()
		return nil
	})
}
