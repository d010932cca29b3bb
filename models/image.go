package models

import (
	"math/rand/v2"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
)

// The image encoder's fixed sizes (published code): 28×28 → conv 5×5, 10 → pool → 12×12 → conv 5×5, 20 → pool → 4×4 →
// 256 → Embed.
const (
	ImageSide   = 28
	kernelSide  = 5
	channels1   = 10
	channels2   = 20
	flatImage   = 4 * 4 * channels2
	hiddenImage = 256

	// DropoutRate is the share of channels and of hidden units that a training step drops.
	DropoutRate = 0.5
)

// Dropout drops units of the image encoders in a training step. The zero value drops nothing: evaluation, and vectors.
type Dropout struct {
	// State is the backend's random state; every use advances it. Its numbers differ from backend to backend.
	State *Node
}

// DropoutState draws the random state of a training step, [3] (uint64): the tensor behind Dropout.State.
func DropoutState(rng *rand.Rand) *tensors.Tensor {
	state := []uint64{rng.Uint64(), rng.Uint64(), rng.Uint64()}
	return tensors.FromFlatDataAndDimensions(state, len(state))
}

// apply sets each unit of mask's shape to 0 with probability DropoutRate, and scales the others up to keep the mean.
func (d *Dropout) apply(x *Node, mask ...int) *Node {
	if d == nil || d.State == nil {
		return x
	}
	var u *Node
	d.State, u = RandomUniform(d.State, shapes.Make(dtypes.Float32, mask...))
	keep := ConvertDType(GreaterOrEqual(u, Scalar(x.Graph(), u.DType(), DropoutRate)), x.DType())
	return Mul(x, BroadcastToShape(MulScalar(keep, 1/(1-DropoutRate)), x.Shape()))
}

// imageNet applies the convolutional encoder to images x [M,784] in −1..1; the result has shape [M,out]. A convolution
// is written as one matrix product on overlapping blocks of pixels: up to 2.5 times the multiply-adds, but the Go
// backend does them about eight times faster. Both max-poolings are the maximum of four products, one for each place of
// a pixel in its window.
func imageNet(x *Node, layers []layer, drop *Dropout) *Node {
	m := x.Shape().Dimensions[0]
	pooled := pooledFeatures
	if engine.OnGo(x.Graph().Backend()) {
		pooled = pooledImagesLast
	}
	y := drop.apply(pooled(x, layers), m, 1, channels2)
	y = engine.DenseReLU(Reshape(y, m, flatImage), layers[2].W, layers[2].B)
	return engine.Dense(drop.apply(y, m, hiddenImage), layers[3].W, layers[3].B)
}

// The cuts of the two convolutions. The first reads blocks of 4×4 pixels and patches of 2×2 blocks. Each patch gives
// 4×4 outputs, and the pooling keeps 2×2. The second reads blocks of the 2×2 pixels that the first keeps, and patches
// of 3×3 blocks. Each patch gives 2×2 outputs, and the pooling keeps one.
var (
	firstCut  = blockSizes{block: 4, around: 2}
	secondCut = blockSizes{block: 2, around: 3}
)

// pooledFeatures are the two convolutions of images x [M,784], each pooled and rectified: [M,16,20], by place and
// channel.
func pooledFeatures(x *Node, layers []layer) *Node {
	m := x.Shape().Dimensions[0]
	blocks := TransposeAllAxes(Reshape(x, m, 7, 4, 7, 4), 0, 1, 3, 2, 4)
	y := engine.ReLU(convPool(Reshape(blocks, m, 7, 7, 16), layers[0], firstCut)) // [M,6,6,2·2·10]
	y = engine.ReLU(convPool(y, layers[1], secondCut))                            // [M,4,4,20]
	return Reshape(y, m, 16, channels2)
}

// blockSizes says how a convolution with pooling is cut: blocks of block×block pixels, around×around of them in a
// patch.
type blockSizes struct{ block, around int }

func (s blockSizes) patch() int   { return s.block * s.around }
func (s blockSizes) outputs() int { return s.patch() - kernelSide + 1 }

// convPool is a 5×5 convolution with bias and a 2×2 max-pooling, on x [M,Y,X,block·block·In] (blocks of pixels, row by
// row); the result has shape [M,Y−around+1,X−around+1,q·q·Out] with q = outputs/2 pooled pixels a patch and side.
func convPool(x *Node, l layer, s blockSizes) *Node {
	d := x.Shape().Dimensions
	rows, columns := d[1]-s.around+1, d[2]-s.around+1
	var parts []*Node
	for dy := range s.around {
		for dx := range s.around {
			parts = append(parts, Slice(x, AxisRange(), AxisRange(dy, dy+rows), AxisRange(dx, dx+columns), AxisRange()))
		}
	}
	patches := Concatenate(parts, -1)
	patches = Reshape(patches, d[0]*rows*columns, -1)
	y := Split(engine.Dense(patches, s.windows(l.W), nil), 1, windowPixels)
	best := engine.Larger(engine.Larger(y[0], y[1]), engine.Larger(y[2], y[3]))
	pooled := s.outputs() / 2
	bias := Reshape(BroadcastPrefix(l.B, pooled*pooled), -1)
	return Reshape(engine.Bias(best, bias), d[0], rows, columns, -1)
}

// windowPixels is the number of pixels of a pooling window.
const windowPixels = 4

// windows are the matrices of blockKernel for all places of a window, side by side: [patch·patch·In, 4·q·q·Out].
func (s blockSizes) windows(kernel *Node) *Node {
	var all []*Node
	for window := range windowPixels {
		all = append(all, blockKernel(kernel, s, window/2, window%2))
	}
	return Concatenate(all, 1)
}

// blockKernel spreads a kernel [5,5,In,Out] to the matrix [patch·patch·In, q·q·Out] that computes, from a patch of
// blocks, the outputs at place (wy,wx) of their 2×2 pooling windows.
func blockKernel(kernel *Node, s blockSizes, wy, wx int) *Node {
	in, out := kernel.Shape().Dimensions[2], kernel.Shape().Dimensions[3]
	pixels, pooled := s.patch()*s.patch(), s.outputs()/2*(s.outputs()/2)
	pick := Const(kernel.Graph(), s.spread(wy, wx)) // [pixels·pooled, 25]
	full := engine.Dense(pick, Reshape(kernel, kernelSide*kernelSide, in*out), nil)
	full = TransposeAllAxes(Reshape(full, pixels, pooled, in, out), 0, 2, 1, 3)
	return Reshape(full, pixels*in, pooled*out)
}

// spread returns the 0/1 matrix [pixels·pooled][25] that says which kernel entry joins a patch's pixel to an output.
func (s blockSizes) spread(wy, wx int) [][]float32 {
	pooled, blockPixels := s.outputs()/2, s.block*s.block
	var rows [][]float32
	for pixel := range s.patch() * s.patch() {
		block, within := pixel/blockPixels, pixel%blockPixels
		y := block/s.around*s.block + within/s.block
		x := block%s.around*s.block + within%s.block
		for output := range pooled * pooled {
			row := make([]float32, kernelSide*kernelSide)
			ky, kx := y-(2*(output/pooled)+wy), x-(2*(output%pooled)+wx)
			if ky >= 0 && ky < kernelSide && kx >= 0 && kx < kernelSide {
				row[ky*kernelSide+kx] = 1
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// On the Go backend the convolutions have the images along their last axis. A patch then joins long rows by copies of
// whole rows, while slicing would loop over single numbers. The pooling needs no slices either, and no product of the
// gradient needs a transposed copy of the patches.

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
	bias := Reshape(BroadcastPrefix(l.B, windowPixels*width/l.B.Shape().Dimensions[0]), 1, -1)
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

// windowProducts returns four products [O,·] of kernels [4·O,K] with patches [K,·], one for each place of a window. It
// cuts them from one product if that takes fewer copies.
func windowProducts(kernels, patches *Node) []*Node {
	if d := kernels.Shape().Dimensions; d[0] < d[1] {
		return Split(engine.Dense(kernels, patches, nil), 0, windowPixels)
	}
	products := Split(kernels, 0, windowPixels)
	for i, own := range products {
		products[i] = engine.Dense(own, patches, nil)
	}
	return products
}

// patchesLast joins the around×around blocks at each place of x [F,Y,X,M] and a 1, the input of the bias, to a patch:
// [around·around·F + 1, (Y−around+1)·(X−around+1)·M].
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

// patchesGradient returns the gradient by x [F,Y,X,M], of dimensions d. v [O,·] is the gradient by the products of the
// patches of x with kernel [K+1,O].
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
