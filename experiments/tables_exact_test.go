package experiments

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/experiments/tablesets"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/metrics"
)

// Exact sampling needs no weights: its cells hold the agreement of what clustering.Exact finds. A set beyond its limits
// is left out, with the reason.
func TestTablesOfExact(t *testing.T) {
	sets := must.M1(tablesets.Shipped(1))
	sets[0] = must.M1(sets[0].Standardized())
	many := tablesets.Set{Name: "many", D: 1}
	for i := range clustering.MaxRefined + 1 {
		many.X, many.Labels = append(many.X, float64(i)), append(many.Labels, int32(i%2))
	}
	sets = append(sets, many)
	s := &sheet{Lab: tablesLab(t), ctx: context.Background()}
	s.Table = &table.Table{}
	v := s.exactTables(sets)
	if v.err != nil || s.failed != nil || v.of[0] == nil || v.of[1] != nil {
		t.Fatalf("verdicts %+v of %v, %v", v.of, v.err, s.failed)
	}
	o := clustering.DefaultOptions()
	o.Refine = smokeSweeps
	r := must.M1(clustering.Exact(t.Context(), sets[0].X, sets[0].N(), sets[0].D, o))
	if want := must.M1(metrics.ARI(sets[0].Labels, r.Labels)); v.of[0].ARI != want || v.of[0].K != float64(r.K) ||
		v.of[0].Seconds <= 0 || v.own[0].Unsettled == r.Refinement.Agrees() {
		t.Errorf("%+v, want ARI %g and K %d", v.of[0], want, r.K)
	}
	notes := strings.Join(s.Table.Footnotes, "\n")
	if !strings.Contains(notes, "not computed on many: there is no co-clustering matrix of 5001 points") ||
		!strings.Contains(notes, " of 1 sets the chains") {
		t.Errorf("footnotes:\n%s", notes)
	}
	s.tablesCells([]tablesGroup{allOf(sets), {"many", []int{1}, setNumbers}}, []verdicts{v})
	for _, c := range s.Table.Cells {
		if want := map[string]string{"mean of 2 sets": "1 of 2 sets", "many": "not computed"}[c.Data]; c.Note != want {
			t.Errorf("%+v, want the note %q", c, want)
		}
	}
}

// An answer that was kept is not that of another version of the method, of other options or another set.
func TestKeptExactAnswersKnowTheMethod(t *testing.T) {
	dir, o := t.TempDir(), clustering.DefaultOptions()
	set, other := tablesets.Set{Name: "a"}, clustering.DefaultOptions()
	other.Refine = smokeSweeps
	computed := 0
	for _, key := range [][]any{
		exactKey(1, o, set), exactKey(1, o, set), exactKey(2, o, set), exactKey(1, other, set),
		exactKey(1, o, tablesets.Set{Name: "b"}),
	} {
		must.M1(kept(dir, key, func() (int, error) { computed++; return computed, nil }))
	}
	if computed != 4 {
		t.Errorf("4 different answers of 5 were computed %d times", computed)
	}
}

// Exact sampling has calibrated probabilities, but no log p of given labels: that cell stays empty.
func TestTablesOfExactHaveNoLogP(t *testing.T) {
	s := &sheet{}
	s.Table = &table.Table{}
	bins := []metrics.ReliabilityBin{{Low: 0, High: 0.1, Weight: 1, Predicted: 0.05, Observed: 0.25}}
	answers := []*tableAnswer{{Bins: bins}, {Bins: bins}}
	s.ownCells("all", exactTable, answers)
	logP := -1.5
	answers[0].LogProb, answers[1].LogProb = &logP, &logP
	s.ownCells("all", "table", answers)
	var got []string
	for _, c := range s.Table.Cells {
		got = append(got, c.Model+" "+c.Metric)
	}
	want := []string{exactTable + " ECE", "table ECE", "table log p a point"}
	if !slices.Equal(got, want) || s.Table.Cells[2].Ours.Mean != logP {
		t.Errorf("%v, want %v", got, want)
	}
}
