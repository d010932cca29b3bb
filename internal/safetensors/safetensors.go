// Package safetensors reads and writes the safetensors file format (github.com/huggingface/safetensors), in which gfncp
// exchanges weights. It knows numbers, shapes and names, not models.
//
// A file is an 8-byte little-endian header length, a JSON header and the little-endian tensors in row-major order, all
// in single (F32) or all in half precision (F16):
//
//	{"__metadata__": {"key": "value"}, "name": {"dtype": "F32", "shape": [2,3], "data_offsets": [0,24]}}
//
// The offsets count from the end of the header. Decode reads only files as Encode writes them.
package safetensors

import (
	"fmt"

	"github.com/x448/float16" // GoMLX's makes 0 of numbers below 2⁻¹⁴
)

// MaxHeader is the largest header in bytes: room for some 10,000 tensors.
const MaxHeader = 1 << 20

const metadataKey = "__metadata__"

const prefixLen = 8

// File is the content of a safetensors file.
type File struct {
	Metadata map[string]string // free text, such as a model's config; nil without metadata
	Tensors  map[string]Tensor // by any names but "__metadata__"
	Half     bool              // the file has the numbers in half precision
}

// Tensor is an array in row-major order.
type Tensor struct {
	Shape []int     // sizes of the axes, each ≥ 0; empty for a scalar
	Data  []float32 // as many as the product of Shape
}

// Halves returns values rounded to the nearest numbers of half precision. A value beyond ±65504 is an error.
func Halves(values []float32) ([]float32, error) {
	rounded := make([]float32, len(values))
	for i, v := range values {
		half := float16.Fromfloat32(v)
		if half.IsInf(0) || half.IsNaN() {
			return nil, fmt.Errorf("value %d, %v, is no number of half precision", i, v)
		}
		rounded[i] = half.Float32()
	}
	return rounded, nil
}

// entry describes a tensor in the header. The offsets count from the end of the header.
type entry struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// element returns the type of the numbers, and their bytes.
func (f *File) element() (name string, size int) {
	if f.Half {
		return "F16", 2
	}
	return "F32", 4
}
