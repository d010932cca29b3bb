package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/metrics"
)

// wide is the model of most tests here.
var wide = Gaussian{Dim: 2, Tau: 10, Sigma: 1}

// p-values of points that the model itself drew, under their true labels, are uniform; a tail test of 200 sets allows a
// Kolmogorov distance of 0.115 (p = 0.01).
func TestCheckFitIsUniformUnderTheModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	g := Gaussian{Dim: 2, Tau: 10, Sigma: 3}
	var widths, roundness, tails, alignment []float64
	for range 200 {
		labels := drawCRP(rng, 60, 2)
		m := must[Misfit](t)(g.CheckFit(rng, drawPoints(rng, g, labels), [][]int32{labels}, 100))
		widths, roundness, tails = append(widths, m.Widths), append(roundness, m.Roundness), append(tails, m.Tails)
		alignment = append(alignment, m.Alignment)
	}
	for name, values := range map[string][]float64{
		"widths": widths, "roundness": roundness, "tails": tails, "alignment": alignment,
	} {
		_, p, err := metrics.UniformKS(values)
		if err != nil || p < 0.01 {
			t.Errorf("%s: p-values are not uniform (p = %v, %v), mean %v", name, p, err, floats.Sum(values)/200)
		}
	}
}

// Each departure is found by the number that is there for it.
func TestCheckFitFindsDepartures(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	labels := make([]int32, 150)
	for i := range labels {
		labels[i] = int32(i % 3)
	}
	draw := func(change func(k int32, p []float64)) Misfit {
		x := make([]float64, 300)
		for i, k := range labels {
			p := x[2*i : 2*i+2]
			p[0], p[1] = rng.NormFloat64(), rng.NormFloat64()
			change(k, p)
			p[0] += 20 * float64(k)
		}
		return must[Misfit](t)(wide.CheckFit(rng, x, [][]int32{labels}, 400))
	}
	if m := draw(func(int32, []float64) {}); m.Any() < 0.01 {
		t.Errorf("round clusters of one width: %+v", m)
	}
	if m := draw(func(k int32, p []float64) { floats.Scale(1+float64(k), p) }); m.Widths > 0.01 || m.Roundness < 0.01 {
		t.Errorf("widths 1, 2, 3: %+v", m)
	}
	if m := draw(func(k int32, p []float64) { p[k%2] *= 3 }); m.Roundness > 0.01 || m.Widths < 0.01 {
		t.Errorf("axes 1 : 3, not the same in all: %+v", m)
	}
	if m := draw(func(_ int32, p []float64) { floats.Scale(math.Exp(rng.NormFloat64()), p) }); m.Tails > 0.01 {
		t.Errorf("heavy tails: %+v", m)
	}
	if m := draw(func(_ int32, p []float64) { floats.Scale(1/math.Hypot(p[0], p[1]), p) }); m.Tails > 0.01 {
		t.Errorf("rings: %+v", m)
	}
}

// Eight clusters in two rows are found, eight that lie anywhere are not. By hand: of (0,0), (1,0), (3,0), (3,5) the
// first three see both nearest others on one line, the last sees (3,0) and (1,0) at a cosine of 5/√29.
func TestCheckFitFindsRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	labels := make([]int32, 80)
	for i := range labels {
		labels[i] = int32(i % 8)
	}
	p := func(centre func(k int32) (x, y float64)) float64 {
		x := make([]float64, 0, 160)
		for _, k := range labels {
			cx, cy := centre(k)
			x = append(x, cx+rng.NormFloat64(), cy+rng.NormFloat64())
		}
		return must[Misfit](t)(wide.CheckFit(rng, x, [][]int32{labels}, 400)).Alignment
	}
	if p := p(func(k int32) (x, y float64) { return float64(3 * (k % 4)), float64(20 * (k / 4)) }); p > 0.02 {
		t.Errorf("two rows: p = %v", p)
	}
	anywhere := [][2]float64{{0, 0}, {9, 3}, {-4, 12}, {5, -8}, {14, 11}, {-11, -3}, {-7, -15}, {3, 8}}
	if p := p(func(k int32) (x, y float64) { return anywhere[k][0], anywhere[k][1] }); p < 0.05 {
		t.Errorf("centres anywhere: p = %v", p)
	}
	near(t, "alignment", alignment([][]float64{{0, 0}, {1, 0}, {3, 0}, {3, 5}}), (3+25.0/29)/4, 1e-12)
}

func TestCheckFitLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	if m, err := wide.CheckFit(rng, []float64{1, 2, 3, 4}, [][]int32{{0, 1}}, 10); err != nil || m.Any() != 1 {
		t.Errorf("points alone: %+v, %v", m, err)
	}
	line := []float64{0, 0, 1, 1, 2, 2, 3, 3}
	if m, err := wide.CheckFit(rng, line, [][]int32{{0, 0, 0, 0}}, 10); err != nil || m.Roundness != 0 {
		t.Errorf("points on a line: %+v, %v", m, err)
	}
	if _, err := wide.CheckFit(rng, []float64{1, 2, 3}, [][]int32{{0}}, 10); !errors.Is(err, metrics.ErrLength) {
		t.Errorf("half a point: %v", err)
	}
	if _, err := wide.CheckFit(rng, []float64{1, 2}, nil, 10); !errors.Is(err, metrics.ErrTooFew) {
		t.Errorf("no samples: %v", err)
	}
}
