package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/train"
)

// Why a cell stays empty is said in it; what failed is in the error once, and what was interrupted leaves no table
// and begins no further cell.
func TestSheetKnowsWhatWentWrong(t *testing.T) {
	t.Setenv(sources.DirEnv, t.TempDir())
	broken := errors.New("broken")
	begun := 0
	e := Experiment{ID: "x", Title: "X", Shows: "what happens", run: func(s *sheet) error {
		for _, c := range []struct {
			d   dataset
			m   method
			err error
		}{
			{mogData, ncp, nil},
			{mogData, warmGFNCP, broken},
			{mogData, coldGFNCP, fmt.Errorf("seed 1: %w", errNotTrained)},
			{mogData, dacMin, nil},
			{mnistData, ncp, nil},
			{mnistData, warmGFNCP, nil},
		} {
			f := measure(s, c.d, c.m, func(f *measurement[float64]) error {
				begun++
				f.value, f.by, f.sets = 0.5, weights{name: "fake"}, 2
				return c.err
			})
			s.add(table.Cell{Data: c.d.Name, Model: c.m.Name},
				scored(f, func(v float64) evaluation.Scores { return evaluation.Scores{"NMI": v} }), "NMI")
		}
		return nil
	}}
	lab := &Lab{Scale: Smoke, Only: []string{"*-ncp", "*-gfncp*"}}
	product, err := e.Reproduce(t.Context(), lab)
	if !errors.Is(err, broken) || !errors.Is(err, sources.ErrMissing) || errors.Is(err, errNotTrained) ||
		strings.Count(err.Error(), "MoG, GFNCP (warm start): broken") != 1 || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("the error is %v", err)
	}
	var notes []string
	for _, c := range product.Cells {
		notes = append(notes, c.Note)
	}
	if got := strings.Join(notes, ", "); got != ", failed, not trained, left out, no data, no data" || begun != 3 {
		t.Errorf("cells say %q; %d were begun", got, begun)
	}
	if first := product.Cells[0]; first.Ours == nil || first.Ours.Mean != 0.5 ||
		first.Scale != "fake" || first.TestSets != 2 {
		t.Errorf("the cell with a number is %+v", first)
	}
	footnotes := strings.Join(product.Footnotes, "\n")
	if strings.Count(footnotes, "No data for MNIST") != 1 ||
		!strings.Contains(footnotes, "Limited to *-ncp, *-gfncp*.") {
		t.Errorf("footnotes:\n%s", footnotes)
	}

	begun = 0
	e.run = func(s *sheet) error {
		for range 3 {
			f := measure(s, mogData, ncp,
				func(*measurement[int]) error { begun++; return fmt.Errorf("NCP: %w", train.ErrInterrupted) })
			if !errors.Is(f.err, train.ErrInterrupted) {
				t.Errorf("interrupted, a cell says %v", f.err)
			}
		}
		return nil
	}
	if product, err = e.Reproduce(t.Context(), lab); product != nil ||
		!errors.Is(err, train.ErrInterrupted) || begun != 1 {
		t.Errorf("interrupted: %v, %v; %d cells begun", product, err, begun)
	}
}

// Footnotes are the paragraphs of a text, each on one line. What a user limits and changes stands in the last ones, the
// changes with the cells that they are of.
func TestNotes(t *testing.T) {
	e := Experiment{ID: "x", Title: "X", Shows: "notes", run: func(s *sheet) error {
		s.note("one\n\t\tand %d %%\n\n\t\ttwo", 99)
		return nil
	}}
	lab := &Lab{Scale: Smoke, Only: []string{"mog-ncp"}, Overrides: []string{"train.steps=3"}}
	notes := must.M1(e.Reproduce(t.Context(), lab)).Footnotes
	want := []string{
		"one and 99 %", "two", "Limited to mog-ncp.",
		"Changed from the scale's own setting of mog-ncp: train.steps=3.",
	}
	if !slices.Equal(notes, want) {
		t.Errorf("%q, want %q", notes, want)
	}
}

// Every field of a kept evaluation arrives in its own cell of a table, beside what belongs to it alone.
func TestQualityIntoTable(t *testing.T) {
	fake := evaluation.Quality{
		Sets: 7, NMI: 0.101, ARI: 0.202, MC: 303.3, MCEps: 40.44, MCLast: 5.055,
		LogProb: -66.6, Clusters: 7.7, Truth: 8.8,
	}
	c := Smoke.config(mogData, ncp, 0)
	shipped := &train.Model{Config: c, Card: train.Card{Name: "mog-ncp", Steps: 11, Seconds: 13}}
	lab := &Lab{
		Runs: t.TempDir(), Scale: Smoke, Seeds: 1, Train: TrainNever, Only: []string{"mog-ncp"}, BackendName: "fake",
		Shipped: func(name string) (*train.Model, bool) { return shipped, name == "mog-ncp" },
	}
	ready, _, err := lab.ready(mogData, ncp, 0)
	must.M(err)
	must.M1(cached.Value(ready.dir, Smoke.test(mogData, 0), func() (evaluation.Quality, error) { return fake, nil }))
	published := publishedKey(publishedTest(Smoke.test(mogData, 0)))
	must.M1(cached.Value(ready.dir, published, func() (float64, error) { return 6.06, nil }))
	rule := publishedRuleKey(evaluation.PublishedTest(Smoke.test(mogData, 0).Data), 1)
	must.M1(cached.Value(ready.dir, rule, func() (evaluation.Published, error) {
		return evaluation.Published{NMI: 0.707, ARI: 0.808}, nil
	}))
	want := map[string]float64{
		"NMI": 0.101, "ARI": 0.202, "MC": 303.3, "MC_eps": 40.44, "MC_last": 5.055, publishedMC: 6.06,
		"NMI published": 0.707, "ARI published": 0.808,
	}
	testSets := map[string]int{"NMI published": evaluation.PublishedSets, "ARI published": evaluation.PublishedSets}
	for _, cell := range must.M1(table3.Reproduce(t.Context(), lab)).Cells {
		if cell.Data != "MoG" || cell.Model != "NCP" {
			if cell.Ours != nil || cell.Note != "left out" {
				t.Errorf("cell %+v was not asked for", cell)
			}
			continue
		}
		if cell.Ours == nil || cell.Ours.Mean != want[cell.Metric] || cell.Scale != "mog-ncp" ||
			cell.Backend != "fake" || cell.Steps != 11 || cell.Seconds != 13 ||
			cell.TestSets != cmp.Or(testSets[cell.Metric], 7) {
			t.Errorf("cell %+v, want %g", cell, want[cell.Metric])
		}
		delete(want, cell.Metric)
	}
	if len(want) > 0 {
		t.Errorf("no cells of %v", want)
	}
}

// Outcomes without a score give an empty cell, not 0: a seed that failed leaves out the published evaluation of all.
func TestNoNumberWithoutScore(t *testing.T) {
	s := &sheet{Lab: &Lab{Seeds: 1}, Table: &table.Table{}}
	r := results{value: []outcome{{scores: evaluation.Scores{"NMI": 0.5}}}, err: errNotDrawn}
	s.means(table.Cell{TestSets: 64}, r, "NMI", "NMI published")
	full, empty := s.Table.Cells[0], s.Table.Cells[1]
	if full.Ours == nil || full.Ours.Mean != 0.5 || full.TestSets != 64 {
		t.Errorf("with a score: %+v", full)
	}
	if empty.Ours != nil || empty.Note != errNotDrawn.Error() || empty.TestSets != 0 {
		t.Errorf("without a score: %+v", empty)
	}
}

// Two models are compared set by set: equal differences have no error.
func TestPairedSDPP(t *testing.T) {
	s := &sheet{Table: &table.Table{}}
	values := func(v ...float64) measurement[sdppValues] {
		return measurement[sdppValues]{value: sdppValues{evaluation.DataLabels: v}}
	}
	addPaired(s, mnistData, map[method]measurement[sdppValues]{
		coldGFNCP: values(1, 2, 4), ncp: values(0.5, 1.5, 3.5), freeGFNCP: values(1, 2),
	})
	want := "MNIST, data: SDPP differs by 0.500 ± 0.000 from NCP to GFNCP (paper). " +
		"This is the mean over 3 sets with its standard error."
	if !slices.Equal(s.Table.Footnotes, []string{want}) {
		t.Errorf("footnotes %q", s.Table.Footnotes)
	}
}
