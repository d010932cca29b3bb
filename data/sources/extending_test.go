package sources_test

import (
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
)

// A new source is one descriptor: here a synthetic one of three far apart classes of vectors on a circle. With
// Mirrors and Files in place of Derive it would be a data set of images that gfncp data fetches and verifies.
func init() {
	data.Register(data.Descriptor{
		Name: "circle", Title: "three groups on a circle", Licence: "none needed", Home: "computed", Synthetic: true,
		Shape: data.Vectors, Dim: 2, TrainClasses: 3, TestClasses: 3, Train: 90, Test: 90,
		Alpha: 1, Factor: 1, NMin: 5, NMax: 30, TestPoints: 30,
		Derive: func(_, split string) (*data.Pool, error) {
			corners := [][2]float32{{0, 1}, {0.87, -0.5}, {-0.87, -0.5}}
			p := &data.Pool{Name: "circle/" + split, D: 2, Classes: []string{"top", "right", "left"}}
			for i := range 90 {
				at := corners[i%3]
				p.X = append(p.X, at[0]+float32(i)/1000, at[1])
				p.Labels = append(p.Labels, int32(i%3))
			}
			return p, nil
		},
	})
}

// The registered source has a default config, loads, and gives batches: `gfncp train --data circle` works, and so do
// `gfncp data list` and eval.
func TestExtendingSources(t *testing.T) {
	c := data.Default("circle")
	must.M(c.Validate())
	if pool := must.M1(sources.Load("", "circle", data.SplitTest)); pool.Len() != 90 || pool.D != 2 {
		t.Errorf("a pool of %d points with %d coordinates", pool.Len(), pool.D)
	}
	held := c.HeldOut(1, 20, 0)
	batch := must.M1(must.M1(sources.Source(held)).Batch(1, 0))
	if batch.B != held.Batch || batch.N != 20 || batch.D != 2 {
		t.Errorf("a batch of %d sets of %d points in %d dimensions", batch.B, batch.N, batch.D)
	}
}
