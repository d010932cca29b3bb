package stablehlo

import (
	"fmt"
	"math"
	"slices"
)

const dotNumbers = "dot_dimension_numbers"

func dotOps() map[string]spec {
	return map[string]spec{"dot_general": {
		operands: 2, required: []string{dotNumbers}, optional: []string{"precision_config", "algorithm"},
		infer: inferDot, run: runDot,
	}}
}

// dotAxes are the axes of one operand: of the batch, contracted, and the others.
type dotAxes struct{ batch, contracted, free []int }

func (o *Op) dotAxes(side string, t Type) dotAxes {
	batch := o.field(dotNumbers, side+"_batching_dimensions")
	contracted := o.field(dotNumbers, side+"_contracting_dimensions")
	return dotAxes{batch, contracted, without(len(t.Dims), batch, contracted)}
}

func inferDot(o *Op) ([]Type, error) {
	a, b := o.InTypes[0], o.InTypes[1]
	l, r := o.dotAxes("lhs", a), o.dotAxes("rhs", b)
	for _, err := range []error{
		axesOf("lhs axes", slices.Concat(l.batch, l.contracted), len(a.Dims)),
		axesOf("rhs axes", slices.Concat(r.batch, r.contracted), len(b.Dims)),
	} {
		if err != nil {
			return nil, err
		}
	}
	if a.DType != b.DType || !slices.Equal(pick(a.Dims, l.batch), pick(b.Dims, r.batch)) ||
		!slices.Equal(pick(a.Dims, l.contracted), pick(b.Dims, r.contracted)) {
		return nil, differ(o)
	}
	if len(o.OutTypes) != 1 || o.OutTypes[0].DType != a.DType && !(a.DType == BF16 && o.OutTypes[0].DType == F32) {
		return nil, fmt.Errorf("a product of %v gives no %v", a.DType, o.OutTypes)
	}
	if err := checkAlgorithm(o); err != nil {
		return nil, err
	}
	dims := slices.Concat(pick(a.Dims, l.batch), pick(a.Dims, l.free), pick(b.Dims, r.free))
	return []Type{{o.OutTypes[0].DType, dims}}, nil
}

// checkAlgorithm accepts what the interpreter computes: float32 as it is, and TF32 operands.
func checkAlgorithm(o *Op) error {
	if _, found := o.Attrs["algorithm"]; !found {
		return nil
	}
	fields, err := attr[map[string]any](o, "algorithm")
	if err != nil {
		return err
	}
	for _, side := range []string{"lhs_precision_type", "rhs_precision_type"} {
		if kind := fields[side]; kind != enum("tf32") && kind != enum("f32") {
			return fmt.Errorf("%s %v is not supported", side, kind)
		}
	}
	return nil
}

// tf32 tells whether float32 operands are rounded to TF32 first: by the algorithm, if one is given, else by the
// precision DEFAULT, which XLA on an NVIDIA card takes for leave to do so.
func (o *Op) tf32() bool {
	if fields, found := o.Attrs["algorithm"].(map[string]any); found {
		return fields["lhs_precision_type"] == enum("tf32")
	}
	precision, found := o.Attrs["precision_config"].([]string)
	return o.InTypes[0].DType == F32 && (!found || slices.Contains(precision, "DEFAULT"))
}

// tensorFloat rounds to 10 bits of mantissa, to nearest, ties away from zero, as an NVIDIA card does.
func tensorFloat(f float32) float32 {
	return math.Float32frombits((math.Float32bits(f) + 0x1000) &^ 0x1fff)
}

// runDot brings both operands into the order batch, free, contracted (the right one: batch, contracted, free) and
// multiplies matrix by matrix.
func runDot(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	a, b := in[0], in[1]
	l, r := o.dotAxes("lhs", a.Type), o.dotAxes("rhs", b.Type)
	out := NewTensor(o.OutTypes[0])
	batch, inner := product(pick(a.Type.Dims, l.batch)), product(pick(a.Type.Dims, l.contracted))
	rows, columns := product(pick(a.Type.Dims, l.free)), product(pick(b.Type.Dims, r.free))
	a = ordered(a, slices.Concat(l.batch, l.free, l.contracted))
	b = ordered(b, slices.Concat(r.batch, r.contracted, r.free))
	if o.tf32() {
		a, b = shortened(a), shortened(b)
	}
	for i := range batch {
		switch out.Type.DType {
		case F32:
			multiplyFloats(part(view[float32](out), i, rows*columns), part(view[float32](a), i, rows*inner),
				part(view[float32](b), i, inner*columns), inner, columns)
		case F64:
			multiply(part(view[float64](out), i, rows*columns), part(view[float64](a), i, rows*inner),
				part(view[float64](b), i, inner*columns), inner, columns, 0)
		case S32:
			multiply(part(view[int32](out), i, rows*columns), part(view[int32](a), i, rows*inner),
				part(view[int32](b), i, inner*columns), inner, columns, 0)
		default:
			return nil, fmt.Errorf("a product of %v is not supported", out.Type.DType)
		}
	}
	return []*Tensor{out}, nil
}

func part[T number](v []T, i, n int) []T { return v[i*n : (i+1)*n] }

// ordered transposes a tensor unless its axes are in order already.
func ordered(t *Tensor, order []int) *Tensor {
	if slices.IsSorted(order) {
		return t
	}
	out := NewTensor(Type{t.Type.DType, pick(t.Type.Dims, order)})
	strided(out, t, pick(strides(t.Type.Dims), order), 0)
	return out
}

func shortened(t *Tensor) *Tensor {
	out := NewTensor(t.Type)
	short := view[float32](out)
	for i, f := range view[float32](t) {
		short[i] = tensorFloat(f)
	}
	return out
}

// multiply adds a [rows,inner] · b [inner,columns] to out [rows,columns], in the columns from a place on and four rows
// of b at a time.
func multiply[T number](out, a, b []T, inner, columns, from int) {
	if columns == from || inner == 0 {
		return
	}
	for row := range len(out) / columns {
		y := out[row*columns+from : (row+1)*columns]
		x := a[row*inner : (row+1)*inner]
		line := func(k int) []T { return b[k*columns+from:][:len(y)] }
		k := 0
		for ; k+4 <= inner; k += 4 {
			x0, x1, x2, x3 := x[k], x[k+1], x[k+2], x[k+3]
			b0, b1, b2, b3 := line(k), line(k+1), line(k+2), line(k+3)
			for j := range y {
				y[j] += x0*b0[j] + x1*b1[j] + x2*b2[j] + x3*b3[j]
			}
		}
		for ; k < inner; k++ {
			x0, b0 := x[k], line(k)
			for j := range y {
				y[j] += x0 * b0[j]
			}
		}
	}
}
