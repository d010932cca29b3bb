package stablehlo

import (
	"unsafe"
)

// Tensor is a type with its data, row-major, of the machine's byte order. No kernel changes a tensor that it did not
// make, so tensors may share data.
type Tensor struct {
	Type Type
	Data []byte
}

// NewTensor returns a tensor of zeros.
func NewTensor(t Type) *Tensor {
	words := make([]uint64, (t.Bytes()+7)/8) // aligned for every element
	if len(words) == 0 {
		return &Tensor{t, nil}
	}
	return &Tensor{t, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), t.Bytes())}
}

// as returns the same data under another type of the same size.
func (t *Tensor) as(other Type) *Tensor { return &Tensor{other, t.Data} }

// number are the Go types of elements. A boolean is a uint8 of 0 or 1; bf16 is computed in float32 (bfloat16.go).
type number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// view is a tensor's data as a slice of T, whose size must be the element's.
func view[T number](t *Tensor) []T {
	if len(t.Data) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(t.Data))), t.Type.Size())
}

// integers returns the elements of an integer tensor as ints.
func integers(t *Tensor) []int {
	switch t.Type.DType {
	case S8:
		return widened(view[int8](t))
	case S16:
		return widened(view[int16](t))
	case S32:
		return widened(view[int32](t))
	case S64:
		return widened(view[int64](t))
	case I1, U8:
		return widened(view[uint8](t))
	case U16:
		return widened(view[uint16](t))
	case U32:
		return widened(view[uint32](t))
	default:
		return widened(view[uint64](t))
	}
}

func widened[T number](v []T) []int {
	out := make([]int, len(v))
	for i, x := range v {
		out[i] = int(x)
	}
	return out
}

// moved fills dst by dst[i] = src[from(i)], whatever the element; from returns a negative number to leave one as it is.
func moved(dst, src *Tensor, from func(i int) int) {
	switch dst.Type.DType.Bytes() {
	case 1:
		move(view[uint8](dst), view[uint8](src), from)
	case 2:
		move(view[uint16](dst), view[uint16](src), from)
	case 4:
		move(view[uint32](dst), view[uint32](src), from)
	default:
		move(view[uint64](dst), view[uint64](src), from)
	}
}

func move[T number](dst, src []T, from func(i int) int) {
	for i := range dst {
		if j := from(i); j >= 0 {
			dst[i] = src[j]
		}
	}
}

// walk visits the positions of a shape in row-major order: at receives for each the sum of index times step, from
// offset on. It is how all kernels that only move data find their source.
func walk(dims, step []int, offset int, at func(i, source int)) {
	n := product(dims)
	if n == 0 {
		return
	}
	index := make([]int, len(dims))
	source := offset
	for i := range n {
		at(i, source)
		for d := len(dims) - 1; d >= 0; d-- {
			index[d]++
			source += step[d]
			if index[d] < dims[d] {
				break
			}
			source -= step[d] * dims[d]
			index[d] = 0
		}
	}
}

// strided fills dst by walking over src.
func strided(dst, src *Tensor, step []int, offset int) {
	switch dst.Type.DType.Bytes() {
	case 1:
		stride(view[uint8](dst), view[uint8](src), dst.Type.Dims, step, offset)
	case 2:
		stride(view[uint16](dst), view[uint16](src), dst.Type.Dims, step, offset)
	case 4:
		stride(view[uint32](dst), view[uint32](src), dst.Type.Dims, step, offset)
	default:
		stride(view[uint64](dst), view[uint64](src), dst.Type.Dims, step, offset)
	}
}

// stride copies row by row: the last axis is a loop of its own, for most of an execution's time is spent here.
func stride[T number](dst, src []T, dims, step []int, offset int) {
	if len(dst) == 0 {
		return
	}
	if len(dims) == 0 {
		dst[0] = src[offset]
		return
	}
	last := len(dims) - 1
	width, by := dims[last], step[last]
	walk(dims[:last], step[:last], offset, func(row, source int) {
		out := dst[row*width : (row+1)*width]
		switch by {
		case 0:
			for i := range out {
				out[i] = src[source]
			}
		case 1:
			copy(out, src[source:])
		default:
			for i := range out {
				out[i] = src[source+i*by]
			}
		}
	})
}

// Numbers returns a tensor's elements as float64.
func (t *Tensor) Numbers() []float64 {
	switch {
	case t.Type.DType == BF16:
		return floats(widenedFloats(t))
	case t.Type.DType.Float():
		return floats(t)
	}
	out := make([]float64, t.Type.Size())
	for i, v := range integers(t) {
		out[i] = float64(v)
	}
	return out
}

// Fill writes numbers into a tensor, one for each element.
func (t *Tensor) Fill(numbers []float64) {
	if t.Type.DType == BF16 {
		wide := NewTensor(t.Type.of(F32))
		fillFloats(wide, numbers)
		copy(t.Data, rounded(wide).Data)
		return
	}
	fillFloats(t, numbers)
}
