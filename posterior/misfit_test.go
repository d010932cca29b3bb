package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/metrics"
)

// p-values of points that the model itself drew, under their true labels, are uniform; a tail test of 200 sets allows a
// Kolmogorov distance of 0.115 (p = 0.01).
func TestCheckFitIsUniformUnderTheModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	g := Gaussian{Dim: 2, Tau: 10, Sigma: 3}
	var widths, roundness, tails []float64
	for range 200 {
		labels := drawCRP(rng, 60, 2)
		m := must[Misfit](t)(CheckFit(rng, drawPoints(rng, g, labels), 2, [][]int32{labels}, 100))
		widths, roundness, tails = append(widths, m.Widths), append(roundness, m.Roundness), append(tails, m.Tails)
	}
	for name, values := range map[string][]float64{"widths": widths, "roundness": roundness, "tails": tails} {
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
		return must[Misfit](t)(CheckFit(rng, x, 2, [][]int32{labels}, 400))
	}
	if m := draw(func(int32, []float64) {}); m.Worst() < 0.01 {
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

func TestCheckFitLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	if m, err := CheckFit(rng, []float64{1, 2, 3, 4}, 2, [][]int32{{0, 1}}, 10); err != nil || m.Worst() != 1 {
		t.Errorf("points alone: %+v, %v", m, err)
	}
	if m, err := CheckFit(rng, []float64{0, 0, 1, 1, 2, 2, 3, 3}, 2, [][]int32{{0, 0, 0, 0}}, 10); err != nil ||
		m.Roundness != 0 {
		t.Errorf("points on a line: %+v, %v", m, err)
	}
	if _, err := CheckFit(rng, []float64{1, 2, 3}, 2, [][]int32{{0}}, 10); !errors.Is(err, metrics.ErrLength) {
		t.Errorf("half a point: %v", err)
	}
	if _, err := CheckFit(rng, []float64{1, 2}, 2, nil, 10); !errors.Is(err, metrics.ErrTooFew) {
		t.Errorf("no samples: %v", err)
	}
}
