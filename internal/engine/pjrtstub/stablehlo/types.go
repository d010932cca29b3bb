package stablehlo

import (
	"fmt"
	"slices"
	"strings"
)

// DType is the type of an element.
type DType uint8

// The element types that programs may use.
const (
	I1 DType = iota
	S8
	S16
	S32
	S64
	U8
	U16
	U32
	U64
	BF16
	F32
	F64
)

// dtypes holds each element type's name in programs and its bytes.
var dtypes = [...]struct {
	name  string
	bytes int
}{
	I1: {"i1", 1}, S8: {"i8", 1}, S16: {"i16", 2}, S32: {"i32", 4}, S64: {"i64", 8},
	U8: {"ui8", 1}, U16: {"ui16", 2}, U32: {"ui32", 4}, U64: {"ui64", 8},
	BF16: {"bf16", 2}, F32: {"f32", 4}, F64: {"f64", 8},
}

func (d DType) String() string { return dtypes[d].name }

// Bytes is the size of an element.
func (d DType) Bytes() int { return dtypes[d].bytes }

// Float tells whether d is a floating-point type.
func (d DType) Float() bool { return d >= BF16 }

// Unsigned tells whether d is an unsigned integer.
func (d DType) Unsigned() bool { return d >= U8 && d <= U64 }

// Integer tells whether d is an integer, a boolean being none.
func (d DType) Integer() bool { return d >= S8 && d <= U64 }

// Type is the type of a tensor: element and dimensions.
type Type struct {
	DType DType
	Dims  []int
}

// Size is the number of elements.
func (t Type) Size() int {
	n := 1
	for _, d := range t.Dims {
		n *= d
	}
	return n
}

// Bytes is the size of a tensor's data.
func (t Type) Bytes() int { return t.Size() * t.DType.Bytes() }

// Equal tells whether two types are the same.
func (t Type) Equal(o Type) bool { return t.DType == o.DType && slices.Equal(t.Dims, o.Dims) }

// of is a tensor's type with another element.
func (t Type) of(d DType) Type { return Type{d, t.Dims} }

// scalar is the type of a single element.
func (t Type) scalar() Type { return Type{DType: t.DType} }

func (t Type) String() string {
	var b strings.Builder
	b.WriteString("tensor<")
	for _, d := range t.Dims {
		fmt.Fprintf(&b, "%dx", d)
	}
	b.WriteString(t.DType.String() + ">")
	return b.String()
}

// strides are the distances between neighbours along each axis, in elements, row-major.
func strides(dims []int) []int {
	s := make([]int, len(dims))
	step := 1
	for i := len(dims) - 1; i >= 0; i-- {
		s[i] = step
		step *= dims[i]
	}
	return s
}

func product(dims []int) int { return Type{Dims: dims}.Size() }
