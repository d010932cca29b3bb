package clustering

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/engine/enginetest"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/models"
)

// gaussianNet is an untrained network whose energies start as those of Gaussian clusters.
var gaussianNet = sync.OnceValue(func() *models.Network {
	c := models.Config{
		Dim: 2, Hidden: 8, Embed: 8, Global: 8, Extended: true,
	}
	return must.M1(models.NewNetwork(enginetest.Go(), c, c.Init(rand.New(rand.NewPCG(6, 0)))))
})

// blobs are n points, in turn of clusters of width 1 at the given places.
func blobs(n int, places ...[2]float64) (x []float32, labels []int32) {
	rng := rand.New(rand.NewPCG(8, 0))
	for i := range n {
		at := places[i%len(places)]
		x = append(x, float32(at[0]+rng.NormFloat64()), float32(at[1]+rng.NormFloat64()))
		labels = append(labels, int32(i%len(places)))
	}
	return x, labels
}

func subsetOptions() Options {
	o := testOptions()
	o.subset, o.Samples, o.Scale = 100, 20, 1
	return o
}

// Points beyond the subset are where Predict puts them, the others where their samples are. The samples are of the
// subset alone.
func TestSubsetLaws(t *testing.T) {
	const n = 700
	x, _ := blobs(n, [2]float64{-8, 0}, [2]float64{0, 9}, [2]float64{9, -5})
	o := subsetOptions()
	r := must.M1(Cluster(t.Context(), gaussianNet(), known(), x, n, 2, o))
	s := r.Subset
	if k := int(slices.Max(r.Labels)) + 1; k != r.K || len(r.Labels) != n || r.Uncertainty != nil {
		t.Errorf("%d labels of %d clusters, K = %d, %d uncertainties", len(r.Labels), k, r.K, len(r.Uncertainty))
	}
	if len(s.Points) != 100 || !slices.IsSorted(s.Points) || len(slices.Compact(slices.Clone(s.Points))) != 100 ||
		s.Points[0] < 0 || s.Points[99] >= n {
		t.Errorf("subset %+v", s)
	}
	f := r.Network
	again := Options{Samples: s.Samples, Seed: o.Seed}
	p := must.M1(Predict(t.Context(), gaussianNet(), known(), f, x, n, 2, again))
	counted, none := make([]int, r.K), 0
	for i, row := range r.Probabilities {
		near(t, "sum", floats.Sum(row), 1, 1e-12)
		near(t, "own", float64(r.Probability[i]), row[ColumnOf(r.Labels[i], r.K)], 1e-6)
		at, sampled := slices.BinarySearch(s.Points, i)
		if sampled {
			counted[r.Labels[i]]++
			if f.Labels[at] != r.Labels[i] {
				t.Errorf("point %d of the subset has label %d, and %d", i, f.Labels[at], r.Labels[i])
			}
			continue
		}
		if r.Labels[i] != p.Labels[i] {
			t.Errorf("point %d has label %d, predicted %d", i, r.Labels[i], p.Labels[i])
		}
		for j, v := range p.Probabilities[i] {
			near(t, "predicted", row[j], v, 1e-6)
		}
		if p.Labels[i] == None {
			none++
		}
	}
	if slices.Min(counted) == 0 || none != s.None || s.Samples != 20 {
		t.Errorf("clusters of %v, %d in none, %d told, %d samples", counted, none, s.None, s.Samples)
	}
	draws := 0
	for _, sample := range r.Samples {
		if draws += sample.Count; len(sample.Labels) != 100 {
			t.Errorf("a sample of %d points", len(sample.Labels))
		}
	}
	if draws != 20 {
		t.Errorf("%d samples", draws)
	}
}

// The more points and clusters, the fewer draws place the others.
func TestDrawsFor(t *testing.T) {
	for _, c := range [][3]int{{1_000_000, 12, 0}, {100_000, 9, 20}, {1_000_000, 9, 2}} {
		if got := drawsFor(c[0], c[1]); got != c[2] {
			t.Errorf("%d draws of %d clusters for %d points, want %d", got, c[1], c[0], c[2])
		}
	}
}

func TestSubsetFaults(t *testing.T) {
	const n = 2001
	x, _ := blobs(n, [2]float64{0, 0})
	x[2*n-1] = float32(math.NaN())
	o := subsetOptions()
	_, err := Cluster(t.Context(), tinyNet(), known(), x, n, 2, o)
	testfiles.WantUserError(t, err, "coordinate 2 of point 2001 is NaN")
	o.CoClustering, x[2*n-1] = true, 0
	_, err = Cluster(t.Context(), tinyNet(), known(), x, n, 2, o)
	testfiles.WantUserError(t, err, "CoClustering is not to be had")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Cluster(ctx, tinyNet(), known(), x, n, 2, subsetOptions()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
