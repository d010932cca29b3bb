package main

import (
	"slices"
	"testing"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/posterior"
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

// Where the labels are those of a sample, and have another number of clusters than is most probable, this is said.
func TestLabelledClusters(t *testing.T) {
	law := []posterior.KProb{{K: 2, P: 0.4}, {K: 4, P: 0.6}}
	for _, c := range []struct {
		k      int
		decode string
		said   bool
	}{
		{2, clustering.DecodeVI, true},
		{4, clustering.DecodeVI, false},
		{2, clustering.DecodeGreedy, false},
	} {
		want := ""
		if c.said {
			want = "  the labels have 2, not 4: they are the sample that is nearest to all others\n"
		}
		if got := labelledClusters(&clustering.Result{K: c.k, Decode: c.decode, KPosterior: law}); got != want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
