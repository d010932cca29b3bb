package stablehlo

import (
	"fmt"
	"slices"
	"strconv"
)

func convolutionOps() map[string]spec {
	return map[string]spec{"convolution": {
		operands: 2, required: []string{"dimension_numbers", "window_strides", "padding"},
		optional: []string{
			"lhs_dilation", "rhs_dilation", "window_reversal", "feature_group_count", "batch_group_count",
			"precision_config",
		},
		infer: inferConvolution, run: runConvolution,
	}}
}

// window is how a kernel moves along one spatial axis.
type window struct{ in, kernel, out, stride, low, dilateIn, dilateKernel int }

// convolved holds a convolution's axes in the order that runConvolution uses: batch, features, then spatial ones.
type convolved struct {
	input, kernel, output []int // axes of each tensor: (b,f,0,1…), (o,i,0,1…), (b,f,0,1…)
	windows               []window
	groups                int
}

// roles returns the axes that play the roles, in order, and an error when one does not occur or occurs twice.
func (a axes) roles(names ...string) (at []int, err error) {
	for _, name := range names {
		if i := slices.Index(a, name); i >= 0 && !slices.Contains(a[i+1:], name) {
			at = append(at, i)
		} else {
			return nil, fmt.Errorf("axes %v have no single %q", a, name)
		}
	}
	return at, nil
}

// convolved reads and checks the attributes.
func (o *Op) convolved() (c convolved, err error) {
	numbers, err := attr[convolutionAxes](o, "dimension_numbers")
	rank := len(o.InTypes[0].Dims)
	if err != nil || rank < 2 || len(numbers.input) != rank || len(numbers.kernel) != rank ||
		len(numbers.output) != rank || len(o.InTypes[1].Dims) != rank {
		return c, fmt.Errorf("dimension_numbers %v for %v", numbers, o.InTypes)
	}
	var spatial []string
	for i := range rank - 2 {
		spatial = append(spatial, strconv.Itoa(i))
	}
	for _, side := range []struct {
		into  *[]int
		of    axes
		first []string
	}{
		{&c.input, numbers.input, []string{"b", "f"}},
		{&c.kernel, numbers.kernel, []string{"o", "i"}},
		{&c.output, numbers.output, []string{"b", "f"}},
	} {
		if *side.into, err = side.of.roles(slices.Concat(side.first, spatial)...); err != nil {
			return c, err
		}
	}
	c.groups = o.count("feature_group_count")
	if o.count("batch_group_count") != 1 || slices.Contains(o.ints("window_reversal"), 1) {
		return c, fmt.Errorf("batch groups and reversed windows are not supported")
	}
	return c, c.readWindows(o)
}

// count is an attribute that is 1 where it is missing.
func (o *Op) count(name string) int {
	if n, ok := o.Attrs[name].(int); ok {
		return n
	}
	return 1
}

func (c *convolved) readWindows(o *Op) error {
	n := len(c.input) - 2
	padding, err := attr[*Tensor](o, "padding")
	if err != nil || padding.Type.Size() != 2*n || len(o.ints("window_strides")) != n {
		return fmt.Errorf("padding or window_strides do not have %d axes", n)
	}
	pads := integers(padding)
	for i := range n {
		w := window{
			in: o.InTypes[0].Dims[c.input[2+i]], kernel: o.InTypes[1].Dims[c.kernel[2+i]],
			stride: o.ints("window_strides")[i], low: pads[2*i], dilateIn: 1, dilateKernel: 1,
		}
		if d := o.ints("lhs_dilation"); len(d) == n {
			w.dilateIn = d[i]
		}
		if d := o.ints("rhs_dilation"); len(d) == n {
			w.dilateKernel = d[i]
		}
		if w.stride < 1 || w.dilateIn < 1 || w.dilateKernel < 1 {
			return fmt.Errorf("strides and dilations are positive")
		}
		whole := w.low + max(0, (w.in-1)*w.dilateIn+1) + pads[2*i+1]
		if reach := (w.kernel-1)*w.dilateKernel + 1; whole >= reach {
			w.out = (whole-reach)/w.stride + 1
		}
		c.windows = append(c.windows, w)
	}
	return nil
}

func inferConvolution(o *Op) ([]Type, error) {
	c, err := o.convolved()
	if err != nil {
		return nil, err
	}
	x, k := o.InTypes[0], o.InTypes[1]
	features, outputs := x.Dims[c.input[1]], k.Dims[c.kernel[0]]
	if x.DType != k.DType || c.groups < 1 || features != k.Dims[c.kernel[1]]*c.groups || outputs%c.groups != 0 {
		return nil, differ(o)
	}
	t := Type{x.DType, make([]int, len(x.Dims))}
	t.Dims[c.output[0]], t.Dims[c.output[1]] = x.Dims[c.input[0]], outputs
	for i, w := range c.windows {
		t.Dims[c.output[2+i]] = w.out
	}
	return []Type{t}, nil
}

// runConvolution adds, for every place of the kernel, the products of the input's features there with the kernel's
// matrix: for each output position a row of the product [features] · [features,outputs].
func runConvolution(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	c, err := o.convolved()
	if err != nil {
		return nil, err
	}
	if in[0].Type.DType != F32 {
		return nil, fmt.Errorf("a convolution of %v is not supported", in[0].Type.DType)
	}
	last := func(axes []int) []int { return slices.Concat(axes[:1], axes[2:], axes[1:2]) } // batch, spatial, features
	x := ordered(in[0], last(c.input))
	kernel := ordered(in[1], slices.Concat(c.kernel[2:], []int{c.kernel[1], c.kernel[0]})) // spatial, i, o
	if o.tf32() {
		x, kernel = shortened(x), shortened(kernel)
	}
	out := NewTensor(Type{F32, pick(o.OutTypes[0].Dims, last(c.output))})
	c.add(view[float32](out), view[float32](x), view[float32](kernel), out.Type.Dims)
	back := make([]int, len(c.output)) // the axis of out that goes to each axis of the result
	for i, a := range last(c.output) {
		back[a] = i
	}
	return []*Tensor{ordered(out, back)}, nil
}

// add does the sums; dims are those of out: batch, spatial axes, features.
func (c *convolved) add(out, x, kernel []float32, dims []int) {
	outputs := dims[len(dims)-1]
	positions, kernelDims, inDims := dims[1:len(dims)-1], []int{}, []int{}
	for _, w := range c.windows {
		kernelDims, inDims = append(kernelDims, w.kernel), append(inDims, w.in)
	}
	taps := product(kernelDims)
	deep := len(kernel) / max(1, taps*outputs) // input features of a group
	features := deep * c.groups
	wide := outputs / c.groups
	for place := range product(dims[:len(dims)-1]) {
		image, position := place/product(positions), place%product(positions)
		for tap := range taps {
			at, inside := c.source(position, tap, positions, kernelDims, inDims)
			if !inside {
				continue
			}
			row := x[(image*product(inDims)+at)*features:][:features]
			for i := range deep {
				weights := kernel[(tap*deep+i)*outputs:][:outputs]
				for group := range c.groups {
					v := row[group*deep+i]
					for j := group * wide; j < (group+1)*wide; j++ {
						out[place*outputs+j] += v * weights[j]
					}
				}
			}
		}
	}
}

// source finds the input position under a tap of the kernel at an output position.
func (c *convolved) source(position, tap int, positions, taps, inDims []int) (at int, inside bool) {
	p, t, i := strides(positions), strides(taps), strides(inDims)
	for a, w := range c.windows {
		place := position/p[a]%positions[a]*w.stride - w.low + tap/t[a]%taps[a]*w.dilateKernel
		if place < 0 || place%w.dilateIn != 0 || place/w.dilateIn >= w.in {
			return 0, false
		}
		at += place / w.dilateIn * i[a]
	}
	return at, true
}
