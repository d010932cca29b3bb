package drawn

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	leastPerCluster = 4 // rows that a cluster has on average, at least, but in a restaurant
	fewness         = 1.3
	alphaLow        = 0.3
	alphaHigh       = 3
	evennessLow     = 0.7 // of the Dirichlet distribution's parameter
	evennessHigh    = 20
)

// partition draws the labels [n] of a table's rows: see Config.Process. Clusters may be empty.
func (c Config) partition(rng *rand.Rand, n int) []int32 {
	if chance(rng, c.Process) {
		return c.restaurant(rng, n)
	}
	most := float64(max(1, min(c.MaxK, n/leastPerCluster)))
	k := 1 + int(most*math.Pow(rng.Float64(), fewness))
	shares := distuv.NewCategorical(dirichlet(rng, k, logUniform(rng, evennessLow, evennessHigh)), rng)
	labels := make([]int32, n)
	for i := range labels {
		labels[i] = int32(shares.Rand())
	}
	return labels
}

// DrawK draws the number of clusters of a table of n rows.
func (c Config) DrawK(rng *rand.Rand, n int) int {
	seen := map[int32]bool{}
	for _, l := range c.partition(rng, n) {
		seen[l] = true
	}
	return len(seen)
}

// restaurant draws a partition from a Chinese restaurant process, in which the last of MaxK tables takes what would
// open another.
func (c Config) restaurant(rng *rand.Rand, n int) []int32 {
	alpha := logUniform(rng, alphaLow, alphaHigh)
	labels, k := make([]int32, n), 0
	for i := range labels {
		if k < c.MaxK && rng.Float64()*(float64(i)+alpha) < alpha {
			labels[i] = int32(k)
			k++
		} else {
			labels[i] = labels[rng.IntN(max(i, 1))]
		}
	}
	rng.Shuffle(n, func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	return labels
}

// dirichlet draws k shares with equal parameters.
func dirichlet(rng *rand.Rand, k int, evenness float64) []float64 {
	gamma := distuv.Gamma{Alpha: evenness, Beta: 1, Src: rng}
	shares := make([]float64, k)
	for i := range shares {
		shares[i] = gamma.Rand() + 1e-12 // not all zero
	}
	return shares
}
