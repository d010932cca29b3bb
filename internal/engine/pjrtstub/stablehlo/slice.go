package stablehlo

import (
	"fmt"
	"slices"
)

// sliceOps take a part of a tensor, put one into it, or surround it.
func sliceOps() map[string]spec {
	return map[string]spec{
		"slice": {
			operands: 1, required: []string{"start_indices", "limit_indices", "strides"},
			infer: inferSlice, run: runSlice,
		},
		"pad": {
			operands: 2, required: []string{"edge_padding_low", "edge_padding_high", "interior_padding"},
			infer: inferPad, run: runPad,
		},
		"dynamic_slice": {
			operands: -1, required: []string{"slice_sizes"}, infer: inferDynamicSlice, run: runDynamicSlice,
		},
		"dynamic_update_slice": {operands: -1, infer: inferDynamicUpdate, run: runDynamicUpdate},
	}
}

func inferSlice(o *Op) ([]Type, error) {
	x := o.InTypes[0]
	start, limit, by := o.ints("start_indices"), o.ints("limit_indices"), o.ints("strides")
	if len(start) != len(x.Dims) || len(limit) != len(x.Dims) || len(by) != len(x.Dims) {
		return nil, fmt.Errorf("%d starts, %d limits and %d strides for %v", len(start), len(limit), len(by), x)
	}
	t := Type{x.DType, make([]int, len(x.Dims))}
	for a := range x.Dims {
		if start[a] < 0 || start[a] > limit[a] || limit[a] > x.Dims[a] || by[a] < 1 {
			return nil, fmt.Errorf("%d to %d by %d is no part of axis %d of %v", start[a], limit[a], by[a], a, x)
		}
		t.Dims[a] = (limit[a] - start[a] + by[a] - 1) / by[a]
	}
	return []Type{t}, nil
}

func runSlice(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	start, by := o.ints("start_indices"), o.ints("strides")
	step, offset := strides(in[0].Type.Dims), 0
	for a := range step {
		offset += start[a] * step[a]
		step[a] *= by[a]
	}
	out := NewTensor(o.OutTypes[0])
	strided(out, in[0], step, offset)
	return []*Tensor{out}, nil
}

func inferPad(o *Op) ([]Type, error) {
	x := o.InTypes[0]
	low, high, inner := o.ints("edge_padding_low"), o.ints("edge_padding_high"), o.ints("interior_padding")
	if !o.InTypes[1].Equal(x.scalar()) || len(low) != len(x.Dims) || len(high) != len(x.Dims) ||
		len(inner) != len(x.Dims) {
		return nil, differ(o)
	}
	t := Type{x.DType, make([]int, len(x.Dims))}
	for a, d := range x.Dims {
		t.Dims[a] = low[a] + d + max(0, d-1)*inner[a] + high[a]
		if inner[a] < 0 || t.Dims[a] < 0 {
			return nil, fmt.Errorf("axis %d would have %d places", a, t.Dims[a])
		}
	}
	return []Type{t}, nil
}

// runPad looks up for every place of the result which element stands there, if any.
func runPad(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	out := NewTensor(o.OutTypes[0])
	strided(out, in[1], make([]int, len(out.Type.Dims)), 0)
	low, inner := o.ints("edge_padding_low"), o.ints("interior_padding")
	x := in[0].Type
	from, to := strides(x.Dims), strides(out.Type.Dims)
	moved(out, in[0], func(i int) int {
		source := 0
		for a := range from {
			at := i/to[a]%out.Type.Dims[a] - low[a]
			if at < 0 || at%(inner[a]+1) != 0 || at/(inner[a]+1) >= x.Dims[a] {
				return -1
			}
			source += at / (inner[a] + 1) * from[a]
		}
		return source
	})
	return []*Tensor{out}, nil
}

// scalarIndices checks that the operands from a place on are as many integer scalars as a tensor has axes.
func scalarIndices(o *Op, from int) error {
	if len(o.InTypes) < from || len(o.InTypes)-from != len(o.InTypes[0].Dims) {
		return fmt.Errorf("%d operands for %v", len(o.InTypes), o.InTypes[0])
	}
	for _, t := range o.InTypes[from:] {
		if !t.DType.Integer() || len(t.Dims) > 0 || t.DType != o.InTypes[from].DType {
			return differ(o)
		}
	}
	return nil
}

func inferDynamicSlice(o *Op) ([]Type, error) {
	sizes, x := o.ints("slice_sizes"), o.InTypes[0]
	if err := scalarIndices(o, 1); err != nil {
		return nil, err
	}
	for a, n := range sizes {
		if len(sizes) != len(x.Dims) || n < 0 || n > x.Dims[a] {
			return nil, fmt.Errorf("slice_sizes %v of %v", sizes, x)
		}
	}
	return []Type{{x.DType, sizes}}, nil
}

// corner is the offset of a window at indices that are moved until it lies inside.
func corner(indices []*Tensor, window, dims []int) int {
	offset := 0
	for a, step := range strides(dims) {
		offset += min(max(integers(indices[a])[0], 0), dims[a]-window[a]) * step
	}
	return offset
}

func runDynamicSlice(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	out, dims := NewTensor(o.OutTypes[0]), in[0].Type.Dims
	strided(out, in[0], strides(dims), corner(in[1:], out.Type.Dims, dims))
	return []*Tensor{out}, nil
}

func inferDynamicUpdate(o *Op) ([]Type, error) {
	if len(o.InTypes) < 2 || o.InTypes[0].DType != o.InTypes[1].DType ||
		len(o.InTypes[0].Dims) != len(o.InTypes[1].Dims) {
		return nil, differ(o)
	}
	for a, n := range o.InTypes[1].Dims {
		if n > o.InTypes[0].Dims[a] {
			return nil, differ(o)
		}
	}
	return o.InTypes[:1], scalarIndices(o, 2)
}

func runDynamicUpdate(_ *execution, _ *Op, in []*Tensor) ([]*Tensor, error) {
	out, part := &Tensor{in[0].Type, slices.Clone(in[0].Data)}, in[1]
	dims, width := out.Type.Dims, out.Type.DType.Bytes()
	walk(part.Type.Dims, strides(dims), corner(in[2:], part.Type.Dims, dims), func(i, at int) {
		copy(out.Data[at*width:(at+1)*width], part.Data[i*width:])
	})
	return []*Tensor{out}, nil
}
