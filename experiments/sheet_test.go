package experiments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
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
				f.value, f.model = 0.5, "fake"
				return c.err
			})
			s.one(table.Cell{Data: c.d.Name, Model: c.m.Name, Metric: "NMI"}, f, 2)
		}
		return nil
	}}
	lab := &Lab{Scale: Smoke, Only: []string{"mog", "mnist", "ncp", "gfncp"}}
	product, err := e.Reproduce(context.Background(), lab)
	if !errors.Is(err, broken) || !errors.Is(err, sources.ErrMissing) || errors.Is(err, errNotTrained) ||
		strings.Count(err.Error(), "MoG, GFNCP (warm start): broken") != 1 || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("the error is %v", err)
	}
	var notes []string
	for _, c := range product.Table.Cells {
		notes = append(notes, c.Note)
	}
	if got := strings.Join(notes, ", "); got != ", failed, not trained, left out, no data, no data" || begun != 3 {
		t.Errorf("cells say %q; %d were begun", got, begun)
	}
	if first := product.Table.Cells[0]; first.Ours == nil || first.Ours.Mean != 0.5 ||
		first.Scale != "fake" || first.TestSets != 2 {
		t.Errorf("the cell with a number is %+v", first)
	}
	footnotes := strings.Join(product.Table.Footnotes, "\n")
	if strings.Count(footnotes, "No data for MNIST") != 1 ||
		!strings.Contains(footnotes, "Limited to mog, mnist, ncp, gfncp.") {
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
	if product, err = e.Reproduce(context.Background(), lab); product != nil ||
		!errors.Is(err, train.ErrInterrupted) || begun != 1 {
		t.Errorf("interrupted: %v, %v; %d cells begun", product, err, begun)
	}
}

// Footnotes are the paragraphs of a text, each on one line.
func TestNotesAreParagraphs(t *testing.T) {
	e := Experiment{ID: "x", Title: "X", Shows: "notes", run: func(s *sheet) error {
		s.note("one\n\t\tand %d %%\n\n\t\ttwo", 99)
		return nil
	}}
	notes := must.M1(e.Reproduce(context.Background(), &Lab{Scale: Smoke})).Table.Footnotes
	if len(notes) != 2 || notes[0] != "one and 99 %" || notes[1] != "two" {
		t.Errorf("%q", notes)
	}
}

// What a user limits and changes stands in the last footnotes, the changes with the cells that they are of.
func TestNotesOfChanges(t *testing.T) {
	e := Experiment{ID: "x", Title: "X", Shows: "notes", run: func(*sheet) error { return nil }}
	lab := &Lab{Scale: Smoke, Only: []string{"mog", "ncp"}, Overrides: []string{"train.steps=3"}}
	notes := must.M1(e.Reproduce(context.Background(), lab)).Table.Footnotes
	want := []string{"Limited to mog, ncp.", "Changed from the scale's own setting of mog, ncp: train.steps=3."}
	if !slices.Equal(notes, want) {
		t.Errorf("%q, want %q", notes, want)
	}
}
