package mixture

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// rankOf is the number of draws below the true value (Talts et al. 2018), those equal to it drawn at random (Modrák et
// al. 2023). If the draws are from the exact posterior it is uniform.
func rankOf(rng *rand.Rand, truth float64, draws []float64) int {
	below, equal := 0, 0
	for _, v := range draws {
		if v < truth {
			below++
		} else if v == truth {
			equal++
		}
	}
	return below + rng.IntN(equal+1)
}

// uniformRanks is the p of Pearson's χ² test that ranks in 0..draws are uniform.
func uniformRanks(ranks []int, draws, bins int) (p float64) {
	expected, seen := make([]float64, bins), make([]float64, bins)
	for r := range draws + 1 {
		expected[r*bins/(draws+1)] += float64(len(ranks)) / float64(draws+1)
	}
	for _, r := range ranks {
		seen[r*bins/(draws+1)]++
	}
	return distuv.ChiSquared{K: float64(bins - 1)}.Survival(stat.ChiSquare(seen, expected))
}
