package main

import (
	"math"
	"testing"
)

// The example works as README.md shows it: two far groups get different labels, and each point's probabilities sum to
// 1.
func TestCluster(t *testing.T) {
	result, err := cluster(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Labels) != 12 || result.Labels[0] == result.Labels[1] {
		t.Errorf("labels %v: want 12, and those of rows 0 and 1 to differ", result.Labels)
	}
	for i, row := range result.Probabilities {
		sum := 0.0
		for _, p := range row {
			sum += p
		}
		if len(row) != result.K+1 || math.Abs(sum-1) > 1e-9 {
			t.Errorf("row %d: probabilities %v, want %d that sum to 1", i, row, result.K+1)
		}
	}
}
