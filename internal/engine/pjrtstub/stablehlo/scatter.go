package stablehlo

import (
	"fmt"
	"slices"
)

const scatterNumbers = "scatter_dimension_numbers"

func scatterOps() map[string]spec {
	return map[string]spec{"scatter": {
		operands: 3, regions: 1, required: []string{scatterNumbers},
		optional: []string{"indices_are_sorted", "unique_indices"}, infer: inferScatter, run: runScatter,
	}}
}

func (o *Op) scattered() (indexed, error) {
	return o.indexed(scatterNumbers, "update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims",
		len(o.InTypes[2].Dims))
}

// windowOf is the size of an update along each axis of the tensor.
func (g indexed) windowOf(tensor, updates []int) []int {
	window := slices.Repeat([]int{1}, len(tensor))
	for i, a := range g.window {
		window[a] = updates[g.offsets[i]]
	}
	return window
}

func inferScatter(o *Op) ([]Type, error) {
	g, err := o.scattered()
	if err != nil {
		return nil, err
	}
	x, index, updates := o.InTypes[0], o.InTypes[1], o.InTypes[2]
	if x.DType != updates.DType || !slices.Equal(pick(updates.Dims, g.rest), pick(index.Dims, g.batch)) {
		return nil, differ(o)
	}
	for a, n := range g.windowOf(x.Dims, updates.Dims) {
		if n > x.Dims[a] {
			return nil, differ(o)
		}
	}
	return []Type{x}, o.checkReducer(o.Regions[0], []Type{x.scalar()})
}

// runScatter combines updates with the tensor in their order. Windows that hang over an edge are left out.
func runScatter(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	g, err := o.scattered()
	if err != nil {
		return nil, err
	}
	name, plain := single(o.Regions[0])
	if !plain {
		return nil, fmt.Errorf("only regions of one operation are supported")
	}
	out := &Tensor{in[0].Type, slices.Clone(in[0].Data)}
	dims, updates := out.Type.Dims, in[2]
	corners, inside := g.corners(in[1], dims, g.windowOf(dims, updates.Type.Dims), false)
	for i := range corners {
		if !inside[i] {
			corners[i] = -out.Type.Size() // stays negative whatever the place in the window
		}
	}
	to := g.sources(updates.Type.Dims, dims, corners)
	width := out.Type.DType.Bytes()
	element := func(t *Tensor, i int) *Tensor { return &Tensor{t.Type.scalar(), t.Data[i*width : (i+1)*width]} }
	for i := range updates.Type.Size() {
		at := to(i)
		switch {
		case at < 0:
		case name == "":
			copy(element(out, at).Data, element(updates, i).Data)
		case name == "add" && out.Type.DType == F32:
			view[float32](out)[at] += view[float32](updates)[i]
		default:
			if err := combine(name, element(out, at), element(out, at), element(updates, i)); err != nil {
				return nil, err
			}
		}
	}
	return []*Tensor{out}, nil
}
