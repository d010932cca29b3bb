package losses

import (
	"math/rand/v2"
	"slices"

	"github.com/gfncp/gfncp/internal/partition"
)

// The labels of an exploration step.
const (
	UniformLabels  = "uniform-labels"  // each point uniform over the set's K labels, renumbered
	UniformActions = "uniform-actions" // each decision uniform over its K_n+1 legal actions: full support
	MergeBlocks    = "merge-blocks"    // each data cluster moves as a whole to a uniform label (published code)
)

// ExplorationLabels draws c^U, the labels of an exploration step (paper, alg:training), for one set with the data's
// labels [N], by the given rule. The result is new, [N], and numbered by first appearance.
func ExplorationLabels(rng *rand.Rand, rule string, labels []int32) []int32 {
	explored, count := make([]int32, len(labels)), slices.Max(labels)+1
	switch rule {
	case UniformActions:
		k := int32(0)
		for i := range explored {
			explored[i] = rng.Int32N(k + 1)
			if explored[i] == k {
				k++
			}
		}
		return explored
	case MergeBlocks:
		to := make([]int32, count)
		for k := range to {
			to[k] = rng.Int32N(count)
		}
		for i, c := range labels {
			explored[i] = to[c]
		}
	default: // UniformLabels
		for i := range explored {
			explored[i] = rng.Int32N(count)
		}
	}
	partition.Renumber(explored)
	return explored
}
