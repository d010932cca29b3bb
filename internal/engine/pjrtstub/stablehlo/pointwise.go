package stablehlo

import (
	"fmt"
	"math"
)

// The operations on one operand. Those on floats are computed in float64 and rounded once.
var unaryFloats = map[string]func(float64) float64{
	"abs": math.Abs, "negate": func(x float64) float64 { return -x }, "sign": sign,
	"exponential": math.Exp, "exponential_minus_one": math.Expm1, "log": math.Log, "log_plus_one": math.Log1p,
	"logistic": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"sqrt":     math.Sqrt, "rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) }, "cbrt": math.Cbrt,
	"sine": math.Sin, "cosine": math.Cos, "tan": math.Tan, "tanh": math.Tanh,
	"erf": math.Erf, "floor": math.Floor, "ceil": math.Ceil,
	"round_nearest_even": math.RoundToEven, "round_nearest_afz": math.Round,
}

var unaryInts = map[string]func(int) int{
	"abs":    func(x int) int { return max(x, -x) },
	"negate": func(x int) int { return -x },
	"sign":   func(x int) int { return min(max(x, -1), 1) },
	"not":    func(x int) int { return ^x },
}

func sign(x float64) float64 {
	if x == 0 || x != x {
		return x
	}
	return math.Copysign(1, x)
}

func unaryOps() map[string]spec {
	ops := map[string]spec{
		"is_finite": {operands: 1, pointwise: true, infer: inferFinite, run: runFinite},
		"not":       {operands: 1, pointwise: true, infer: inferSame, run: runUnary},
	}
	for name := range unaryFloats {
		ops[name] = spec{operands: 1, pointwise: true, infer: inferSame, run: runUnary}
	}
	return ops
}

// inferSame is for operations whose result has the type of each of their operands.
func inferSame(o *Op) ([]Type, error) {
	for _, t := range o.InTypes[1:] {
		if !t.Equal(o.InTypes[0]) {
			return nil, differ(o)
		}
	}
	d := o.InTypes[0].DType
	_, float := unaryFloats[o.Name]
	_, integer := unaryInts[o.Name]
	if len(o.In) == 1 && (d.Float() && !float || d.Integer() && !integer || d == I1 && o.Name != "not") {
		return nil, fmt.Errorf("it is not defined for %v", d)
	}
	return o.InTypes[:1], nil
}

func runUnary(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	x := in[0]
	out := NewTensor(x.Type)
	switch x.Type.DType {
	case F32:
		mapped(view[float32](out), view[float32](x), unaryFloats[o.Name])
	case F64:
		mapped(view[float64](out), view[float64](x), unaryFloats[o.Name])
	case I1:
		for i, b := range x.Data {
			out.Data[i] = 1 - b
		}
	default:
		values := integers(x)
		for i, v := range values {
			values[i] = unaryInts[o.Name](v)
		}
		fill(out, values)
	}
	return []*Tensor{out}, nil
}

func mapped[T float32 | float64](out, x []T, f func(float64) float64) {
	for i, v := range x {
		out[i] = T(f(float64(v)))
	}
}

func inferFinite(o *Op) ([]Type, error) { return []Type{o.InTypes[0].of(I1)}, nil }

func runFinite(_ *execution, _ *Op, in []*Tensor) ([]*Tensor, error) {
	out := NewTensor(in[0].Type.of(I1))
	for i, x := range floats(in[0]) {
		if x-x == 0 {
			out.Data[i] = 1
		}
	}
	return []*Tensor{out}, nil
}

// leveled gives all operands the same dimensions: in a reduction's region, whose scalars stand for many elements at
// once, constants are still single ones, and so may be the predicate of select.
func leveled(in []*Tensor) []*Tensor {
	var dims []int
	for _, t := range in {
		if len(t.Type.Dims) > 0 {
			dims = t.Type.Dims
		}
	}
	out := make([]*Tensor, len(in))
	for i, t := range in {
		out[i] = t
		if len(t.Type.Dims) < len(dims) {
			out[i] = NewTensor(Type{t.Type.DType, dims})
			strided(out[i], t, make([]int, len(dims)), 0)
		}
	}
	return out
}
