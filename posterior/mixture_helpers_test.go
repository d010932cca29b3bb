package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gfncp/gfncp/internal/partition"
)

// drawCRP draws labels [n] point by point; drawPoints draws points [n·D] given them, new means each time.
func drawCRP(rng *rand.Rand, n int, alpha float64) []int32 {
	labels, k := make([]int32, n), int32(0)
	for i := range labels {
		if rng.Float64()*(alpha+float64(i)) < alpha {
			labels[i] = k
			k++
		} else {
			labels[i] = labels[rng.IntN(i)]
		}
	}
	return labels
}

func drawPoints(rng *rand.Rand, g Gaussian, labels []int32) []float64 {
	x, mean := make([]float64, len(labels)*g.Dim), make([]float64, g.Dim)
	for _, points := range partition.New(labels).Clusters() {
		for j := range mean {
			mean[j] = g.Tau * rng.NormFloat64()
		}
		for _, i := range points {
			for j, m := range mean {
				x[int(i)*g.Dim+j] = m + g.Sigma*rng.NormFloat64()
			}
		}
	}
	return x
}

// logNormal is the log-density of N(0, variance).
func logNormal(x, variance float64) float64 {
	return -0.5*math.Log(2*math.Pi*variance) - x*x/(2*variance)
}

func mustPrior(t *testing.T, c CRP, n int) Prior {
	t.Helper()
	return must[Prior](t)(c.Prior(n))
}

func sizesOf(labels []int32) []int { return partition.New(labels).Size }

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %v, want %v ± %g", what, got, want, tol)
	}
}
