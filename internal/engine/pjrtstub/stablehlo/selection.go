package stablehlo

import (
	"fmt"
	"math"
	"slices"
)

// selectOps are those that compare, choose and convert, element by element.
func selectOps() map[string]spec {
	return map[string]spec{
		"compare": {
			operands: 2, pointwise: true, required: []string{"comparison_direction"},
			optional: []string{"compare_type"}, infer: inferCompare, run: runCompare,
		},
		"select":          {operands: 3, pointwise: true, infer: inferSelect, run: runSelect},
		"clamp":           {operands: 3, pointwise: true, infer: inferClamp, run: runClamp},
		"convert":         {operands: 1, pointwise: true, infer: inferConvert, run: runConvert},
		"bitcast_convert": {operands: 1, infer: inferBitcast, run: runBitcast},
	}
}

func inferCompare(o *Op) ([]Type, error) {
	t := o.InTypes[0]
	if !t.Equal(o.InTypes[1]) {
		return nil, differ(o)
	}
	want := enum("SIGNED")
	switch {
	case t.DType.Float():
		want = "FLOAT"
	case t.DType.Unsigned() || t.DType == I1:
		want = "UNSIGNED"
	}
	if kind, found := o.Attrs["compare_type"]; found && kind != want {
		return nil, fmt.Errorf("compare_type %v is not that of %v, %v", kind, t.DType, want)
	}
	direction, err := attr[enum](o, "comparison_direction")
	if err == nil && !slices.Contains([]enum{"EQ", "NE", "LT", "LE", "GT", "GE"}, direction) {
		err = fmt.Errorf("comparison_direction %v is not known", direction)
	}
	return []Type{t.of(I1)}, err
}

func runCompare(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	in = leveled(in)
	out := NewTensor(in[0].Type.of(I1))
	direction := o.Attrs["comparison_direction"].(enum)
	a, b := in[0], in[1]
	switch a.Type.DType {
	case F32:
		compared(direction, out.Data, view[float32](a), view[float32](b))
	case U64:
		compared(direction, out.Data, view[uint64](a), view[uint64](b))
	case F64:
		compared(direction, out.Data, view[float64](a), view[float64](b))
	default:
		compared(direction, out.Data, integers(a), integers(b))
	}
	return []*Tensor{out}, nil
}

func compared[T number | int](direction enum, out []byte, a, b []T) {
	for i := range out {
		x, y := a[i], b[i]
		var is bool
		switch direction {
		case "EQ":
			is = x == y
		case "NE":
			is = x != y
		case "LT":
			is = x < y
		case "LE":
			is = x <= y
		case "GT":
			is = x > y
		default:
			is = x >= y
		}
		if is {
			out[i] = 1
		}
	}
}

func inferSelect(o *Op) ([]Type, error) {
	predicate, t := o.InTypes[0], o.InTypes[1]
	if predicate.DType != I1 || !t.Equal(o.InTypes[2]) || len(predicate.Dims) > 0 && !predicate.Equal(t.of(I1)) {
		return nil, differ(o)
	}
	return []Type{t}, nil
}

func runSelect(_ *execution, _ *Op, in []*Tensor) ([]*Tensor, error) {
	in = leveled(in)
	out := NewTensor(in[1].Type)
	copy(out.Data, in[2].Data)
	moved(out, in[1], func(i int) int {
		if in[0].Data[i] == 0 {
			return -1
		}
		return i
	})
	return []*Tensor{out}, nil
}

func inferClamp(o *Op) ([]Type, error) {
	low, x, high := o.InTypes[0], o.InTypes[1], o.InTypes[2]
	if (!low.Equal(x) && !low.Equal(x.scalar())) || (!high.Equal(x) && !high.Equal(x.scalar())) {
		return nil, differ(o)
	}
	return []Type{x}, nil
}

func runClamp(_ *execution, _ *Op, in []*Tensor) ([]*Tensor, error) {
	in = leveled(in)
	out := NewTensor(in[1].Type)
	if err := combine("maximum", out, in[0], in[1]); err != nil {
		return nil, err
	}
	return []*Tensor{out}, combine("minimum", out, out, in[2])
}

func inferConvert(o *Op) ([]Type, error) {
	if len(o.OutTypes) != 1 {
		return nil, fmt.Errorf("it has one result")
	}
	return []Type{o.InTypes[0].of(o.OutTypes[0].DType)}, nil
}

func runConvert(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	out := NewTensor(in[0].Type.of(o.OutTypes[0].DType))
	if in[0].Type.DType.Float() {
		fillFloats(out, floats(in[0]))
	} else {
		fill(out, integers(in[0]))
	}
	return []*Tensor{out}, nil
}

// floats returns the elements of a float tensor as float64.
func floats(t *Tensor) []float64 {
	if t.Type.DType == F64 {
		return view[float64](t)
	}
	out := make([]float64, t.Type.Size())
	for i, x := range view[float32](t) {
		out[i] = float64(x)
	}
	return out
}

// fill writes integers into a tensor of any type.
func fill(t *Tensor, values []int) {
	switch t.Type.DType {
	case F64:
		for i, v := range values {
			view[float64](t)[i] = float64(v)
		}
	case F32:
		for i, v := range values {
			view[float32](t)[i] = float32(v)
		}
	case I1:
		for i, v := range values {
			t.Data[i] = byte(min(1, max(v, -v)))
		}
	default:
		for i, v := range values {
			putBits(t, i, uint64(v))
		}
	}
}

// fillFloats writes floats into a tensor of any type. Integers are cut off towards zero and end at the type's limits;
// NaN becomes 0.
func fillFloats(t *Tensor, values []float64) {
	d := t.Type.DType
	switch {
	case d == F64:
		copy(view[float64](t), values)
	case d == F32:
		for i, v := range values {
			view[float32](t)[i] = float32(v)
		}
	case d == I1:
		for i, v := range values {
			if v != 0 {
				t.Data[i] = 1
			}
		}
	default:
		low, high := 0.0, math.Ldexp(1, 8*d.Bytes())
		if !d.Unsigned() {
			high /= 2
			low = -high
		}
		for i, v := range values {
			putBits(t, i, truncated(v, low, high, d.Unsigned()))
		}
	}
}

// truncated returns the bits of the integer between low and high−1 that is nearest to v towards zero.
func truncated(v, low, high float64, unsigned bool) uint64 {
	switch {
	case v != v:
		return 0
	case v >= high && unsigned:
		return ^uint64(0)
	case v >= high:
		return uint64(int64(high/2)-1) + uint64(int64(high/2))
	case v <= low:
		return uint64(int64(low))
	case unsigned:
		return uint64(v)
	default:
		return uint64(int64(v))
	}
}

func inferBitcast(o *Op) ([]Type, error) {
	if len(o.OutTypes) != 1 || o.OutTypes[0].DType.Bytes() != o.InTypes[0].DType.Bytes() {
		return nil, fmt.Errorf("only elements of the same size are supported, not %v to %v", o.InTypes, o.OutTypes)
	}
	return []Type{o.InTypes[0].of(o.OutTypes[0].DType)}, nil
}

func runBitcast(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	return []*Tensor{in[0].as(o.OutTypes[0])}, nil
}
