package losses

import (
	"math/rand/v2"
	"slices"

	"github.com/gfncp/gfncp/internal/partition"
)

// The labels of an exploration step.
const (
	UniformLabels = "uniform-labels" // each point uniform over the set's K labels, renumbered
	MergeBlocks   = "merge-blocks"   // each data cluster moves as a whole to a uniform label (published code)
)

// ExplorationLabels draws c^U, the labels of an exploration step (paper, alg:training), for one set with the data's
// labels [N], by the given rule. The result is new, [N], and numbered by first appearance.
func ExplorationLabels(rng *rand.Rand, rule string, labels []int32) []int32 {
	explored, count := make([]int32, len(labels)), slices.Max(labels)+1
	draw := func(values []int32) {
		for i := range values {
			values[i] = rng.Int32N(count)
		}
	}
	if rule == MergeBlocks {
		to := make([]int32, count)
		draw(to)
		for i, c := range labels {
			explored[i] = to[c]
		}
	} else {
		draw(explored)
	}
	partition.Renumber(explored)
	return explored
}
