package stablehlo

import (
	"fmt"
	"slices"
	"sort"
)

func sortOps() map[string]spec {
	return map[string]spec{"sort": {
		operands: -1, regions: 1, required: []string{"dimension"}, optional: []string{"is_stable"},
		infer: inferSort, run: runSort,
	}}
}

func inferSort(o *Op) ([]Type, error) {
	axis, err := attr[int](o, "dimension")
	if err != nil || len(o.InTypes) == 0 || axis < 0 || axis >= len(o.InTypes[0].Dims) {
		return nil, fmt.Errorf("dimension %v of %v", o.Attrs["dimension"], o.InTypes)
	}
	var pairs []Type
	for _, t := range o.InTypes {
		if !slices.Equal(t.Dims, o.InTypes[0].Dims) {
			return nil, differ(o)
		}
		pairs = append(pairs, t.scalar(), t.scalar())
	}
	r := o.Regions[0]
	if !equalTypes(r.ParamTypes, pairs) || !equalTypes(r.returned(), []Type{{DType: I1}}) {
		return nil, fmt.Errorf("its comparator takes %v and returns %v", r.ParamTypes, r.returned())
	}
	return o.InTypes, nil
}

// runSort sorts each row along the axis by the region, which compares scalars; always stable.
func runSort(e *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	dims, axis := in[0].Type.Dims, o.Attrs["dimension"].(int)
	step := strides(dims)
	others := without(len(dims), []int{axis})
	out := make([]*Tensor, len(in))
	for i := range out {
		out[i] = NewTensor(in[i].Type)
	}
	var failed error
	walk(pick(dims, others), pick(step, others), 0, func(_, offset int) {
		row := make([]int, dims[axis]) // where each element of the sorted row was
		for i := range row {
			row[i] = offset + i*step[axis]
		}
		sort.SliceStable(row, func(a, b int) bool {
			var args []*Tensor
			for _, t := range in {
				width := t.Type.DType.Bytes()
				for _, at := range []int{row[a], row[b]} {
					args = append(args, &Tensor{t.Type.scalar(), t.Data[at*width : (at+1)*width]})
				}
			}
			less, err := e.region(o.Regions[0], args)
			if err != nil {
				failed = err
				return false
			}
			return less[0].Data[0] != 0
		})
		for i, t := range in {
			width := t.Type.DType.Bytes()
			for k, from := range row {
				at := offset + k*step[axis]
				copy(out[i].Data[at*width:(at+1)*width], t.Data[from*width:])
			}
		}
	})
	return out, failed
}
