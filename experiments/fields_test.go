package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/train"
)

// Every field of a kept evaluation arrives in its own cell of a table, and in its JSON, beside what belongs to it
// alone.
func TestQualityIntoTable(t *testing.T) {
	fake := evaluation.Quality{
		Sets: 7, NMI: 0.101, ARI: 0.202, MC: 303.3, MCEps: 40.44, MCLast: 5.055,
		LogProb: -66.6, Clusters: 7.7, Truth: 8.8,
	}
	c := Smoke.config(mogData, ncp, 0)
	shipped := &train.Model{Config: c, Card: train.Card{Name: "mog-ncp", Steps: 11, Seconds: 13}}
	lab := &Lab{
		Runs: t.TempDir(), Scale: Smoke, Seeds: 1, Train: TrainNever, Only: []string{"mog", "ncp"}, BackendName: "fake",
		Shipped: func(name string) (*train.Model, bool) { return shipped, name == "mog-ncp" },
	}
	ready, _, err := lab.ready(mogData, ncp, 0)
	must.M(err)
	must.M1(cached.Value(ready.dir, Smoke.test(mogData, 0), func() (evaluation.Quality, error) { return fake, nil }))
	published := publishedKey{publishedTest(Smoke.test(mogData, 0))}
	must.M1(cached.Value(ready.dir, published, func() (float64, error) { return 6.06, nil }))
	product := must.M1(table3.Reproduce(context.Background(), lab))
	var text bytes.Buffer
	must.M(product.Table.JSON(&text))
	var written struct {
		Cells []struct {
			Data, Model, Metric, Scale, Backend, Note string
			Steps, TestSets                           int `json:"-"`
			Ours                                      *struct{ Mean float64 }
		}
	}
	must.M(json.Unmarshal(text.Bytes(), &written))
	want := map[string]float64{
		"NMI": 0.101, "ARI": 0.202, "MC": 303.3, "MC_eps": 40.44, "MC_last": 5.055, publishedMC: 6.06,
	}
	for i, cell := range written.Cells {
		if cell.Data != "MoG" || cell.Model != "NCP" {
			if cell.Ours != nil || cell.Note != "left out" {
				t.Errorf("cell %+v was not asked for", cell)
			}
			continue
		}
		inMemory := product.Table.Cells[i]
		if cell.Ours == nil || cell.Ours.Mean != want[cell.Metric] || cell.Scale != "mog-ncp" ||
			cell.Backend != "fake" ||
			inMemory.Steps != 11 || inMemory.TestSets != 7 || inMemory.Seconds != 13 {
			t.Errorf("cell %+v, %+v, want %g", cell, inMemory, want[cell.Metric])
		}
		delete(want, cell.Metric)
	}
	if len(want) > 0 {
		t.Errorf("no cells of %v", want)
	}
}

// A property of table 1 holds at its bound and not beyond it.
func TestPropertyBounds(t *testing.T) {
	for i, want := range []struct {
		name         string
		holds, lacks float64
	}{
		{"order invariance", 0.99, 0.9899},
		{"unlimited components", 20, 19.95},
		{"arbitrary likelihood", 0.01, 0.0099},
		{"assignment probability", 0.01, 0.0101},
		{"well-defined posterior", 0.05, 0.0501},
	} {
		if p := properties[i]; p.name != want.name || !p.holds(want.holds) || p.holds(want.lacks) {
			t.Errorf("%s: %g holds: %v, %g holds: %v", p.name, want.holds,
				p.holds(want.holds), want.lacks, p.holds(want.lacks))
		}
	}
}

// The number of test sets and of their points at each scale: the paper's, and those that the footnotes name.
func TestTestSizes(t *testing.T) {
	features := dataset{Name: "IN50", Source: "in50", Alpha: 1, Paper: "IN50", Features: true}
	for _, want := range []struct {
		scale        Scale
		data         dataset
		sets, points int
	}{
		{Smoke, mogData, 16, 40},
		{Smoke, mnistData, 16, 40},
		{Smoke, features, 16, 40},
		{Small, mogData, 30, 300},
		{Small, mnistData, 30, 300},
		{Small, features, 300, 50},
		{Paper, mogData, 3000, 300},
		{Paper, fashionData, 10000, 300},
		{Paper, features, 2500, 50},
	} {
		test := want.scale.test(want.data, 0)
		if test.Sets != want.sets || test.Data.NMin != want.points || test.Data.NMax != want.points ||
			test.Seed != testSeed {
			t.Errorf("%s at %s: %+v, want %d sets of %d points", want.data.Name,
				want.scale, test, want.sets, want.points)
		}
	}
}
