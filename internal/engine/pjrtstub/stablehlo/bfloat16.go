package stablehlo

import "math"

// bfloat16 rounds to the nearest number with 8 bits of mantissa, ties to even; the result is its bits.
func bfloat16(f float32) uint16 {
	bits := math.Float32bits(f)
	if f != f {
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// widenedFloats is a bf16 tensor in float32.
func widenedFloats(t *Tensor) *Tensor {
	out := NewTensor(t.Type.of(F32))
	wide := view[float32](out)
	for i, b := range view[uint16](t) {
		wide[i] = math.Float32frombits(uint32(b) << 16)
	}
	return out
}

// rounded is a float32 tensor in bf16.
func rounded(t *Tensor) *Tensor {
	out := NewTensor(t.Type.of(BF16))
	short := view[uint16](out)
	for i, f := range view[float32](t) {
		short[i] = bfloat16(f)
	}
	return out
}

// narrow tells whether an operation computes with bf16. Those that only move data do so with its bits.
func narrow(o *Op) bool {
	switch o.Name {
	case "constant", "iota", "reshape", "broadcast_in_dim", "transpose", "slice", "concatenate", "pad", "reverse",
		"gather", "dynamic_slice", "dynamic_update_slice", "select", "bitcast_convert", "while", "if", "call", "sort":
		return false
	}
	for _, types := range [][]Type{o.InTypes, o.OutTypes} {
		for _, t := range types {
			if t.DType == BF16 {
				return true
			}
		}
	}
	return false
}

// widen gives an operation and its operands float32 in place of bf16.
func widen(o *Op, in []*Tensor) (*Op, []*Tensor) {
	wide := *o
	wide.OutTypes = make([]Type, len(o.OutTypes))
	for i, t := range o.OutTypes {
		wide.OutTypes[i] = t
		if t.DType == BF16 {
			wide.OutTypes[i] = t.of(F32)
		}
	}
	wideIn := make([]*Tensor, len(in))
	for i, t := range in {
		wideIn[i] = t
		if t.Type.DType == BF16 {
			wideIn[i] = widenedFloats(t)
		}
	}
	return &wide, wideIn
}
