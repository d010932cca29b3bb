package augment

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Grey levels as torchvision's ToPILImage gives them for an image in −1..1 (authors-code.md).
func TestWrapGrey(t *testing.T) {
	x, want := []float32{0, 60, 127, 128, 200, 255}, []float32{1, 121, 255, 1, 145, 255}
	for i := range x {
		x[i] /= 255
	}
	wrapGrey(x)
	for i := range x {
		if got := x[i] * 255; math.Abs(float64(got-want[i])) > 1e-4 {
			t.Errorf("level %d becomes %g, want %g", i, got, want[i])
		}
	}
}

// A turn by the nearest pixels moves pixels: every value is one of the image, and a quarter turn is exact.
func TestNearestTurn(t *testing.T) {
	src, style := noise(rand.New(rand.NewPCG(1, 2)), 8*8), Images{NearestTurn: true}
	quarter := render(style, src, 8, 8, identity(paramCos, 0, paramSin, 1))
	for i, got := range quarter {
		x, y := i%8, i/8
		if want := src[x*8+7-y]; math.Abs(got-float64(want)) > 1e-6 {
			t.Fatalf("pixel %d,%d is %g, want %g", x, y, got, want)
		}
	}
	sin, cos := math.Sincos(0.3)
	for i, got := range render(style, src, 8, 8, identity(paramCos, cos, paramSin, sin)) {
		found := math.Abs(got) < 1e-6 // outside of the frame
		for _, v := range src {
			found = found || math.Abs(got-float64(v)) < 1e-6
		}
		if !found {
			t.Errorf("pixel %d is %g, which is no pixel of the image", i, got)
		}
	}
}

// A wide blur spreads a point as a Gaussian: its variance is σ², and its weights sum to 1.
func TestWideBlur(t *testing.T) {
	const side, sigma = 25, 1.5
	src := make([]float32, side*side)
	src[side*side/2] = 1
	sum, variance := 0.0, 0.0
	for i, v := range render(Images{WideBlur: true}, src, side, side, identity(paramBlur, sigma)) {
		dx := float64(i%side - side/2)
		sum += v
		variance += v * dx * dx
	}
	if math.Abs(sum-1) > 1e-4 || math.Abs(variance-sigma*sigma) > 0.02 {
		t.Errorf("the blurred point sums to %g with variance %g, want 1 and %g", sum, variance, sigma*sigma)
	}
}

// Boxes are whole pixels that lie in the image, of the areas asked for, but for rounding.
func TestRedrawnBoxes(t *testing.T) {
	rng, o, params := rand.New(rand.NewPCG(3, 3)), PublishedImages(), make([]float32, NumParams)
	whole := 0
	for range 2000 {
		o.Draw(rng, params)
		for _, i := range []int{paramLeft, paramTop, paramWidth, paramHeight} {
			if pixels := float64(params[i]) * PixelSide; math.Abs(pixels-math.Round(pixels)) > 1e-4 {
				t.Fatalf("number %d of the box is %g pixels", i, pixels)
			}
		}
		if params[paramLeft]+params[paramWidth] > 1.0001 || params[paramTop]+params[paramHeight] > 1.0001 {
			t.Fatalf("box %v leaves the image", params[:4])
		}
		if area := params[paramWidth] * params[paramHeight]; area < 0.66 {
			t.Fatalf("box %v has %g of the area", params[:4], area)
		} else if area == 1 {
			whole++
		}
	}
	if whole > 40 {
		t.Errorf("%d of 2000 boxes are the whole image", whole)
	}
}
