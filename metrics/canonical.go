package metrics

import (
	"slices"

	"github.com/gfncp/gfncp/internal/partition"
)

// Canonical returns labels renumbered in order of first appearance, starting at 0, and the number of clusters K.
//
// labels has shape [N] and may hold any int32 values; it is not changed. Two labelings are the same partition exactly
// when their canonical forms are equal. Time O(N).
func Canonical(labels []int32) (canon []int32, k int) {
	canon = slices.Clone(labels)
	if canon == nil {
		canon = []int32{}
	}
	return canon, partition.Renumber(canon)
}

// Clusters returns the number of clusters K of labels [N], which may hold any int32 values. Time O(N).
func Clusters(labels []int32) int { return partition.Renumber(slices.Clone(labels)) }
