package augment

import (
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// RenderGraph is the computation graph of Renderer.Render with these settings. From images [M,H·W] in 0..1 and params
// [M,NumParams] it returns [M,H·W] in −1..1, all float32. The 16 taps are gathers from the flattened images, joined by
// element-wise nodes, which XLA fuses.
//
// It agrees with Renderer to 1e-4, except for pixels on the edge of the crop frame and their neighbours: there rounding
// decides whether they are filled. It panics, as graph functions do, if the shapes do not fit or if M·H·W ≥ 2³¹.
func (o Images) RenderGraph(images, params *Node, height, width int) *Node {
	m := images.Shape().Dim(0)
	images.AssertDims(m, height*width)
	params.AssertDims(m, NumParams)
	if int64(m)*int64(height*width) > math.MaxInt32 {
		exceptions.Panicf(
			"augment.RenderGraph: images %s of %d×%d pixels have more than 2³¹ values; use a smaller batch",
			images.Shape(), height, width)
	}
	if o.Wrap {
		images = wrapped(images)
	}
	u, v := turned(params, height, width)
	atU, atV := u, v
	if o.NearestTurn {
		atU, atV = pixelCentres(u, width), pixelCentres(v, height)
	}
	x := ClipScalar(sample(images, params, atU, atV, height, width), 0, 1)
	x = MinScalar(Mul(param(params, paramBrightness), x), 1)
	mean := ReduceAndKeep(x, ReduceMean, 1)
	x = ClipScalar(Add(Mul(param(params, paramContrast), Sub(x, mean)), mean), 0, 1)
	x = Where(And(within(u, width), within(v, height)), x, ZerosLike(x))
	blur := param(params, paramBlur)
	taps, place := []*Node{OneMinus(MulScalar(blur, 2)), blur}, mirrored
	if o.WideBlur {
		taps, place = wideTaps(blur), repeated
	}
	x = Reshape(blurred(Reshape(x, m, height, width), taps, place), m, height*width)
	return AddScalar(MulScalar(x, 2), -1)
}

// param returns column i of params, shape [M,1].
func param(params *Node, i int) *Node { return Slice(params, AxisRange(), AxisElem(i)) }

// turned returns the output pixels' positions in the crop frame, measured from its centre: u to the right and v down,
// shape [M,H·W].
func turned(params *Node, height, width int) (u, v *Node) {
	g := params.Graph()
	grid := shapes.Make(dtypes.Float32, height, width)
	dx := Reshape(AddScalar(Iota(g, grid, 1), 0.5-0.5*float64(width)), 1, height*width)
	dy := Reshape(AddScalar(Iota(g, grid, 0), 0.5-0.5*float64(height)), 1, height*width)
	cos, sin := param(params, paramCos), param(params, paramSin)
	return Sub(Mul(cos, dx), Mul(sin, dy)), Add(Mul(sin, dx), Mul(cos, dy))
}

// within reports where u [M,H·W] lies in the crop frame along an axis of the given side.
func within(u *Node, side int) *Node {
	return LessOrEqual(Abs(u), Scalar(u.Graph(), u.DType(), 0.5*float64(side)))
}

// sample interpolates images [M,H·W] at the positions u, v [M,H·W] of the crop boxes from the 4×4 pixels around each.
func sample(images, params, u, v *Node, height, width int) *Node {
	m := images.Shape().Dim(0)
	columns, weightsX := taps(u, param(params, paramLeft), param(params, paramWidth), width)
	rows, weightsY := taps(v, param(params, paramTop), param(params, paramHeight), height)
	first := MulScalar(Iota(images.Graph(), shapes.Make(dtypes.Int32, m, 1), 0), float64(height*width))
	flat := Reshape(images, m*height*width)
	var sum *Node
	for i, row := range rows {
		start := Add(first, MulScalar(row, float64(width)))
		var line *Node
		for j, column := range columns {
			pixel := Gather(flat, InsertAxes(Add(start, column), -1))
			line = plus(line, Mul(weightsX[j], pixel))
		}
		sum = plus(sum, Mul(weightsY[i], line))
	}
	return sum
}

// taps turns positions along one axis, from the centre of the crop frame, into the indices of the 4 pixels around them
// (int32, the edge repeated) and their weights, all [M,H·W]. start and zoom [M,1] are the crop box's start and side as
// shares of the image's side.
func taps(fromCentre, start, zoom *Node, side int) (indices, weights [4]*Node) {
	centre := AddScalar(MulScalar(Add(start, MulScalar(zoom, 0.5)), float64(side)), padBefore-0.5)
	at := ClipScalar(Add(centre, Mul(zoom, fromCentre)), 1, float64(side+padBefore))
	whole := Floor(at)
	t := Sub(at, whole)
	for i := range indices {
		pixel := AddScalar(whole, float64(i-1-padBefore))
		indices[i] = ConvertDType(ClipScalar(pixel, 0, float64(side-1)), dtypes.Int32)
	}
	t2 := Square(t)
	weights[0] = Mul(AddScalar(Mul(AddScalar(MulScalar(t, -0.5), 1), t), -0.5), t)
	weights[1] = AddScalar(Mul(AddScalar(MulScalar(t, 1.5), -2.5), t2), 1)
	weights[2] = Mul(AddScalar(Mul(AddScalar(MulScalar(t, -1.5), 2), t), 0.5), t)
	weights[3] = Mul(AddScalar(MulScalar(t, 0.5), -0.5), t2)
	return indices, weights
}

func plus(sum, x *Node) *Node {
	if sum == nil {
		return x
	}
	return Add(sum, x)
}

// blurred applies Renderer.blur to x [M,H,W] with taps [M,1].
func blurred(x *Node, taps []*Node, place func(i, n int) int) *Node {
	reach := len(taps) - 1
	for _, axis := range []int{2, 1} {
		n, parts := x.Shape().Dim(axis), []*Node{x}
		pixel := func(i int) *Node { return SliceAxis(x, axis, AxisElem(place(i, n))) }
		for d := 1; d <= reach; d++ {
			parts = slices.Concat([]*Node{pixel(-d)}, parts, []*Node{pixel(n - 1 + d)})
		}
		wide := Concatenate(parts, axis)
		shifted := func(by int) *Node { return SliceAxis(wide, axis, AxisRange(reach+by, reach+by+n)) }
		sum := Mul(InsertAxes(taps[0], -1), x)
		for d := 1; d <= reach; d++ {
			sum = Add(sum, Mul(InsertAxes(taps[d], -1), Add(shifted(-d), shifted(d))))
		}
		x = sum
	}
	return x
}

func wrapped(x *Node) *Node {
	const highest = greyLevels - 1
	level := AddScalar(MulScalar(Round(MulScalar(x, highest)), 2), -highest)
	level = Where(LessThan(level, ZerosLike(level)), AddScalar(level, greyLevels), level)
	return DivScalar(level, highest)
}

// pixelCentres applies pixelCentre to u along an axis of the given side.
func pixelCentres(u *Node, side int) *Node {
	half := 0.5 * float64(side)
	return AddScalar(ClipScalar(Floor(AddScalar(u, half)), 0, float64(side-1)), 0.5-half)
}

// wideTaps returns gaussianTaps for σ [M,1]. With σ = 0 the blur does not change an image.
func wideTaps(sigma *Node) []*Node {
	off := Equal(sigma, ZerosLike(sigma))
	precision := Reciprocal(MulScalar(Square(Where(off, OnesLike(sigma), sigma)), 2))
	taps, total := []*Node{OnesLike(sigma)}, OnesLike(sigma)
	for d := 1; d <= blurReach; d++ {
		tap := Where(off, ZerosLike(sigma), Exp(MulScalar(precision, -float64(d*d))))
		taps, total = append(taps, tap), Add(total, MulScalar(tap, 2))
	}
	for d, tap := range taps {
		taps[d] = Div(tap, total)
	}
	return taps
}
