package gfncp_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/metrics"
)

// Two clusters in three columns, with a cell missing, are found without a model and kept in a file; further rows are
// predicted by it.
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
	points := must.M1(gfncp.NewPoints(x, n, "a", "b"))
	c := must.M1(gfncp.Cluster(t.Context(), points, nil))
	if ari := must.M1(metrics.ARI(truth, c.Labels)); ari != 1 || c.Model != gfncp.MixtureModel {
		t.Errorf("ARI %v, K %d of %s, %q", ari, c.K, c.Model, c.Warnings)
	}
	c.Chains.Agree, c.Chains.RHatK = false, nil
	path := filepath.Join(t.TempDir(), "c.json.gz")
	must.M(c.Save(path))
	read := must.M1(gfncp.Read(path))
	if read.Len() != n || !reflect.DeepEqual(read.Columns(), []string{"a", "b", "x3"}) || read.K != c.K ||
		!reflect.DeepEqual(read.Labels, c.Labels) || !reflect.DeepEqual(read.KPosterior, c.KPosterior) {
		t.Errorf("%d rows of columns %q, K %d", read.Len(), read.Columns(), read.K)
	}
	here, there := must.M1(c.Predict(t.Context(), points, nil)), must.M1(read.Predict(t.Context(), points, nil))
	if !reflect.DeepEqual(here, there) || !reflect.DeepEqual(here.Labels, c.Labels) {
		t.Errorf("predictions %v and %v", here.Labels, there.Labels)
	}
	if !strings.Contains(strings.Join(there.Warnings, "\n"), "the chains of the clustering ") {
		t.Errorf("doubtful clusters predict with the warnings %q", there.Warnings)
	}
	var fault *gfncp.Error
	_, err := read.Predict(t.Context(), points, &gfncp.Options{Model: "mog-ncp"})
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), "needs none") {
		t.Errorf("a table's clustering took a model: %v", err)
	}
	if _, err = read.Predict(t.Context(), points, &gfncp.Options{Backend: "gpu"}); !errors.As(err, &fault) {
		t.Errorf("a table's clustering took a backend that does not exist: %v", err)
	}
}

// The zero values are empty: what needs points or a clustering says so.
func TestZeroValues(t *testing.T) {
	points, c := new(gfncp.Points), new(gfncp.Clustering)
	if points.Len() != 0 || points.Labels() != nil || c.Len() != 0 || c.Columns() != nil {
		t.Error("the zero values hold something")
	}
	some := must.M1(gfncp.NewPoints([]float64{1, 2, 3}, 3))
	_, drawn := c.Drawn()
	_, predicted := c.Predict(t.Context(), some, nil)
	_, read := c.ReadPoints("examples/points.csv", nil)
	if _, err := new(clustering.TableFit).Predict(some.Input().Table()); err == nil {
		t.Error("no clustering of a table predicts")
	}
	for i, err := range []error{drawn, predicted, read, c.Use(nil), c.Save(filepath.Join(t.TempDir(), "c.json"))} {
		if err == nil || !strings.Contains(err.Error(), "no clustering is given; make one by Cluster or Read") {
			t.Errorf("method %d of no clustering: %v", i, err)
		}
	}
}

// Points stay as they are, whoever clusters them: one value serves the mixture and networks, side by side.
func TestPointsDoNotChange(t *testing.T) {
	points, _ := circles()
	before := *points.Input()
	var wait sync.WaitGroup
	models := []string{"", "mog-ncp"}
	answers := make([]string, 2*len(models))
	for i := range answers {
		wait.Go(func() {
			o := gfncp.DefaultOptions()
			o.Model, o.Samples = models[i%2], 5
			c := must.M1(gfncp.Cluster(t.Context(), points, o))
			answers[i] = fmt.Sprint(c.Labels, c.LogProb)
		})
	}
	wait.Wait()
	for i := range models {
		if answers[i] != answers[i+2] {
			t.Errorf("answer %d differs from %d", i, i+2)
		}
	}
	if after := *points.Input(); !reflect.DeepEqual(before, after) {
		t.Error("clustering has changed the points")
	}
}
