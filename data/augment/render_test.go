package augment

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// wantImage compares a rendering in 0..1 with the values expected.
func wantImage(t *testing.T, name string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) || !(furthest(got, want) <= tolerance) {
		t.Errorf("%s: got %.7v, want %.7v", name, got, want)
	}
}

func TestRotationByHand(t *testing.T) {
	square := []float32{.1, .2, .3, .4, .5, .6, .7, .8, .9}
	for _, c := range []struct {
		name     string
		cos, sin float64
		want     []float64
	}{
		{"90° counter-clockwise", 0, 1, []float64{.3, .6, .9, .2, .5, .8, .1, .4, .7}},
		{"90° clockwise", 0, -1, []float64{.7, .4, .1, .8, .5, .2, .9, .6, .3}},
		{"180°", -1, 0, []float64{.9, .8, .7, .6, .5, .4, .3, .2, .1}},
	} {
		wantImage(t, c.name, render(Images{}, square, 3, 3, identity(paramCos, c.cos, paramSin, c.sin)), c.want, 1e-6)
	}
	// Of a wide image turned upright, the output shows the middle; the sides are outside of the crop frame.
	wide := []float32{.1, .2, .3, .4, .5, .6, .7, .8}
	wantImage(t, "2×4", render(Images{}, wide, 2, 4, identity(paramCos, 0, paramSin, 1)),
		[]float64{0, .3, .7, 0, 0, .2, .6, 0}, 1e-6)
}

func TestBlurByHand(t *testing.T) {
	const k = 0.25 // taps 1/4, 1/2, 1/4
	row := render(Images{}, []float32{1, 0, 0, 0.8}, 1, 4, identity(paramBlur, k))
	// The mirror counts the second pixel twice at the first, and the last but one twice at the last.
	wantImage(t, "row", row, []float64{.5, .25, .2, .4}, 1e-6)
	dot := render(Images{}, []float32{0, 0, 0, 0, 1, 0, 0, 0, 0}, 3, 3, identity(paramBlur, k))
	// (1/2)² in the middle, (1/2)(2/4) at the sides and (2/4)² in the corners, all mirrored onto the middle: 1/4 each.
	wantImage(t, "dot", dot, []float64{.25, .25, .25, .25, .25, .25, .25, .25, .25}, 1e-6)
	// exp(−1/2) = 0.60653 for σ = 1: 0.60653/2.21306 = 0.27407, the outer taps of torchvision's kernel.
	if w := outerTap(1); math.Abs(w-0.27407) > 1e-5 {
		t.Errorf("outer tap at σ=1 is %g, want 0.27407", w)
	}
}

// Each step alone, and all together, against the slow float64 formulation. With these seeds no pixel's place lies so
// near to a border that rounding decides.
func TestAgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	all := Images{
		ScaleMin: 0.3, ScaleMax: 1, RatioMin: 0.5, RatioMax: 2, Rotation: 180, JitterProb: 1, Jitter: 0.4, BlurProb: 1,
		BlurMin: 0.1, BlurMax: 2,
	}
	crop, turn, jitter, blur := all, all, all, all
	crop.Rotation, crop.JitterProb, crop.BlurProb = 0, 0, 0
	turn.ScaleMin, turn.RatioMin, turn.RatioMax, turn.JitterProb, turn.BlurProb = 1, 1, 1, 0, 0
	jitter.ScaleMin, jitter.RatioMin, jitter.RatioMax, jitter.Rotation, jitter.BlurProb = 1, 1, 1, 0, 0
	blur.ScaleMin, blur.RatioMin, blur.RatioMax, blur.Rotation, blur.JitterProb = 1, 1, 1, 0, 0
	params := make([]float32, NumParams)
	var r Renderer
	for _, step := range []struct {
		name string
		Images
	}{{"crop", crop}, {"rotation", turn}, {"jitter", jitter}, {"blur", blur}, {"all", all}} {
		for _, size := range [][2]int{{28, 28}, {8, 8}, {5, 13}, {9, 2}, {1, 6}, {1, 1}} {
			height, width := size[0], size[1]
			src, dst := noise(rng, height*width), make([]float32, height*width)
			step.Draw(rng, params)
			r.Render(dst, src, height, width, params)
			for i, want := range (reference{height, width, params}).render(src) {
				if math.Abs(float64(dst[i])-want) > 1e-4 {
					t.Fatalf("%s %v: pixel %d is %g, want %g; params %v", step.name, size, i, dst[i], want, params)
				}
			}
		}
	}
}

// Rendering into the source, and with scratch of a larger image before, gives the same.
func TestRenderInPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	o, params := DefaultImages(), make([]float32, NumParams)
	o.BlurProb = 1
	o.Draw(rng, params)
	img := noise(rng, 8*8)
	want := make([]float32, len(img))
	new(Renderer).Render(want, img, 8, 8, params)
	var r Renderer
	r.Render(make([]float32, 28*28), noise(rng, 28*28), 28, 28, params)
	dst := make([]float32, len(img))
	if n := testing.AllocsPerRun(1, func() { r.Render(dst, img, 8, 8, params) }); n > 0 {
		t.Errorf("Render allocates %g times", n)
	}
	r.Render(img, img, 8, 8, params)
	if !slices.Equal(img, want) {
		t.Errorf("in place %g, want %g", img, want)
	}
}

// A parameter that is not a number must not address memory outside of the image.
func TestRenderNaN(t *testing.T) {
	params := identity()
	for i := range params {
		params[i] = float32(math.NaN())
	}
	new(Renderer).Render(make([]float32, 16), make([]float32, 16), 4, 4, params)
}
