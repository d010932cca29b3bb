package augment

import (
	"math"
	"math/rand/v2"
)

// reference is the augmentation in float64, written for sight: every step over every pixel by its definition.
type reference struct {
	height, width int
	p             []float32
}

// keysKernel is Keys' cubic convolution kernel by its two branches, equation (15) of Keys (1981) for a = −1/2.
func keysKernel(x float64) float64 {
	const a = -0.5
	switch x = math.Abs(x); {
	case x <= 1:
		return (a+2)*x*x*x - (a+3)*x*x + 1
	case x < 2:
		return a*x*x*x - 5*a*x*x + 8*a*x - 4*a
	}
	return 0
}

// at reads a pixel, the edges repeated.
func (r reference) at(img []float64, y, x int) float64 {
	return img[min(max(y, 0), r.height-1)*r.width+min(max(x, 0), r.width-1)]
}

// bicubic sums the kernel over a region that holds its support wherever the rotated crop box can reach.
func (r reference) bicubic(img []float64, y, x float64) float64 {
	sum := 0.0
	for i := -r.height - r.width; i <= 2*r.height+r.width; i++ {
		wy := keysKernel(y - float64(i))
		if wy == 0 {
			continue
		}
		for j := -r.height - r.width; j <= r.height+2*r.width; j++ {
			if wx := keysKernel(x - float64(j)); wx != 0 {
				sum += wy * wx * r.at(img, i, j)
			}
		}
	}
	return sum
}

// place returns where output pixel (y, x) lies in the crop frame, and the source's pixel coordinates it shows: a point
// is turned by its polar angle.
func (r reference) place(y, x int) (frameY, frameX, srcY, srcX float64) {
	h, w := float64(r.height), float64(r.width)
	angle := math.Atan2(float64(r.p[paramSin]), float64(r.p[paramCos]))
	dx, dy := float64(x)+0.5-w/2, float64(y)+0.5-h/2
	radius, phi := math.Hypot(dx, dy), math.Atan2(dy, dx)
	frameX, frameY = w/2+radius*math.Cos(phi+angle), h/2+radius*math.Sin(phi+angle)
	srcX = w*float64(r.p[paramLeft]) + frameX*float64(r.p[paramWidth]) - 0.5
	srcY = h*float64(r.p[paramTop]) + frameY*float64(r.p[paramHeight]) - 0.5
	return frameY, frameX, srcY, srcX
}

func clip01(x float64) float64 { return math.Max(0, math.Min(1, x)) }

// mirror reflects an index once about the first or the last pixel.
func mirror(i, n int) int {
	switch {
	case n == 1:
		return 0
	case i < 0:
		return -i
	case i >= n:
		return 2*(n-1) - i
	}
	return i
}

// convolve is the blur as one convolution with the 3×3 kernel, the outer product of the taps.
func (r reference) convolve(img []float64) []float64 {
	k := float64(r.p[paramBlur])
	taps := [3]float64{k, 1 - 2*k, k}
	out := make([]float64, len(img))
	for y := range r.height {
		for x := range r.width {
			for i := -1; i <= 1; i++ {
				for j := -1; j <= 1; j++ {
					out[y*r.width+x] += taps[i+1] * taps[j+1] * img[mirror(y+i, r.height)*r.width+mirror(x+j, r.width)]
				}
			}
		}
	}
	return out
}

// render returns the augmented image.
func (r reference) render(src []float32) []float64 {
	img := make([]float64, len(src))
	for i, x := range src {
		img[i] = float64(x)
	}
	out, inside := make([]float64, len(img)), make([]bool, len(img))
	mean, h, w := 0.0, float64(r.height), float64(r.width)
	for i := range img {
		fy, fx, sy, sx := r.place(i/r.width, i%r.width)
		inside[i] = min(fy, h-fy, fx, w-fx) >= 0
		out[i] = clip01(float64(r.p[paramBrightness]) * clip01(r.bicubic(img, sy, sx)))
		mean += out[i] / (h * w)
	}
	for i := range out {
		out[i] = clip01(float64(r.p[paramContrast])*(out[i]-mean) + mean)
		if !inside[i] {
			out[i] = 0
		}
	}
	out = r.convolve(out)
	for i := range out {
		out[i] = 2*out[i] - 1
	}
	return out
}

// noise is an image of independent uniform pixels, the hardest case for a resampling.
func noise(rng *rand.Rand, size int) []float32 {
	img := make([]float32, size)
	for i := range img {
		img[i] = rng.Float32()
	}
	return img
}

// identity returns the parameters that change nothing, with some of them set: place, value, place, value …
func identity(changes ...float64) []float32 {
	p := make([]float32, NumParams)
	IdentityParams(p)
	for i := 0; i < len(changes); i += 2 {
		p[int(changes[i])] = float32(changes[i+1])
	}
	return p
}

// render is Renderer's rendering of one image, back in 0..1, where expected values are easier to read.
func render(style Images, src []float32, height, width int, params []float32) []float64 {
	dst, r := make([]float32, height*width), Renderer{Images: style}
	r.Render(dst, src, height, width, params)
	out := make([]float64, len(dst))
	for i, x := range dst {
		out[i] = (float64(x) + 1) / 2
	}
	return out
}

// furthest returns the largest difference of two images.
func furthest(a, b []float64) float64 {
	worst := 0.0
	for i := range a {
		if d := math.Abs(a[i] - b[i]); !(d <= worst) {
			worst = d
		}
	}
	return worst
}
