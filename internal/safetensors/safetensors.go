// Package safetensors reads and writes the safetensors file format (github.com/huggingface/safetensors), in which gfncp
// exchanges weights. It knows bytes, shapes and names, not models.
//
// A file is an 8-byte little-endian header length, a JSON header and the raw little-endian tensors in row-major order:
//
//	{"__metadata__": {"key": "value"}, "name": {"dtype": "F32", "shape": [2,3], "data_offsets": [0,24]}}
//
// The offsets count from the end of the header. Decode reads only files as Encode writes them.
package safetensors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/x448/float16" // GoMLX's makes 0 of numbers below 2⁻¹⁴
)

// MaxHeader is the largest header in bytes: room for some 10,000 tensors.
const MaxHeader = 1 << 20

const metadataKey = "__metadata__"

const prefixLen = 8

// ErrTruncated is wrapped by errors of Decode about data that looks like a safetensors file that ends too early.
var ErrTruncated = errors.New("the data ends too early")

// Tensor is one named array. A scalar has an empty Shape.
type Tensor struct {
	Name  string // any text but "__metadata__"
	DType string // one of elementSizes
	Shape []int  // sizes of the axes, each ≥ 0
	Data  []byte // raw little-endian values, row-major; its length is the product of Shape times the element size
}

// File is the content of a safetensors file.
type File struct {
	Metadata map[string]string // free text, such as a model's config; nil without metadata
	Tensors  []Tensor          // Decode returns them in the order of their names
}

// Tensor returns the tensor called name, and whether there is one.
func (f *File) Tensor(name string) (Tensor, bool) {
	i := slices.IndexFunc(f.Tensors, func(t Tensor) bool { return t.Name == name })
	if i < 0 {
		return Tensor{}, false
	}
	return f.Tensors[i], true
}

// FromFloat32s returns an F32 tensor that holds values in row-major order. Its length must be the product of shape.
func FromFloat32s(name string, shape []int, values []float32) (Tensor, error) {
	return checked(name, "F32", shape, values)
}

// checked returns the tensor of numbers of a fixed size, whose count must be the product of shape.
func checked(name, dtype string, shape []int, values any) (Tensor, error) {
	data, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		return Tensor{}, err
	}
	t := Tensor{Name: name, DType: dtype, Shape: slices.Clone(shape), Data: data}
	return t, checkTensor(t)
}

// FromHalves returns an F16 tensor that holds values in row-major order, each of them rounded to the nearest number of
// half precision. Its length must be the product of shape. A value beyond ±65504 is an error.
func FromHalves(name string, shape []int, values []float32) (Tensor, error) {
	halves := make([]uint16, len(values))
	for i, v := range values {
		half := float16.Fromfloat32(v)
		if rounded := half.Float32(); math.IsInf(float64(rounded), 0) || rounded != rounded {
			return Tensor{}, fmt.Errorf("value %d of tensor %q, %v, is no number of half precision", i, name, v)
		}
		halves[i] = half.Bits()
	}
	return checked(name, "F16", shape, halves)
}

// Float32s returns the values of an F32 or F16 tensor in row-major order. Any other element type is an error, because a
// conversion could lose digits.
func Float32s(t Tensor) ([]float32, error) {
	if t.DType != "F32" && t.DType != "F16" {
		return nil, fmt.Errorf("tensor %q holds %s, want F32 or F16", t.Name, t.DType)
	}
	if err := checkTensor(t); err != nil {
		return nil, err
	}
	if t.DType == "F16" {
		values := make([]float32, len(t.Data)/2)
		for i := range values {
			values[i] = float16.Frombits(binary.LittleEndian.Uint16(t.Data[2*i:])).Float32()
		}
		return values, nil
	}
	values := make([]float32, len(t.Data)/4)
	_, err := binary.Decode(t.Data, binary.LittleEndian, values)
	return values, err
}

func checkTensor(t Tensor) error {
	size, err := byteSize(t.DType, t.Shape)
	if err != nil {
		return fmt.Errorf("tensor %q: %w", t.Name, err)
	}
	if size != len(t.Data) {
		return fmt.Errorf("tensor %q: shape %v of %s takes %d bytes, the data has %d",
			t.Name, t.Shape, t.DType, size, len(t.Data))
	}
	return nil
}

// byteSize returns the number of bytes of a tensor, or an error for an unknown type, a negative axis or an overflow.
func byteSize(dtype string, shape []int) (int, error) {
	size, known := elementSizes[dtype]
	if !known {
		all := slices.Sorted(maps.Keys(elementSizes))
		return 0, fmt.Errorf("element type %q is not one of %s", dtype, strings.Join(all, ", "))
	}
	if i := slices.IndexFunc(shape, func(n int) bool { return n < 0 }); i >= 0 {
		return 0, fmt.Errorf("axis %d has negative size %d", i, shape[i])
	}
	if slices.Contains(shape, 0) {
		return 0, nil // however large the other axes are
	}
	for _, n := range shape {
		hi, lo := bits.Mul64(uint64(size), uint64(n))
		if hi != 0 || lo > math.MaxInt {
			return 0, errors.New("the shape is too large")
		}
		size = int(lo)
	}
	return size, nil
}

// elementSizes are the bytes of one element by its type. Weights are F32; the others occur in counters and in files
// of features.
var elementSizes = map[string]int{
	"BOOL": 1, "I8": 1, "U8": 1,
	"BF16": 2, "F16": 2, "I16": 2, "U16": 2,
	"F32": 4, "I32": 4, "U32": 4,
	"F64": 8, "I64": 8, "U64": 8,
}
