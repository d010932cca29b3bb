package partition_test

import (
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
		{[]int32{7, -1, 7, 0, -1, 7}, []int32{0, 1, 0, 2, 1, 0}, 3},
		{[]int32{2, 2, 0, 1, 0}, []int32{0, 0, 1, 2, 1}, 3},
		{[]int32{0}, []int32{0}, 1},
		{nil, nil, 0},
	} {
		got := slices.Clone(test.labels)
		if k := partition.Renumber(got); k != test.k || !slices.Equal(got, test.want) {
			t.Errorf("Renumber(%v) gave %v with %d clusters, want %v with %d", test.labels, got, k, test.want, test.k)
		}
	}
}
