package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/metrics"
)

// The corners of a square: |z|² = 2 each, so the fourth moments are 2·I, the third ones 0, and neighbours 2 apart. Any
// affine map of them is the same cluster.
func TestShapesByHand(t *testing.T) {
	for _, corners := range [][]float64{{1, 1, 1, -1, -1, 1, -1, -1}, {7, 3, 7, 1, 3, 2, 3, 0}} {
		var s shapes
		if !s.add(mat.NewDense(4, 2, corners)) {
			t.Fatal("a square without volume")
		}
		near(t, "least", s.least, 8, 1e-9)
		near(t, "largest", s.largest, 8, 1e-9)
		near(t, "skew", s.skew, 0, 1e-9)
		near(t, "apart", s.apart, 8, 1e-9)
	}
	var s shapes
	if s.add(mat.NewDense(4, 2, []float64{0, 0, 1, 2, 2, 4, 3, 6})) {
		t.Error("points of a line have a volume")
	}
}

func compared(t *testing.T, rng *rand.Rand, x []float64, dim int, labels []int32) GaussianFit {
	t.Helper()
	g, err := CheckGaussian(rng, x, dim, []State{{Labels: labels}}, 120)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Under the partition that Gaussian points were drawn by, whatever their clusters' means and shapes, each p-value is
// uniform: a tenth of 250 is below 0.1, give or take 5. Points that are mapped have the same.
func TestGaussianFitIsUniform(t *testing.T) {
	rng := rand.New(rand.NewPCG(181, 182))
	const sets = 250
	var below [5]int
	for range sets {
		labels := randomLabels(rng, 60, 3)
		g := compared(t, rng, drawPoints(rng, randomNIW(rng, 2), labels), 2, labels)
		for i, p := range []float64{g.Light, g.Heavy, g.Skew, g.Close, g.Even} {
			if p < 0.1 {
				below[i]++
			}
		}
		if g.Points != 60 || g.Flat != 0 {
			t.Fatalf("%+v", g)
		}
	}
	for i, count := range below {
		if count < 10 || count > 42 {
			t.Errorf("number %d is below 0.1 in %d of %d sets", i, count, sets)
		}
	}
	labels := randomLabels(rng, 80, 2)
	x := drawPoints(rng, randomNIW(rng, 2), labels)
	plain := compared(t, rand.New(rand.NewPCG(1, 1)), x, 2, labels)
	for i := 0; i < len(x); i += 2 {
		x[i], x[i+1] = 100*x[i]-30*x[i+1]+7, 0.01*x[i+1]
	}
	mapped := compared(t, rand.New(rand.NewPCG(1, 1)), x, 2, labels)
	near(t, "Light of mapped points", mapped.Light, plain.Light, 0.01)
	near(t, "Skew of mapped points", mapped.Skew, plain.Skew, 0.01)
	near(t, "Close of mapped points", mapped.Close, plain.Close, 0.01)
}

// What is not Gaussian is told as what it is.
func TestGaussianFitSeesDepartures(t *testing.T) {
	rng := rand.New(rand.NewPCG(183, 184))
	for name, c := range map[string]struct {
		draw func(i int) (x, y float64)
		of   func(g GaussianFit) float64
	}{
		"uniform": {
			func(int) (float64, float64) { return rng.Float64(), rng.Float64() },
			func(g GaussianFit) float64 { return g.Light },
		},
		"far out": {
			func(int) (float64, float64) {
				return rng.NormFloat64() / math.Sqrt(rng.ExpFloat64()+0.1), rng.NormFloat64()
			},
			func(g GaussianFit) float64 { return g.Heavy },
		},
		"skewed": {
			func(int) (float64, float64) { return rng.ExpFloat64(), rng.NormFloat64() },
			func(g GaussianFit) float64 { return g.Skew },
		},
		"rounded": {
			func(int) (float64, float64) {
				return math.Round(2 * rng.NormFloat64()), math.Round(2 * rng.NormFloat64())
			},
			func(g GaussianFit) float64 { return g.Close },
		},
		"even": {
			func(i int) (float64, float64) { return float64(i % 17), float64(i / 17) },
			func(g GaussianFit) float64 { return g.Even },
		},
		"two values": {
			func(i int) (float64, float64) { return rng.NormFloat64(), 0 },
			func(g GaussianFit) float64 { return 1 - g.Flat },
		},
	} {
		x := make([]float64, 0, 600)
		for i := range 300 {
			a, b := c.draw(i)
			x = append(x, a, b)
		}
		if g := compared(t, rng, x, 2, OneCluster(300)); c.of(g) != 0 {
			t.Errorf("%s: %+v", name, g)
		}
	}
}

// Small clusters are not compared; of many points some are.
func TestGaussianFitOfFewAndMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(185, 186))
	x := drawPoints(rng, StandardNIW(3), OneCluster(9))
	if g := compared(t, rng, x, 3, []int32{0, 0, 0, 0, 1, 1, 1, 1, 1}); g.Points != 5 {
		t.Errorf("%+v", g)
	}
	g := compared(t, rng, x, 3, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8})
	if g.Points != 0 || g.Any() != 1 {
		t.Errorf("clusters of one: %+v", g)
	}
	if g := compared(t, rng, drawPoints(rng, StandardNIW(1), OneCluster(2000)), 1, OneCluster(2000)); g.Points != 500 {
		t.Errorf("%d points are compared", g.Points)
	}
	if _, err := CheckGaussian(rng, x, 3, nil, 10); !errors.Is(err, metrics.ErrTooFew) {
		t.Errorf("no samples: %v", err)
	}
	if _, err := CheckGaussian(rng, x, 2, []State{{Labels: []int32{1}}}, 10); !errors.Is(err, metrics.ErrLength) {
		t.Errorf("other lengths: %v", err)
	}
}
