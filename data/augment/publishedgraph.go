package augment

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

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

// wideTaps are gaussianTaps of σ [M,1]; σ = 0 leaves an image as it is.
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

// repeatedBorder repeats the pixels at both ends of an axis blurReach times.
func repeatedBorder(x *Node, axis int) *Node {
	dims := slices.Clone(x.Shape().Dimensions)
	last := dims[axis] - 1
	dims[axis] = blurReach
	pixels := func(i int) *Node { return BroadcastToDims(SliceAxis(x, axis, AxisElem(i)), dims...) }
	return Concatenate([]*Node{pixels(0), x, pixels(last)}, axis)
}
