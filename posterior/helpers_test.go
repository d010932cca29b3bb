package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gfncp/gfncp/internal/partition"
)

func randomLabels(rng *rand.Rand, n, k int) []int32 {
	labels := make([]int32, n)
	for i := range labels {
		labels[i] = int32(rng.IntN(k))
	}
	return labels
}

// noisySamples returns s labelings [N] that differ from base in some points, under random cluster names.
func noisySamples(rng *rand.Rand, base []int32, s, k int) [][]int32 {
	samples := make([][]int32, s)
	for i := range samples {
		names := rng.Perm(10 * k)
		samples[i] = make([]int32, len(base))
		for p, c := range base {
			if rng.IntN(8) == 0 {
				c = int32(rng.IntN(k))
			}
			samples[i][p] = int32(names[c])
		}
	}
	return samples
}

// drawPoints draws points [n·D] given their labels, new means each time.
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

func sizesOf(labels []int32) []int { return partition.New(labels).Size }

func canonical(labels []int32) []int32 { return partition.New(labels).Labels }

// near fails where a number is not within a tolerance of what it should be.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %v, want %v ± %g", what, got, want, tol)
	}
}

// oneCluster returns the labels [n] of the partition with one cluster.
func oneCluster(n int) []int32 { return make([]int32, n) }

// lossOf is the loss of one partition by another.
func lossOf(l Loss, a, b []int32) float64 { return l.Expected(a, [][]int32{b}) }

// fromSamples returns the logarithms of the fractions of samples [S][N], as a law on all partitions of N points.
func fromSamples(samples [][]int32) []float64 {
	parts := Partitions(len(samples[0]))
	law := make([]float64, len(parts))
	for _, labels := range samples {
		law[PartitionIndex(parts, labels)] += 1 / float64(len(samples))
	}
	return logs(law...)
}
