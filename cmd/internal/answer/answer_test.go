package answer

import (
	"slices"
	"testing"

	"github.com/gfncp/gfncp/clustering"
)

// The page shows all points of a subset, because its clusterings are of these points.
func TestClusterHTMLSubset(t *testing.T) {
	r := &clustering.Result{Subset: &clustering.Subset{Points: []int{1, 5, 39_999}}}
	shown := exploredPoints(40_000, r)
	if len(shown) > MostShown || len(shown) < MostShown-3 || !slices.IsSorted(shown) {
		t.Errorf("%d points", len(shown))
	}
	for _, i := range r.Subset.Points {
		if !slices.Contains(shown, i) {
			t.Errorf("point %d of the subset is not shown", i)
		}
	}
}

// Without a row of probabilities a point's own one is known all the same.
func TestOwnProbabilityWithoutRows(t *testing.T) {
	r := &clustering.Result{Labels: []int32{0, 1}, K: 2, Probability: []float32{0.5, 0.25}}
	if own := OwnProbabilities(r); own[0] != 0.5 || own[1] != 0.25 || runnerUp(r, 0) != "" {
		t.Errorf("%v, %q", own, runnerUp(r, 0))
	}
	r = &clustering.Result{Labels: []int32{1}, K: 2, Probabilities: [][]float64{{0.25, 0.5, 0.25}}}
	if own := OwnProbabilities(r); own[0] != 0.5 || runnerUp(r, 0) != ", cluster 0 with 0.25" {
		t.Errorf("%v, %q", own, runnerUp(r, 0))
	}
}
