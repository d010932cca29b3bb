package augment

import . "github.com/gomlx/gomlx/core/graph"

// wrapped is wrapGrey of x.
func wrapped(x *Node) *Node {
	const highest = greyLevels - 1
	level := AddScalar(MulScalar(Round(MulScalar(x, highest)), 2), -highest)
	level = Where(LessThan(level, ZerosLike(level)), AddScalar(level, greyLevels), level)
	return DivScalar(level, highest)
}

// pixelCentres is pixelCentre of u along an axis of the given side.
func pixelCentres(u *Node, side int) *Node {
	half := 0.5 * float64(side)
	return AddScalar(ClipScalar(Floor(AddScalar(u, half)), 0, float64(side-1)), 0.5-half)
}

// wideBlurred is Renderer.wideBlur of x [M,H·W] with σ [M,1]; images with σ = 0 stay as they are.
func wideBlurred(x, sigma *Node, height, width int) *Node {
	m := x.Shape().Dimensions[0]
	off := Equal(sigma, ZerosLike(sigma))
	precision := Reciprocal(MulScalar(Square(Where(off, OnesLike(sigma), sigma)), 2))
	taps, total := []*Node{OnesLike(sigma)}, OnesLike(sigma)
	for d := 1; d <= blurReach; d++ {
		tap := Where(off, ZerosLike(sigma), Exp(MulScalar(precision, -float64(d*d))))
		taps, total = append(taps, tap), Add(total, MulScalar(tap, 2))
	}
	x = Reshape(x, m, height, width)
	for _, axis := range []int{2, 1} {
		var sum *Node
		for d, tap := range taps {
			at := x
			if d > 0 {
				at = Add(shifted(x, axis, -d), shifted(x, axis, d))
			}
			sum = plus(sum, Mul(Reshape(Div(tap, total), m, 1, 1), at))
		}
		x = sum
	}
	return Reshape(x, m, height*width)
}

// shifted holds at each place of x [M,H,W] the pixel by places further along an axis, the edge repeated.
func shifted(x *Node, axis, by int) *Node {
	n := x.Shape().Dimensions[axis]
	away := min(max(by, -by), n)
	edge := SliceAxis(x, axis, AxisRange(0, 1))
	if by > 0 {
		edge = SliceAxis(x, axis, AxisRange(n-1, n))
	}
	dims := append([]int{}, x.Shape().Dimensions...)
	dims[axis] = away
	parts := []*Node{BroadcastToDims(edge, dims...)}
	switch {
	case away == n:
	case by > 0:
		parts = append([]*Node{SliceAxis(x, axis, AxisRange(away, n))}, parts...)
	default:
		parts = append(parts, SliceAxis(x, axis, AxisRange(0, n-away)))
	}
	return Concatenate(parts, axis)
}
