package gfncp_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/metrics"
)

// Two clusters in three columns, with a cell missing, are found without a model and kept in a file; further rows are
// predicted by it. Values that are no whole number of rows are refused.
func TestClusterTable(t *testing.T) {
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
	x[7] = math.NaN()
	table := must.M1(gfncp.NewTable(x, n, "a", "b"))
	r := must.M1(gfncp.ClusterTable(t.Context(), table, gfncp.DefaultOptions()))
	if ari := must.M1(metrics.ARI(truth, r.Labels)); ari != 1 || r.Model != gfncp.MixtureModel {
		t.Errorf("ARI %v, K %d of %s, %q", ari, r.K, r.Model, r.Warnings)
	}
	path := filepath.Join(t.TempDir(), "c.json.gz")
	must.M(gfncp.SaveTable(path, r.Table))
	saved := must.M1(gfncp.ReadSaved(path))
	if saved.Len() != n || !reflect.DeepEqual(saved.Columns.Names, []string{"a", "b", "x3"}) {
		t.Errorf("%d rows of columns %q", saved.Len(), saved.Columns.Names)
	}
	here, there := must.M1(r.Table.Predict(table)), must.M1(saved.Table.Predict(table))
	if !reflect.DeepEqual(here, there) || !reflect.DeepEqual(here.Labels, r.Labels) {
		t.Errorf("predictions %v and %v", here.Labels, there.Labels)
	}
	var fault *gfncp.Error
	if _, err := saved.Open(""); !errors.As(err, &fault) {
		t.Errorf("a table's clustering opened a model: %v", err)
	}
	if _, err := gfncp.NewTable(x[1:], n); !errors.As(err, &fault) {
		t.Errorf("%d values of %d points: %v", len(x)-1, n, err)
	}
}
