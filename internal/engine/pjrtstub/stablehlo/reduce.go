package stablehlo

import (
	"fmt"
	"slices"
)

func reduceOps() map[string]spec {
	return map[string]spec{"reduce": {
		operands: -1, regions: 1, required: []string{"dimensions"}, infer: inferReduce, run: runReduce,
	}}
}

// checkReducer checks a region that combines what is there with what comes: two scalars of each type to one.
func (o *Op) checkReducer(r *Region, scalars []Type) error {
	if !equalTypes(r.ParamTypes, slices.Concat(scalars, scalars)) || !equalTypes(r.returned(), scalars) {
		return fmt.Errorf("its region takes %v and returns %v, wanted two and one of %v",
			r.ParamTypes, r.returned(), scalars)
	}
	for _, inner := range r.Ops[:len(r.Ops)-1] {
		if !kernels[inner.Name].pointwise {
			return fmt.Errorf("%s stands in its region", inner.Name)
		}
	}
	return nil
}

// single tells whether a region is one operation on its two parameters, and which; "" is one that takes the second.
func single(r *Region) (name string, is bool) {
	if len(r.Ops) == 1 && len(r.Params) == 2 && r.Ops[0].In[0] == r.Params[1] {
		return "", true
	}
	if len(r.Ops) != 2 || len(r.Params) != 2 {
		return "", false
	}
	first, second := r.Ops[0], r.Ops[1]
	_, binary := binaryNames[first.Name]
	ordered := slices.Equal(first.In, r.Params)
	swapped := slices.Equal(first.In, []int{r.Params[1], r.Params[0]}) // of a commutative operation
	return first.Name, binary && (ordered || swapped && first.Name != "subtract" && first.Name != "divide") &&
		slices.Equal(second.In, first.Out)
}

func inferReduce(o *Op) ([]Type, error) {
	if len(o.InTypes) == 0 || len(o.InTypes)%2 != 0 {
		return nil, differ(o)
	}
	n := len(o.InTypes) / 2
	axes, dims := o.ints("dimensions"), o.InTypes[0].Dims
	if err := axesOf("dimensions", axes, len(dims)); err != nil {
		return nil, err
	}
	var results, scalars []Type
	for i, t := range o.InTypes[:n] {
		if !slices.Equal(t.Dims, dims) || !o.InTypes[n+i].Equal(t.scalar()) {
			return nil, differ(o)
		}
		results = append(results, Type{t.DType, pick(dims, without(len(dims), axes))})
		scalars = append(scalars, t.scalar())
	}
	return results, o.checkReducer(o.Regions[0], scalars)
}

// runReduce combines, for each place along the axes that go, the operands' elements there with all results at once:
// scalars in the region stand for whole tensors. Sums of floats are taken in float64.
func runReduce(e *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	n := len(in) / 2
	gone := o.ints("dimensions")
	name, plain := single(o.Regions[0])
	if plain && name == "add" && n == 1 && in[0].Type.DType == F32 {
		return []*Tensor{summed(in[0], in[1], gone, o.OutTypes[0])}, nil
	}
	results := make([]*Tensor, n)
	for i := range results {
		results[i] = NewTensor(o.OutTypes[i])
		strided(results[i], in[n+i], make([]int, len(o.OutTypes[i].Dims)), 0)
	}
	dims, step := in[0].Type.Dims, strides(in[0].Type.Dims)
	stay := pick(step, without(len(dims), gone))
	var err error
	walk(pick(dims, gone), pick(step, gone), 0, func(_, offset int) {
		args := slices.Clone(results)
		for i := range n {
			slice := NewTensor(results[i].Type)
			strided(slice, in[i], stay, offset)
			args = append(args, slice)
		}
		if err != nil {
			return
		}
		if plain && name != "" {
			err = combine(name, results[0], args[0], args[1])
			return
		}
		results, err = e.region(o.Regions[0], args)
	})
	return results, err
}

// summed is a sum over axes, in float64.
func summed(x, start *Tensor, gone []int, t Type) *Tensor {
	sums := make([]float64, t.Size())
	for i := range sums {
		sums[i] = float64(view[float32](start)[0])
	}
	dims := x.Type.Dims
	to := make([]int, len(dims)) // the step in the result along each axis of x
	stay := without(len(dims), gone)
	for i, s := range strides(t.Dims) {
		to[stay[i]] = s
	}
	values := view[float32](x)
	walk(dims, to, 0, func(i, at int) { sums[at] += float64(values[i]) })
	out := NewTensor(t)
	for i, s := range sums {
		view[float32](out)[i] = float32(s)
	}
	return out
}
