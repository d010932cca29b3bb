package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
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

// allPartitions returns the canonical labels of every partition of n points.
func allPartitions(n int) [][]int32 {
	parts := [][]int32{{0}}
	for range n - 1 {
		var longer [][]int32
		for _, p := range parts {
			k := int32(0)
			for _, c := range p {
				k = max(k, c+1)
			}
			for c := int32(0); c <= k; c++ {
				longer = append(longer, append(p[:len(p):len(p)], c))
			}
		}
		parts = longer
	}
	return parts
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// gewekeZ is the z-score of Geweke's joint distribution test (2004): the difference between the means of independent
// draws and of a chain, over its standard error. That of the chain is by batch means (Flegal & Jones 2010).
func gewekeZ(independent, chain []float64) float64 {
	length := int(math.Sqrt(float64(len(chain))))
	var batches []float64
	for start := len(chain) % length; start < len(chain); start += length {
		batches = append(batches, stat.Mean(chain[start:start+length], nil))
	}
	mean, variance := stat.MeanVariance(independent, nil)
	squared := variance/float64(len(independent)) + stat.Variance(batches, nil)/float64(len(batches))
	return (mean - stat.Mean(chain, nil)) / math.Sqrt(squared)
}
