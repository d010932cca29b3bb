package main

import (
	"slices"
	"testing"

	"github.com/gfncp/gfncp/clustering"
)

// The least certain points come with the least probable first, equal ones in the order of the points; a point at 0.9
// is certain.
func TestLeastCertain(t *testing.T) {
	r := &clustering.Result{
		K: 2, Labels: []int32{0, 1, 0, 1, 0, 1},
		Probabilities: [][]float64{
			{0.7, 0.3, 0}, {0.5, 0.4, 0.1}, {0.9, 0.1, 0}, {0.3, 0.7, 0}, {0.55, 0.25, 0.2}, {0.1, 0.89, 0.01},
		},
	}
	if got := leastCertain(r); !slices.Equal(got, []int{1, 4, 0, 3, 5}) {
		t.Errorf("points %v, want 1 (0.4), 4 (0.55), 0 and 3 (0.7), 5 (0.89)", got)
	}
}
