package augment

import "math"

// greyLevels are the levels of a byte. Images hold them as shares of the highest one.
const greyLevels = 256

// wrapGrey replaces grey levels x in 0..1 by Style.Wrap's, in place.
func wrapGrey(x []float32) {
	const highest = greyLevels - 1
	for i, v := range x {
		level := 2*int(math.RoundToEven(float64(v*highest))) - highest
		x[i] = float32((level+greyLevels)%greyLevels) / highest
	}
}

// blurReach is the number of taps of a wide blur to each side: three standard deviations of the widest one.
const blurReach = 6

// gaussianTaps are the weights of a wide blur from the middle tap outwards; all 2·blurReach + 1 of them sum to 1.
func gaussianTaps(sigma float32) (taps [blurReach + 1]float32) {
	total := 0.0
	for d := range taps {
		weight := math.Exp(-float64(d*d) / (2 * float64(sigma) * float64(sigma)))
		taps[d] = float32(weight)
		total += weight
		if d > 0 {
			total += weight
		}
	}
	for d := range taps {
		taps[d] /= float32(total)
	}
	return taps
}

// wideBlur blurs img [H·W] in place by a Gaussian of standard deviation sigma in pixels, the edges repeated.
func (r *Renderer) wideBlur(img []float32, height, width int, sigma float32) {
	taps := gaussianTaps(sigma)
	along := func(to, from []float32, lines, step, count, stride int) {
		for line := range lines {
			first := line * step
			for i := range count {
				sum := taps[0] * from[first+i*stride]
				for d := 1; d <= blurReach; d++ {
					before, after := max(i-d, 0), min(i+d, count-1)
					sum += taps[d] * (from[first+before*stride] + from[first+after*stride])
				}
				to[first+i*stride] = sum
			}
		}
	}
	along(r.rows, img, height, width, width, 1)
	along(img, r.rows, width, 1, height, width)
}
