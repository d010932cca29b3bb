package stablehlo

import (
	"fmt"
	"math"
	"unsafe"
)

// The operations on two operands, by the kinds of elements that they take.
var binaryNames = map[string]struct{ float, integer, boolean bool }{
	"add": {true, true, true}, "subtract": {true, true, false}, "multiply": {true, true, true},
	"divide": {true, true, false}, "remainder": {true, true, false}, "power": {true, false, false},
	"maximum": {true, true, true}, "minimum": {true, true, true}, "atan2": {true, false, false},
	"and": {false, true, true}, "or": {false, true, true}, "xor": {false, true, true},
	"shift_left": {false, true, false}, "shift_right_logical": {false, true, false},
	"shift_right_arithmetic": {false, true, false},
}

func binaryOps() map[string]spec {
	ops := map[string]spec{}
	for name := range binaryNames {
		ops[name] = spec{operands: 2, pointwise: true, infer: inferBinary, run: runBinary}
	}
	return ops
}

func inferBinary(o *Op) ([]Type, error) {
	if !o.InTypes[0].Equal(o.InTypes[1]) {
		return nil, differ(o)
	}
	d, takes := o.InTypes[0].DType, binaryNames[o.Name]
	if d.Float() && !takes.float || d.Integer() && !takes.integer || d == I1 && !takes.boolean {
		return nil, fmt.Errorf("it is not defined for %v", d)
	}
	return o.InTypes[:1], nil
}

func runBinary(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	in = leveled(in)
	out := NewTensor(in[0].Type)
	return []*Tensor{out}, combine(o.Name, out, in[0], in[1])
}

// combine writes a operation b into out, element by element; out may be one of them.
func combine(name string, out, a, b *Tensor) error {
	switch a.Type.DType {
	case F32:
		return floatsCombined(name, view[float32](out), view[float32](a), view[float32](b))
	case F64:
		return floatsCombined(name, view[float64](out), view[float64](a), view[float64](b))
	case I1:
		return booleansCombined(name, out.Data, a.Data, b.Data)
	case S8:
		return integersCombined(name, view[int8](out), view[int8](a), view[int8](b))
	case S16:
		return integersCombined(name, view[int16](out), view[int16](a), view[int16](b))
	case S32:
		return integersCombined(name, view[int32](out), view[int32](a), view[int32](b))
	case S64:
		return integersCombined(name, view[int64](out), view[int64](a), view[int64](b))
	case U8:
		return integersCombined(name, view[uint8](out), view[uint8](a), view[uint8](b))
	case U16:
		return integersCombined(name, view[uint16](out), view[uint16](a), view[uint16](b))
	case U32:
		return integersCombined(name, view[uint32](out), view[uint32](a), view[uint32](b))
	case U64:
		return integersCombined(name, view[uint64](out), view[uint64](a), view[uint64](b))
	default:
		return fmt.Errorf("%s of %v", name, a.Type.DType)
	}
}

// arithmetic does the operations that all numbers share, and tells whether name is one.
func arithmetic[T number](name string, out, a, b []T) bool {
	switch name {
	case "add":
		for i := range out {
			out[i] = a[i] + b[i]
		}
	case "subtract":
		for i := range out {
			out[i] = a[i] - b[i]
		}
	case "multiply":
		for i := range out {
			out[i] = a[i] * b[i]
		}
	case "maximum":
		for i := range out {
			out[i] = max(a[i], b[i])
		}
	case "minimum":
		for i := range out {
			out[i] = min(a[i], b[i])
		}
	default:
		return false
	}
	return true
}

func floatsCombined[T float32 | float64](name string, out, a, b []T) error {
	if arithmetic(name, out, a, b) {
		return nil
	}
	var f func(x, y float64) float64
	switch name {
	case "divide":
		for i := range out {
			out[i] = a[i] / b[i]
		}
		return nil
	case "power":
		f = math.Pow
	case "remainder":
		f = math.Mod
	case "atan2":
		f = math.Atan2
	default:
		return fmt.Errorf("%s of floats", name)
	}
	for i := range out {
		out[i] = T(f(float64(a[i]), float64(b[i])))
	}
	return nil
}

func integersCombined[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](
	name string, out, a, b []T,
) error {
	if arithmetic(name, out, a, b) {
		return nil
	}
	width := 8 * uint(unsafe.Sizeof(T(0)))
	for i := range out {
		x, y := a[i], b[i]
		switch name {
		case "divide":
			out[i] = ^T(0) // what the specification's authors chose for a division by zero
			if y != 0 {
				out[i] = x / y
			}
		case "remainder":
			out[i] = x
			if y != 0 {
				out[i] = x % y
			}
		case "and":
			out[i] = x & y
		case "or":
			out[i] = x | y
		case "xor":
			out[i] = x ^ y
		case "shift_left":
			out[i] = x << uint(y) // 0 where all bits are shifted out, as Go has it
		case "shift_right_arithmetic":
			out[i] = x >> uint(y)
		case "shift_right_logical":
			out[i] = T(uint64(x) & (^uint64(0) >> (64 - width)) >> uint(y))
		default:
			return fmt.Errorf("%s of integers", name)
		}
	}
	return nil
}

func booleansCombined(name string, out, a, b []byte) error {
	for i := range out {
		switch name {
		case "and", "multiply", "minimum":
			out[i] = a[i] & b[i]
		case "or", "add", "maximum":
			out[i] = a[i] | b[i]
		case "xor":
			out[i] = a[i] ^ b[i]
		default:
			return fmt.Errorf("%s of booleans", name)
		}
	}
	return nil
}
