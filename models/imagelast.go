package models

import (
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gfncp/gfncp/internal/engine"
)

// On the Go backend the convolutions have the images along their last axis. What a patch is made of are then long rows,
// and those it joins by copies of whole rows, where cutting is a loop over single numbers; the pooling needs no cuts
// either; and no product of the gradient needs a transposed copy of the patches.

// pooledImagesLast is pooledFeatures.
func pooledImagesLast(x *Node, layers []layer) *Node {
	m := x.Shape().Dimensions[0]
	blocks := TransposeAllAxes(Reshape(x, m, 7, 4, 7, 4), 2, 4, 1, 3, 0)
	y := convPoolLast(Reshape(blocks, 16, 7, 7, m), layers[0], firstCut) // [2·2·10,6,6,M]
	y = convPoolLast(y, layers[1], secondCut)                            // [20,4,4,M]
	return TransposeAllAxes(Reshape(y, channels2, 16, m), 2, 1, 0)
}

// convPoolLast is the ReLU of convPool, on x [block·block·In,Y,X,M]; the result has shape
// [q·q·Out,Y−around+1,X−around+1,M].
func convPoolLast(x *Node, l layer, s blockSizes) *Node {
	d := x.Shape().Dimensions
	rows, columns := d[1]-s.around+1, d[2]-s.around+1
	patches := patchesLast(x, s.around)
	kernel := s.windows(l.W)
	width := kernel.Shape().Dimensions[1] / windowPixels
	bias := Reshape(BroadcastPrefix(l.B, windowPixels*width/channelsOf(l)), 1, -1)
	kernel = Concatenate([]*Node{kernel, bias}, 0) // [K+1,4·q·q·Out]
	y := windowProducts(Transpose(kernel, 0, 1), patches)
	upper, lower := Max(y[0], y[1]), Max(y[2], y[3])
	pooled := Max(Max(upper, lower), ScalarZero(x.Graph(), x.DType()))
	pooled = engine.WithGradient(pooled, []*Node{x, kernel}, func(pooled, v *Node) []*Node {
		v = engine.WherePositive(pooled, v)
		toUpper, toLower := engine.ToLarger(v, upper, lower)
		v0, v1 := engine.ToLarger(toUpper, y[0], y[1])
		v2, v3 := engine.ToLarger(toLower, y[2], y[3])
		byWindow := Concatenate([]*Node{v0, v1, v2, v3}, 0)
		return []*Node{patchesGradient(kernel, byWindow, s.around, d), engine.Outer(patches, byWindow)}
	})
	return Reshape(pooled, width, rows, columns, d[3])
}

// windowProducts are the products of kernels [4·O,K], those of each place of a window below each other, with patches
// [K,·]: four times [O,·]. Where it takes fewer copies they are cut from one product, for which the patches are copied
// once.
func windowProducts(kernels, patches *Node) []*Node {
	d := kernels.Shape().Dimensions
	cut := func(x *Node, i int) *Node {
		return Slice(x, AxisRange(i*d[0]/windowPixels, (i+1)*d[0]/windowPixels), AxisRange())
	}
	products := make([]*Node, windowPixels)
	if d[0] < d[1] {
		all := engine.Dense(kernels, patches, nil)
		for i := range products {
			products[i] = cut(all, i)
		}
		return products
	}
	for i := range products {
		products[i] = engine.Dense(cut(kernels, i), patches, nil)
	}
	return products
}

func channelsOf(l layer) int { return l.B.Shape().Dimensions[0] }

// patchesLast joins the around×around blocks at each place of x [F,Y,X,M] to a patch, and a 1 by which the bias is one
// more weight: [around·around·F + 1, (Y−around+1)·(X−around+1)·M].
func patchesLast(x *Node, around int) *Node {
	d := x.Shape().Dimensions
	cells := make([][]*Node, d[1])
	for row := range cells {
		for column := range d[2] {
			cell := Slice(x, AxisRange(), AxisElem(row), AxisElem(column), AxisRange())
			cells[row] = append(cells[row], Reshape(cell, d[0], d[3]))
		}
	}
	var parts []*Node
	for dy := range around {
		for dx := range around {
			var row []*Node
			for _, line := range cells[dy : dy+d[1]-around+1] {
				row = append(row, line[dx:dx+d[2]-around+1]...)
			}
			parts = append(parts, Concatenate(row, 1))
		}
	}
	one := OnesLike(Slice(parts[0], AxisElem(0), AxisRange()))
	return Concatenate(append(parts, one), 0)
}

// patchesGradient is the gradient by x [F,Y,X,M], of dimensions d, from that by the products of its patches with kernel
// [K+1,O], which is v [O,·].
func patchesGradient(kernel, v *Node, around int, d []int) (sum *Node) {
	zero := ScalarZero(v.Graph(), v.DType())
	margin := around - 1
	for i := range around * around {
		dy, dx := i/around, i%around
		own := Slice(kernel, AxisRange(i*d[0], (i+1)*d[0]), AxisRange())
		part := Reshape(engine.Dense(own, v, nil), d[0], d[1]-margin, d[2]-margin, d[3])
		part = Pad(part, zero, compute.PadAxis{}, compute.PadAxis{Start: dy, End: margin - dy},
			compute.PadAxis{Start: dx, End: margin - dx}, compute.PadAxis{})
		if sum == nil {
			sum = part
		} else {
			sum = Add(sum, part)
		}
	}
	return sum
}
