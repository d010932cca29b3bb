package partition_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gfncp/gfncp/internal/partition"
)

// Both ways of counting, by a table for labels in 0..N−1 and by a map for others, follow first appearance.
func TestRenumber(t *testing.T) {
	for _, test := range []struct {
		labels, want []int32
		k            int
	}{
		{nil, nil, 0},
		{[]int32{0}, []int32{0}, 1},
		{[]int32{2, 2, 0, 1, 0}, []int32{0, 0, 1, 2, 1}, 3},                         // all below N: table
		{[]int32{7, -3, 7, math.MaxInt32, -3}, []int32{0, 1, 0, 2, 1}, 3},           // map
		{[]int32{math.MinInt32, 5, math.MinInt32, 5, 5}, []int32{0, 1, 0, 1, 1}, 2}, // map
		{[]int32{7, -1, 7, 0, -1, 7}, []int32{0, 1, 0, 2, 1, 0}, 3},                 // both
		{[]int32{4, 3, 2, 1, 0}, []int32{0, 1, 2, 3, 4}, 5},                         // largest label that fits
		{[]int32{5, 3, 2, 1, 0}, []int32{0, 1, 2, 3, 4}, 5},                         // smallest that does not
		{[]int32{-1, -1, -1}, []int32{0, 0, 0}, 1},
	} {
		got := slices.Clone(test.labels)
		for range 2 { // labels that are renumbered stay
			if k := partition.Renumber(got); k != test.k || !slices.Equal(got, test.want) {
				t.Errorf("%v became %v in %d clusters, want %v in %d", test.labels, got, k, test.want, test.k)
			}
		}
	}
}
