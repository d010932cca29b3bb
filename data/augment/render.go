package augment

import (
	"math"
	"slices"
)

// The image is copied into a frame that repeats its edge pixels, so that no tap needs a bounds test. Taps reach from
// one pixel before a position's own to two behind it, and positions are clamped to at most one pixel outside of the
// image.
const (
	padBefore = 2
	padding   = padBefore + 3
)

// Renderer augments images. It keeps scratch memory: use one per goroutine. The zero value is ready.
type Renderer struct {
	Images Images // Wrap, NearestTurn and WideBlur

	padded []float32 // [(H+padding)·(W+padding)], the source with its edges repeated
	inside []bool    // [H·W], whether the pixel lies in the crop frame
	rows   []float32 // [H·W], the image blurred along its rows
	places []int     // offsets of the pixels along an axis, extended beyond both ends
}

// Render writes the augmentation of src that params [NumParams] describes to dst; see Images for the steps. src [H·W]
// holds pixels in 0..1 row by row, dst [H·W] gets values in −1..1 and may be src itself. It panics if they are empty or
// too short, and allocates only when an image is larger than all before.
func (r *Renderer) Render(dst, src []float32, height, width int, params []float32) {
	size := height * width
	dst, src, params = dst[:size], src[:size], params[:NumParams]
	r.grow(height, width)
	r.pad(src, height, width)
	mean := r.resample(dst, height, width, params)
	r.contrastAndMask(dst, params[paramContrast], mean)
	switch blur := params[paramBlur]; {
	case blur == 0:
	case r.Images.WideBlur:
		taps := gaussianTaps(blur)
		r.blur(dst, height, width, taps[:], repeated)
	default:
		r.blur(dst, height, width, []float32{1 - 2*blur, blur}, mirrored)
	}
	for i, x := range dst {
		dst[i] = 2*x - 1
	}
}

func (r *Renderer) grow(height, width int) {
	size := height * width
	r.padded = slices.Grow(r.padded[:0], (height+padding)*(width+padding))[:(height+padding)*(width+padding)]
	r.inside, r.rows = slices.Grow(r.inside[:0], size)[:size], slices.Grow(r.rows[:0], size)[:size]
}

// pad copies the source into the middle of the frame and repeats its edges.
func (r *Renderer) pad(src []float32, height, width int) {
	stride := width + padding
	for y := range height + padding {
		from := src[min(max(y-padBefore, 0), height-1)*width:][:width]
		row := r.padded[y*stride:][:stride]
		copy(row[padBefore:], from)
		if r.Images.Wrap {
			wrapGrey(row[padBefore : padBefore+width])
		}
		for x := range padBefore {
			row[x] = row[padBefore]
		}
		for x := padBefore + width; x < stride; x++ {
			row[x] = row[padBefore+width-1]
		}
	}
}

// resample writes the cropped, rotated and brightened image to dst [H·W] and marks the pixels inside of the crop frame.
// It returns the mean of dst. An output pixel (dx, dy) from the centre shows the crop at
//
//	u = cos·dx − sin·dy,   v = sin·dx + cos·dy
//
// from the crop's centre, which is a counter-clockwise turn, since y points down.
func (r *Renderer) resample(dst []float32, height, width int, params []float32) (mean float32) {
	cos, sin, brightness := params[paramCos], params[paramSin], params[paramBrightness]
	zoomX, zoomY := params[paramWidth], params[paramHeight]
	halfW, halfH := 0.5*float32(width), 0.5*float32(height)
	// Padded coordinates in which a whole number is a pixel's centre.
	centreX := float32(width)*(params[paramLeft]+0.5*zoomX) + (padBefore - 0.5)
	centreY := float32(height)*(params[paramTop]+0.5*zoomY) + (padBefore - 0.5)
	lastX, lastY := float32(width+padBefore), float32(height+padBefore)
	stride := width + padding
	total := 0.0
	for y := range height {
		dy := float32(y) + 0.5 - halfH
		row, inside := dst[y*width:][:width], r.inside[y*width:][:width]
		sum := float32(0)
		for x := range row {
			dx := float32(x) + 0.5 - halfW
			u, v := cos*dx-sin*dy, sin*dx+cos*dy
			inside[x] = u >= -halfW && u <= halfW && v >= -halfH && v <= halfH
			if r.Images.NearestTurn {
				u, v = pixelCentre(u, halfW), pixelCentre(v, halfH)
			}
			value := bicubic(r.padded, stride, clamp(centreX+zoomX*u, 1, lastX), clamp(centreY+zoomY*v, 1, lastY))
			value = min(brightness*unit(value), 1)
			row[x] = value
			sum += value
		}
		total += float64(sum)
	}
	return float32(total / float64(height*width))
}

// pixelCentre is the centre of the pixel in which u lies, both measured from the middle of a side of 2·half pixels.
func pixelCentre(u, half float32) float32 {
	last := 2*half - 1
	return clamp(float32(math.Floor(float64(u+half))), 0, last) + 0.5 - half
}

// bicubic samples the padded image at x, y ≥ 1 by the 4×4 taps around it.
func bicubic(padded []float32, stride int, x, y float32) float32 {
	left, top := int(x), int(y)
	x0, x1, x2, x3 := keys(x - float32(left))
	y0, y1, y2, y3 := keys(y - float32(top))
	at := (top-1)*stride + left - 1
	a := padded[at:][:4]
	b := padded[at+stride:][:4]
	c := padded[at+2*stride:][:4]
	d := padded[at+3*stride:][:4]
	return y0*(x0*a[0]+x1*a[1]+x2*a[2]+x3*a[3]) +
		y1*(x0*b[0]+x1*b[1]+x2*b[2]+x3*b[3]) +
		y2*(x0*c[0]+x1*c[1]+x2*c[2]+x3*c[3]) +
		y3*(x0*d[0]+x1*d[1]+x2*d[2]+x3*d[3])
}

// keys returns the weights of the taps at −1, 0, 1 and 2 for a position t in [0, 1): the cubic convolution kernel of
// Keys (1981), a = −1/2, multiplied out.
func keys(t float32) (w0, w1, w2, w3 float32) {
	w0 = ((-0.5*t+1)*t - 0.5) * t
	w1 = (1.5*t-2.5)*t*t + 1
	w2 = ((-1.5*t+2)*t + 0.5) * t
	w3 = (0.5*t - 0.5) * t * t
	return w0, w1, w2, w3
}

// contrastAndMask scales the distances from the mean in the crop frame by contrast and sets pixels outside to 0.
func (r *Renderer) contrastAndMask(dst []float32, contrast, mean float32) {
	for i, inside := range r.inside {
		switch {
		case !inside:
			dst[i] = 0
		case contrast != 1:
			dst[i] = unit(contrast*(dst[i]-mean) + mean)
		}
	}
}

// blur blurs img [H·W] in place along both axes by symmetric taps, the middle one first. place finds the pixel for an
// index beyond the ends of an axis, 0..n−1.
func (r *Renderer) blur(img []float32, height, width int, taps []float32, place func(i, n int) int) {
	reach := len(taps) - 1
	along := func(to, from []float32, lines, step, count, stride int) {
		r.places = r.places[:0]
		for i := -reach; i < count+reach; i++ {
			r.places = append(r.places, place(i, count)*stride)
		}
		for line := range lines {
			to, from := to[line*step:], from[line*step:]
			for i := range count {
				sum := taps[0] * from[i*stride]
				for d := 1; d <= reach; d++ {
					sum += taps[d] * (from[r.places[reach+i-d]] + from[r.places[reach+i+d]])
				}
				to[i*stride] = sum
			}
		}
	}
	along(r.rows, img, height, width, width, 1)
	along(img, r.rows, width, 1, height, width)
}

// mirrored mirrors an axis at its ends by one pixel. A single pixel is its own neighbour.
func mirrored(i, n int) int {
	switch {
	case i < 0:
		return min(1, n-1)
	case i >= n:
		return max(n-2, 0)
	}
	return i
}

// repeated repeats the pixels at the ends of an axis.
func repeated(i, n int) int { return min(max(i, 0), n-1) }

// clamp holds x in low..high; NaN becomes low, so that it cannot address memory.
func clamp(x, low, high float32) float32 {
	if x >= high {
		return high
	}
	if x >= low {
		return x
	}
	return low
}

func unit(x float32) float32 { return clamp(x, 0, 1) }

// greyLevels are the levels of a byte. Images hold them as shares of the highest one.
const greyLevels = 256

// wrapGrey replaces grey levels x in 0..1 by Images.Wrap's, in place.
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
