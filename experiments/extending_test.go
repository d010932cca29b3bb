package experiments

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/evaluation"
)

// The file of a new table: what it compares on which data, and what a reader learns. The line `bounds,` in `registry`
// (registry.go) makes it known to list, describe, reproduce, report and the completion of shells.
var bounds = qualityTable{
	grid{sets: on(mogData), methods: []method{
		{Name: "Gibbs", Reference: evaluation.Gibbs},
		{Name: "Oracle", Reference: evaluation.Oracle},
	}},
	func(s *sheet) { s.note("Nothing is trained: both know how the data were made.") },
}.experiment(Experiment{
	ID: "bounds", Title: "What can be reached on mixtures", Section: "beyond the paper",
	Shows:  "how well a sampler that knows the prior, and an oracle that knows the mixture, cluster its draws",
	Built:  "MoG for Gibbs sampling and the oracle",
	Expect: "every scale: seconds",
})

// A new table is found, computed and checked by its line in the list alone.
func TestExtendingTables(t *testing.T) {
	before := registry
	t.Cleanup(func() { registry = before })
	registry = append(slices.Clone(registry), bounds)

	e := must.M1(Find("bounds"))
	product := must.M1(e.Reproduce(context.Background(),
		&Lab{Scale: Smoke, Seeds: 1, Runs: t.TempDir(), Train: TrainNever}))
	must.M(product.Table.Check())
	rows := map[string]float64{}
	for _, c := range product.Table.Cells {
		if c.Ours != nil {
			rows[c.Model+" "+c.Metric] = c.Ours.Mean
		}
	}
	if rows["Oracle NMI"] < 0.8 || rows["Oracle NMI"] > 1 || rows["Gibbs ARI"] < 0.6 || rows["Gibbs ARI"] > 1 {
		t.Errorf("the table holds %v", rows)
	}
	if text := product.Table.MarkdownPivot("NMI"); !strings.Contains(text, "| Data | Metric | Gibbs | Oracle |") {
		t.Error(text)
	}
}
