package gfncp_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/metrics"
)

// Two clusters in three dimensions are found without a model; values that are no whole number of points are refused.
func TestClusterExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 60
	var x []float64
	var truth []int32
	for i := range n {
		truth = append(truth, int32(i%2))
		for range 3 {
			x = append(x, rng.NormFloat64()+10*float64(i%2))
		}
	}
	o := gfncp.DefaultOptions()
	o.Refine = "200"
	r := must.M1(gfncp.ClusterExactly(t.Context(), x, n, o))
	if ari := must.M1(metrics.ARI(truth, r.Labels)); ari < 0.95 {
		t.Errorf("ARI %v, K %d, %q", ari, r.K, r.Warnings)
	}
	var fault *gfncp.Error
	if _, err := gfncp.ClusterExactly(t.Context(), x[1:], n, o); !errors.As(err, &fault) {
		t.Errorf("%d values of %d points: %v", len(x)-1, n, err)
	}
}
