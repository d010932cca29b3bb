package em

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

func TestTruncated(t *testing.T) {
	const draws = 20_000
	normal, rng := distuv.UnitNormal, NewRandom(1, 1)
	inf := math.Inf(1)
	for _, bounds := range [][2]float64{
		{-1, 1}, {-0.1, 5}, {-5, 0.1}, {0.2, 4}, {1, 1.5}, {2, 9}, {6, 6.5}, {-9, -4}, {-inf, -3}, {-inf, 2}, {4, inf},
	} {
		a, b := bounds[0], bounds[1]
		if a > 0 { // the upper tail keeps its digits
			a, b = -b, -a
		}
		mass := normal.CDF(b) - normal.CDF(a)
		if got := LogNormalBetween(bounds[0], bounds[1]); !(math.Abs(got-math.Log(mass)) <= 1e-8) {
			t.Errorf("%v: log probability %g, want %g", bounds, got, math.Log(mass))
		}
		shares := make([]float64, draws) // uniform
		for i := range shares {
			x := rng.Truncated(bounds[0], bounds[1])
			if x < bounds[0] || x > bounds[1] {
				t.Fatalf("%v: drew %g", bounds, x)
			}
			if bounds[0] > 0 {
				x = -x
			}
			shares[i] = (normal.CDF(x) - normal.CDF(a)) / mass
		}
		mean, deviation := stat.MeanStdDev(shares, nil)
		if math.Abs(mean-0.5) > 0.01 || math.Abs(deviation-math.Sqrt(1.0/12)) > 0.01 {
			t.Errorf("%v: quantiles have mean %.3f and deviation %.3f", bounds, mean, deviation)
		}
	}
	if got, want := LogNormalBetween(40, 41), -800-math.Log(40*math.Sqrt(2*math.Pi)); math.Abs(got-want) > 1e-3 {
		t.Errorf("far out: %g, want %g", got, want)
	}
}
