package vision

import "math"

// rgb is an image of 8-bit red, green and blue, row by row: [height,width,3].
type rgb struct {
	width, height int
	pix           []uint8
}

// coefficientBits are the binary places of Pillow's fixed-point weights for images of 8 bits.
const coefficientBits = 22

// taps are the source pixels of one pixel of the result along an axis, with their weights in fixed point.
type taps struct {
	from    int
	weights []int
}

// cubic is the cubic convolution kernel (Keys 1981) with a = −1/2.
func cubic(x float64) float64 {
	x = math.Abs(x)
	switch {
	case x < 1:
		return (1.5*x-2.5)*x*x + 1
	case x < 2:
		return ((-0.5*x+2.5)*x-4)*x + 2
	}
	return 0
}

// tapsOf returns the taps of the pixels first..first+count-1 of an axis that goes from in to out pixels. Where it shrinks,
// the kernel is stretched, so that no source pixel is skipped (antialiasing).
func tapsOf(in, out, first, count int) []taps {
	scale := float64(in) / float64(out)
	stretch := max(scale, 1)
	reach := 2 * stretch
	all := make([]taps, count)
	for i := range all {
		centre := (float64(first+i) + 0.5) * scale
		from, to := max(int(centre-reach+0.5), 0), min(int(centre+reach+0.5), in)
		weights, sum := make([]float64, to-from), 0.0
		for k := range weights {
			weights[k] = cubic((float64(from+k) - centre + 0.5) / stretch)
			sum += weights[k]
		}
		all[i] = taps{from: from, weights: make([]int, len(weights))}
		for k, w := range weights {
			all[i].weights[k] = int(math.Round(w / sum * (1 << coefficientBits)))
		}
	}
	return all
}

// clip rounds a fixed-point sum to 0..255.
func clip(sum int) uint8 {
	return uint8(min(max((sum+1<<(coefficientBits-1))>>coefficientBits, 0), 255))
}

// window is the part of a resized image that is wanted.
type window struct{ left, top, width, height int }

// resize scales an image to width×height by bicubic interpolation with antialiasing and returns a window of the result. It
// does what Pillow's Image.resize(BICUBIC) does, bit for bit: first along the rows, then along the columns, weights in fixed
// point, 8 bits a value in between.
func (m rgb) resize(width, height int, w window) rgb {
	across, down := tapsOf(m.width, width, w.left, w.width), tapsOf(m.height, height, w.top, w.height)
	last := down[len(down)-1]
	top, bottom := down[0].from, last.from+len(last.weights)
	rows := rgb{width: w.width, height: bottom - top, pix: make([]uint8, channels*w.width*(bottom-top))}
	for y := range rows.height {
		from := m.pix[channels*m.width*(top+y):][:channels*m.width]
		to := rows.pix[channels*w.width*y:][:channels*w.width]
		for x, t := range across {
			var r, g, b int
			at := from[channels*t.from:]
			for k, weight := range t.weights {
				r += weight * int(at[channels*k])
				g += weight * int(at[channels*k+1])
				b += weight * int(at[channels*k+2])
			}
			to[channels*x], to[channels*x+1], to[channels*x+2] = clip(r), clip(g), clip(b)
		}
	}
	result := rgb{width: w.width, height: w.height, pix: make([]uint8, channels*w.width*w.height)}
	stride := channels * w.width
	sums := make([]int, stride)
	for y, t := range down {
		clear(sums)
		for k, weight := range t.weights {
			for x, v := range rows.pix[stride*(t.from-top+k):][:stride] {
				sums[x] += weight * int(v)
			}
		}
		for x, sum := range sums {
			result.pix[stride*y+x] = clip(sum)
		}
	}
	return result
}
