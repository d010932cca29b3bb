package augment

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gfncp/gfncp/internal/usererr"
)

func TestValidateImages(t *testing.T) {
	bad := Images{
		ScaleMax: 2, RatioMin: -1, RatioMax: math.NaN(), Rotation: 200, JitterProb: 1.5, Jitter: -0.1,
		BlurProb: math.NaN(), BlurMax: math.Inf(1),
	}
	keys := []string{
		"scale_min", "scale_max", "ratio_min", "ratio_max", "rotation", "jitter_prob", "jitter", "blur_prob",
		"blur_min", "blur_max",
	}
	err := bad.Validate()
	if err == nil || !usererr.Is(err) {
		t.Fatalf("got %v, want faults of the user", err)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != len(keys) {
		t.Fatalf("got %d faults, want %d:\n%v", len(lines), len(keys), err)
	}
	for i, key := range keys {
		if !strings.HasPrefix(lines[i], key+" is ") || !strings.Contains(lines[i], "; set "+key+" to ") {
			t.Errorf("fault %d is %q, want one about %s with a remedy", i, lines[i], key)
		}
	}
}

func TestDrawIsDeterministic(t *testing.T) {
	draw := func(o Images, seed uint64) (params []float32, next uint64) {
		rng := rand.New(rand.NewPCG(seed, 0))
		params = make([]float32, NumParams)
		o.Draw(rng, params)
		return params, rng.Uint64()
	}
	a, nextA := draw(DefaultImages(), 7)
	b, _ := draw(DefaultImages(), 7)
	c, _ := draw(DefaultImages(), 8)
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Errorf("seed 7 gives %v and %v, seed 8 %v", a, b, c)
	}
	off := DefaultImages()
	off.JitterProb, off.BlurProb, off.Rotation = 0, 1, 0
	if _, next := draw(off, 7); next != nextA {
		t.Error("other settings take another number of values from the generator")
	}
}

// extent is the range and the sum of the values seen.
type extent struct {
	low, high, sum float64
	n              int
}

func (e *extent) see(x float64) {
	if e.n == 0 {
		e.low, e.high = x, x
	}
	e.low, e.high, e.sum, e.n = min(e.low, x), max(e.high, x), e.sum+x, e.n+1
}

// drawn is what many draws looked like; what is switched off in a draw is not seen.
type drawn struct {
	area, logRatio, angle, brightness, contrast, blur extent
	offX, offY                                        extent // the box's centre from the image's
}

func (d *drawn) see(p []float32) {
	w, h := float64(p[paramWidth]), float64(p[paramHeight])
	if w < 1 && h < 1 { // not cut
		d.area.see(w * h)
	}
	d.logRatio.see(math.Log(w / h))
	d.offX.see(float64(p[paramLeft]) + w/2 - 0.5)
	d.offY.see(float64(p[paramTop]) + h/2 - 0.5)
	d.angle.see(math.Atan2(float64(p[paramSin]), float64(p[paramCos])) * 180 / math.Pi)
	if p[paramBrightness] != 1 || p[paramContrast] != 1 {
		d.brightness.see(float64(p[paramBrightness]))
		d.contrast.see(float64(p[paramContrast]))
	}
	if p[paramBlur] != 0 { // every σ ≥ 0.1 counts: its outer tap is at least exp(−50) = 2e-22
		d.blur.see(float64(p[paramBlur]))
	}
}

// Shares and ranges of 20,000 draws. A share's standard error is at most √(0.8·0.2/20000) = 0.0028; four of them.
func TestDrawStatistics(t *testing.T) {
	const n, tolerance = 20000, 0.0114
	rng, o := rand.New(rand.NewPCG(9, 9)), DefaultImages()
	p := make([]float32, NumParams)
	var d drawn
	for range n {
		o.Draw(rng, p)
		if p[paramLeft] < 0 || p[paramTop] < 0 || p[paramLeft]+p[paramWidth] > 1+1e-6 ||
			p[paramTop]+p[paramHeight] > 1+1e-6 {
			t.Fatalf("the box %v leaves the image", p[:4])
		}
		d.see(p)
	}
	if share := float64(d.brightness.n) / n; math.Abs(share-0.8) > tolerance {
		t.Errorf("jitter in %g of the draws, want 0.8", share)
	}
	if share := float64(d.blur.n) / n; math.Abs(share-0.1) > tolerance {
		t.Errorf("blur in %g of the draws, want 0.1", share)
	}
	for _, c := range []struct {
		name             string
		got              extent
		min, max, within float64 // within: how near to the bounds the draws must come
	}{
		{"area", d.area, 0.7, 1, 0.005},
		{"log ratio", d.logRatio, -math.Log(4.0 / 3), math.Log(4.0 / 3), 0.005},
		{"angle", d.angle, -30, 30, 0.05},
		{"brightness", d.brightness, 0.6, 1.4, 0.002},
		{"contrast", d.contrast, 0.6, 1.4, 0.002},
		{"blur", d.blur, 0, outerTap(2), 0.002},
	} {
		const rounding = 1e-5
		g := c.got
		if g.low < c.min-rounding || g.high > c.max+rounding || g.low > c.min+c.within || g.high < c.max-c.within {
			t.Errorf("%s lies in %g..%g, want %g..%g", c.name, g.low, g.high, c.min, c.max)
		}
	}
	// Means: a box is at most 0.15 off, so the standard error is below 0.15/√20000 = 0.001; the angle's is
	// 60/√12/√20000 = 0.12, the factors' 0.8/√12/√16000 = 0.0018; four of each.
	for _, c := range []struct {
		name                  string
		got                   extent
		want, fourStandardErr float64
	}{
		{"box across", d.offX, 0, 0.004},
		{"box down", d.offY, 0, 0.004},
		{"angle", d.angle, 0, 0.49},
		{"brightness", d.brightness, 1, 0.0073},
		{"contrast", d.contrast, 1, 0.0073},
	} {
		if mean := c.got.sum / float64(c.got.n); math.Abs(mean-c.want) > c.fourStandardErr {
			t.Errorf("%s has mean %g, want %g", c.name, mean, c.want)
		}
	}
}
