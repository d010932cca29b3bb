package stablehlo

import (
	"fmt"
	"slices"
)

// layoutOps are those that give values a shape, or the same values another one.
func layoutOps() map[string]spec {
	return map[string]spec{
		"constant": {required: []string{"value"}, pointwise: true, infer: inferConstant, run: runConstant},
		"iota":     {required: []string{"iota_dimension"}, infer: inferIota, run: runIota},
		"reshape":  {operands: 1, infer: inferReshape, run: runReshape},
		"broadcast_in_dim": {
			operands: 1, required: []string{"broadcast_dimensions"}, infer: inferBroadcast, run: runBroadcast,
		},
		"transpose": {operands: 1, required: []string{"permutation"}, infer: inferTranspose, run: runTranspose},
		"reverse":   {operands: 1, required: []string{"dimensions"}, infer: inferReverse, run: runReverse},
		"concatenate": {
			operands: -1, required: []string{"dimension"}, infer: inferConcatenate, run: runConcatenate,
		},
		"optimization_barrier": {
			operands: -1, infer: func(o *Op) ([]Type, error) { return o.InTypes, nil },
			run: func(_ *execution, _ *Op, in []*Tensor) ([]*Tensor, error) { return in, nil },
		},
	}
}

func inferConstant(o *Op) ([]Type, error) {
	t, err := attr[*Tensor](o, "value")
	if err != nil {
		return nil, err
	}
	return []Type{t.Type}, nil
}

func runConstant(_ *execution, o *Op, _ []*Tensor) ([]*Tensor, error) {
	return []*Tensor{o.Attrs["value"].(*Tensor)}, nil
}

func inferIota(o *Op) ([]Type, error) {
	axis, err := attr[int](o, "iota_dimension")
	if err == nil && (len(o.OutTypes) != 1 || axis < 0 || axis >= len(o.OutTypes[0].Dims) ||
		o.OutTypes[0].DType == I1) {
		err = fmt.Errorf("axis %d of %v cannot be counted", axis, o.OutTypes)
	}
	return o.OutTypes, err
}

func runIota(_ *execution, o *Op, _ []*Tensor) ([]*Tensor, error) {
	t := o.OutTypes[0]
	axis := o.Attrs["iota_dimension"].(int)
	step := make([]int, len(t.Dims))
	step[axis] = 1
	values := make([]int, t.Size())
	walk(t.Dims, step, 0, func(i, source int) { values[i] = source })
	out := NewTensor(t)
	if t.DType == BF16 {
		wide := NewTensor(t.of(F32))
		fill(wide, values)
		return []*Tensor{rounded(wide)}, nil
	}
	fill(out, values)
	return []*Tensor{out}, nil
}

func inferReshape(o *Op) ([]Type, error) {
	if len(o.OutTypes) != 1 || o.OutTypes[0].Size() != o.InTypes[0].Size() ||
		o.OutTypes[0].DType != o.InTypes[0].DType {
		return nil, fmt.Errorf("%v cannot become %v", o.InTypes, o.OutTypes)
	}
	return o.OutTypes, nil
}

func runReshape(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	return []*Tensor{in[0].as(o.OutTypes[0])}, nil
}

func inferBroadcast(o *Op) ([]Type, error) {
	axes, x := o.ints("broadcast_dimensions"), o.InTypes[0]
	if len(o.OutTypes) != 1 || len(axes) != len(x.Dims) {
		return nil, fmt.Errorf("broadcast_dimensions %v for %v", axes, x)
	}
	t := o.OutTypes[0]
	if err := axesOf("broadcast_dimensions", axes, len(t.Dims)); err != nil {
		return nil, err
	}
	for i, a := range axes {
		if x.Dims[i] != 1 && x.Dims[i] != t.Dims[a] {
			return nil, fmt.Errorf("%v does not broadcast to %v along %v", x, t, axes)
		}
	}
	return []Type{t.of(x.DType)}, nil
}

func runBroadcast(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	x := in[0].Type
	from, step := strides(x.Dims), make([]int, len(o.OutTypes[0].Dims))
	for i, a := range o.ints("broadcast_dimensions") {
		if x.Dims[i] != 1 {
			step[a] = from[i]
		}
	}
	out := NewTensor(o.OutTypes[0])
	strided(out, in[0], step, 0)
	return []*Tensor{out}, nil
}

func inferTranspose(o *Op) ([]Type, error) {
	order, x := o.ints("permutation"), o.InTypes[0]
	if len(order) != len(x.Dims) {
		return nil, fmt.Errorf("permutation %v for %v", order, x)
	}
	return []Type{{x.DType, pick(x.Dims, order)}}, axesOf("permutation", order, len(x.Dims))
}

func runTranspose(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	out := NewTensor(o.OutTypes[0])
	strided(out, in[0], pick(strides(in[0].Type.Dims), o.ints("permutation")), 0)
	return []*Tensor{out}, nil
}

func inferReverse(o *Op) ([]Type, error) {
	return o.InTypes, axesOf("dimensions", o.ints("dimensions"), len(o.InTypes[0].Dims))
}

func runReverse(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	x := in[0].Type
	step, offset := strides(x.Dims), 0
	for _, a := range o.ints("dimensions") {
		offset += max(0, x.Dims[a]-1) * step[a]
		step[a] = -step[a]
	}
	out := NewTensor(x)
	strided(out, in[0], step, offset)
	return []*Tensor{out}, nil
}

func inferConcatenate(o *Op) ([]Type, error) {
	axis, err := attr[int](o, "dimension")
	if err != nil || len(o.InTypes) == 0 || axis < 0 || axis >= len(o.InTypes[0].Dims) {
		return nil, fmt.Errorf("dimension %v of %v", o.Attrs["dimension"], o.InTypes)
	}
	sum := Type{o.InTypes[0].DType, slices.Clone(o.InTypes[0].Dims)}
	for _, t := range o.InTypes[1:] {
		if t.DType != sum.DType || len(t.Dims) != len(sum.Dims) {
			return nil, differ(o)
		}
		for a := range t.Dims {
			if a != axis && t.Dims[a] != sum.Dims[a] {
				return nil, differ(o)
			}
		}
		sum.Dims[axis] += t.Dims[axis]
	}
	return []Type{sum}, nil
}

// runConcatenate copies, for each place along the axes before, a stretch of every operand.
func runConcatenate(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	axis := o.Attrs["dimension"].(int)
	out := NewTensor(o.OutTypes[0])
	outer := product(out.Type.Dims[:axis])
	at := 0
	for i := range outer {
		for _, x := range in {
			stretch := len(x.Data) / outer
			at += copy(out.Data[at:], x.Data[i*stretch:(i+1)*stretch])
		}
	}
	return []*Tensor{out}, nil
}
