package augment

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

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
		key = "data.images." + key
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

// drawn is what many draws gave, by name; what is switched off in a draw is not seen.
type drawn map[string][]float64

func (d drawn) see(p []float32) {
	see := func(name string, seen bool, v float64) {
		if seen {
			d[name] = append(d[name], v)
		}
	}
	w, h := float64(p[paramWidth]), float64(p[paramHeight])
	see("area", w < 1 && h < 1, w*h) // not cut
	see("log ratio", true, math.Log(w/h))
	see("box across", true, float64(p[paramLeft])+w/2-0.5) // the box's centre from the image's
	see("box down", true, float64(p[paramTop])+h/2-0.5)
	see("angle", true, math.Atan2(float64(p[paramSin]), float64(p[paramCos]))*180/math.Pi)
	jitters := p[paramBrightness] != 1 || p[paramContrast] != 1
	see("brightness", jitters, float64(p[paramBrightness]))
	see("contrast", jitters, float64(p[paramContrast]))
	see("blur", p[paramBlur] != 0, float64(p[paramBlur])) // the outer tap of σ = 0.1 is exp(−50) = 2e-22
}

// Shares and ranges of 20,000 draws. A share's standard error is at most √(0.8·0.2/20000) = 0.0028; four of them.
func TestDrawStatistics(t *testing.T) {
	const n, tolerance = 20000, 0.0114
	rng, o := rand.New(rand.NewPCG(9, 9)), DefaultImages()
	p := make([]float32, NumParams)
	d := drawn{}
	for range n {
		o.Draw(rng, p)
		if p[paramLeft] < 0 || p[paramTop] < 0 || p[paramLeft]+p[paramWidth] > 1+1e-6 ||
			p[paramTop]+p[paramHeight] > 1+1e-6 {
			t.Fatalf("the box %v leaves the image", p[:4])
		}
		d.see(p)
	}
	if share := float64(len(d["brightness"])) / n; math.Abs(share-0.8) > tolerance {
		t.Errorf("jitter in %g of the draws, want 0.8", share)
	}
	if share := float64(len(d["blur"])) / n; math.Abs(share-0.1) > tolerance {
		t.Errorf("blur in %g of the draws, want 0.1", share)
	}
	for _, c := range []struct {
		name             string
		min, max, within float64 // within: how near to the bounds the draws must come
	}{
		{"area", 0.7, 1, 0.005},
		{"log ratio", -math.Log(4.0 / 3), math.Log(4.0 / 3), 0.005},
		{"angle", -30, 30, 0.05},
		{"brightness", 0.6, 1.4, 0.002},
		{"contrast", 0.6, 1.4, 0.002},
		{"blur", 0, outerTap(2), 0.002},
	} {
		const rounding = 1e-5
		low, high := slices.Min(d[c.name]), slices.Max(d[c.name])
		if low < c.min-rounding || high > c.max+rounding || low > c.min+c.within || high < c.max-c.within {
			t.Errorf("%s lies in %g..%g, want %g..%g", c.name, low, high, c.min, c.max)
		}
	}
	// Means: a box is at most 0.15 off, so the standard error is below 0.15/√20000 = 0.001; the angle's is
	// 60/√12/√20000 = 0.12, the factors' 0.8/√12/√16000 = 0.0018; four of each.
	for _, c := range []struct {
		name                  string
		want, fourStandardErr float64
	}{
		{"box across", 0, 0.004},
		{"box down", 0, 0.004},
		{"angle", 0, 0.49},
		{"brightness", 1, 0.0073},
		{"contrast", 1, 0.0073},
	} {
		if mean := stat.Mean(d[c.name], nil); math.Abs(mean-c.want) > c.fourStandardErr {
			t.Errorf("%s has mean %g, want %g", c.name, mean, c.want)
		}
	}
}
