package stablehlo

import (
	"fmt"
	"slices"
)

func gatherOps() map[string]spec {
	return map[string]spec{"gather": {
		operands: 2, required: []string{gatherNumbers, "slice_sizes"}, optional: []string{"indices_are_sorted"},
		infer: inferGather, run: runGather,
	}}
}

const gatherNumbers = "dimension_numbers"

// indexed is the part that gather and scatter share: windows of a tensor whose corners stand in an index tensor.
type indexed struct {
	batch   []int // axes of the index tensor but the one of the index vector
	vector  int   // the axis of the index vector; the tensor's rank if an index is a single number
	mapped  []int // the tensor's axis for each element of an index vector
	window  []int // the tensor's axes that a window has
	offsets []int // the axes of the result or the updates that run along a window
	rest    []int // those that run along the batch
}

func (o *Op) indexed(record, offsets, collapsed, mapped string, rank int) (g indexed, err error) {
	operand, index := o.InTypes[0], o.InTypes[1]
	fields, _ := o.Attrs[record].(map[string]any)
	for name, value := range fields {
		if list, ok := value.([]int); ok && len(list) > 0 && name != offsets && name != collapsed && name != mapped {
			return g, fmt.Errorf("%s is not supported", name)
		}
	}
	g.vector, g.mapped = o.fieldInt(record, "index_vector_dim"), o.field(record, mapped)
	g.offsets = o.field(record, offsets)
	g.batch = without(len(index.Dims), []int{g.vector})
	g.window = without(len(operand.Dims), o.field(record, collapsed))
	g.rest = without(rank, g.offsets)
	width := 1
	if g.vector < len(index.Dims) {
		width = index.Dims[g.vector]
	}
	if g.vector < 0 || g.vector > len(index.Dims) || !index.DType.Integer() || width != len(g.mapped) ||
		len(g.offsets) != len(g.window) || len(g.rest) != len(g.batch) {
		return g, fmt.Errorf("the dimension numbers do not go with %v", o.InTypes)
	}
	for what, list := range map[string][]int{collapsed: o.field(record, collapsed), mapped: g.mapped} {
		if err := axesOf(what, list, len(operand.Dims)); err != nil {
			return g, err
		}
	}
	return g, axesOf(offsets, g.offsets, rank)
}

func (o *Op) gathered() (indexed, error) {
	return o.indexed(gatherNumbers, "offset_dims", "collapsed_slice_dims", "start_index_map", len(o.OutTypes[0].Dims))
}

func inferGather(o *Op) ([]Type, error) {
	if len(o.OutTypes) != 1 {
		return nil, fmt.Errorf("it has one result")
	}
	g, err := o.gathered()
	if err != nil {
		return nil, err
	}
	x, index, sizes := o.InTypes[0], o.InTypes[1], o.ints("slice_sizes")
	for a := range x.Dims {
		if len(sizes) != len(x.Dims) || sizes[a] < 0 || sizes[a] > x.Dims[a] ||
			!slices.Contains(g.window, a) && sizes[a] > 1 {
			return nil, fmt.Errorf("slice_sizes %v of %v", sizes, x)
		}
	}
	t := Type{x.DType, make([]int, len(g.rest)+len(g.offsets))}
	for i, a := range g.offsets {
		t.Dims[a] = sizes[g.window[i]]
	}
	for i, a := range g.rest {
		t.Dims[a] = index.Dims[g.batch[i]]
	}
	return []Type{t}, nil
}

// corners returns for each batch position the offset of its window in the tensor. inside says where an index lies so
// that no part of the window hangs over; clamp moves it until that is so.
func (g indexed) corners(index *Tensor, dims, window []int, clamp bool) (offsets []int, inside []bool) {
	values, step := integers(index), strides(index.Type.Dims)
	along := 0
	if g.vector < len(step) {
		along = step[g.vector]
	}
	to := strides(dims)
	n := product(pick(index.Type.Dims, g.batch))
	offsets, inside = make([]int, n), slices.Repeat([]bool{true}, n)
	walk(pick(index.Type.Dims, g.batch), pick(step, g.batch), 0, func(i, source int) {
		for k, a := range g.mapped {
			at := values[source+k*along]
			free := dims[a] - window[a]
			if at < 0 || at > free {
				inside[i] = false
			}
			if clamp {
				at = min(max(at, 0), free)
			}
			offsets[i] += at * to[a]
		}
	})
	return offsets, inside
}

func runGather(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	g, err := o.gathered()
	if err != nil {
		return nil, err
	}
	out := NewTensor(o.OutTypes[0])
	dims := in[0].Type.Dims
	corners, _ := g.corners(in[1], dims, o.ints("slice_sizes"), true)
	moved(out, in[0], g.sources(out.Type.Dims, dims, corners))
	return []*Tensor{out}, nil
}

// sources tells for each place of a result or of updates, in order, which element of the tensor it stands for: the
// corner of its batch position and its offset in the window.
func (g indexed) sources(dims, tensor, corners []int) func(int) int {
	toBatch, inWindow := make([]int, len(dims)), make([]int, len(dims))
	for i, s := range strides(pick(dims, g.rest)) {
		toBatch[g.rest[i]] = s
	}
	for i, a := range g.offsets {
		inWindow[a] = strides(tensor)[g.window[i]]
	}
	places := make([]int, product(dims))
	walk(dims, toBatch, 0, func(i, batch int) { places[i] = corners[batch] })
	walk(dims, inWindow, 0, func(i, offset int) { places[i] += offset })
	return func(i int) int { return places[i] }
}
