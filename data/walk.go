package data

import (
	"math/rand/v2"
	"slices"
)

// mutualNeighbors returns, for each point, those of its k nearest near [M,k] that have it among their k nearest too, or
// the nearest one where there is no such one. Points of two classes are less often near in both directions than in one,
// so walks along these links stay in a class for longer.
func mutualNeighbors(near []int32, k int) [][]int32 {
	links := make([][]int32, len(near)/k)
	inParts(len(links), func(from, to int) {
		for i := from; i < to; i++ {
			own := near[i*k : (i+1)*k]
			for _, j := range own {
				if slices.Contains(near[int(j)*k:(int(j)+1)*k], int32(i)) {
					links[i] = append(links[i], j)
				}
			}
			if links[i] == nil {
				links[i] = own[:1]
			}
		}
	})
	return links
}

// walk goes some steps from a point along links, each time to one of the point's links or nowhere, all equally
// probable, and returns where it ends.
func walk(rng *rand.Rand, links [][]int32, at int32, steps int) int32 {
	for range steps {
		if j := rng.IntN(len(links[at]) + 1); j < len(links[at]) {
			at = links[at][j]
		}
	}
	return at
}
