package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/train"
)

// ablation is a study that trains on mixtures in many ways and sets them side by side. Ways with the same config share a run,
// also between studies.
type ablation struct {
	id, title, shows string
	built, expect    string
	groups           func(s Scale) []ablationGroup
	metrics          []string  // of a Quality
	measures         []measure // beyond it
	curves           []validationCurve
	notes            func(lab *Lab) []string
}

// ablationGroup is a part of the table, and of the figures: rows that are compared with each other.
type ablationGroup struct {
	Name string        // of the table's data
	File string        // begins the figures' names; may be empty
	Rows []NamedConfig // before the seed is set
}

// ablated is what came of one row.
type ablated struct {
	cellResult
	name     string       // of its runs
	config   train.Config // with the lab's overrides, before the seed is set
	diverged []*train.NonFiniteError
}

func (a ablation) experiment() Experiment {
	return Experiment{
		ID: a.id, Title: a.title, Section: "beyond the paper", Shows: a.shows,
		Built: a.built, Expect: a.expect,
		run:     a.run,
		configs: a.configs,
	}
}

func (a ablation) configs(s Scale) (all []NamedConfig) {
	for _, group := range a.groups(s) {
		for _, row := range group.Rows {
			all = append(all, NamedConfig{group.Name + ", " + row.Name, row.Config})
		}
	}
	return all
}

// ablation is how a method is trained in an ablation: in less time than for the tables, since there are many rows.
func (s Scale) ablation(m method) train.Config {
	c := s.config(mogData, m, 0)
	switch s {
	case Smoke:
		c.Data.Batch, c.Data.NMin, c.Data.NMax = 4, 10, 20
		c.Train.Steps, c.Train.ValidEvery, c.Train.CheckpointEvery = 30, 10, 30
	case Small:
		c.Data = smallSets(c.Data)
		c.Train.Steps, c.Train.ValidEvery = 300, 50
	}
	if m.Start == warm {
		c.Train.WarmupSteps = c.Train.Steps / 2
	}
	return c
}

// ablationTest is where every row is judged. At the smaller scales its sets are about as large as those of the training.
func (s Scale) ablationTest() evaluation.Test {
	t := s.test(mogData, 0)
	if points := map[Scale]int{Smoke: 20, Small: 50}[s]; points > 0 {
		t.Data.NMin, t.Data.NMax = points, points
	}
	return t
}

func (a ablation) run(ctx context.Context, lab *Lab) (*Product, error) {
	p := &Product{Table: &table.Table{ID: a.id, Title: a.title, Caption: a.shows, Provenance: lab.Provenance}}
	alone, failed := lab.aloneNote(ctx)
	p.Table.Footnotes = append(append(p.Table.Footnotes, a.notes(lab)...), alone...)
	for _, group := range a.groups(lab.Scale) {
		var results []ablated
		for _, row := range group.Rows {
			lab.say("%s: %s, %s", a.id, group.Name, row.Name)
			r, err := lab.ablate(ctx, row.Config)
			var cells []table.Cell
			if err == nil {
				cells, err = a.cells(ctx, lab, group, row, r)
			}
			if errors.Is(err, train.ErrInterrupted) {
				return nil, err
			}
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s, %s: %w", group.Name, row.Name, err))
				cells, _ = a.cells(ctx, lab, group, row, ablated{}) // they say "failed"
			}
			p.Table.Cells = append(p.Table.Cells, cells...)
			p.Table.Footnotes = append(p.Table.Footnotes, r.divergences(group, row)...)
			results = append(results, r)
		}
		p.Figures = append(p.Figures, a.figures(lab, group, results)...)
	}
	p.Table.Footnotes = append(p.Table.Footnotes, lab.changes()...)
	return p, failed
}

// ablate trains a config under every seed and evaluates it. A seed that diverges is a result, not a failure.
func (l *Lab) ablate(ctx context.Context, c train.Config) (r ablated, err error) {
	if r.config, err = l.overridden(c); err != nil {
		return r, err
	}
	r.name = ablationRun(r.config)
	r.outcomes, r.err = l.seeds(ctx, r.name, r.config, l.Scale.ablationTest())
	r.diverged = divergences(r.err)
	if len(r.outcomes)+len(r.diverged) < l.Seeds && !errors.Is(r.err, errNotTrained) {
		return r, r.err
	}
	return r, nil
}

// ablationRun names the runs of a config. It depends on the config alone, so that the same row of two groups is one run.
func ablationRun(c train.Config) string {
	name := "ablation-" + c.Model
	if c.Model == train.GFNCP {
		name += "-" + cmp.Or(c.Loss.Balance, losses.MC)
	}
	if c.Train.WarmupSteps > 0 {
		name += "-warm"
	}
	return name
}

// divergences lists the runs in a tree of errors that ended because a loss was no longer a number.
func divergences(err error) (found []*train.NonFiniteError) {
	switch e := err.(type) {
	case *train.NonFiniteError:
		return append(found, e)
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			found = append(found, divergences(part)...)
		}
	case interface{ Unwrap() error }:
		return divergences(e.Unwrap())
	}
	return found
}

// divergences are the footnotes about a row's seeds that diverged.
func (r ablated) divergences(group ablationGroup, row NamedConfig) (notes []string) {
	for _, e := range r.diverged {
		notes = append(notes, fmt.Sprintf("%s, %s: seed %d diverged at step %d of %d (loss %g, gradient norm %g).",
			group.Name, row.Name, e.Seed, e.Step, r.config.Train.Steps, e.Loss, e.Norm))
	}
	return notes
}

// cells are a row's numbers, or why there are none.
func (a ablation) cells(ctx context.Context, lab *Lab, group ablationGroup, row NamedConfig, r ablated) (cells []table.Cell, err error) {
	for _, metric := range a.metrics {
		cells = append(cells, r.cell(lab, group.Name, row.Name, metric))
	}
	for _, m := range a.measures {
		cell := r.cell(lab, fmt.Sprintf("%s, N = %d", group.Name, m.Points), row.Name, m.Metric)
		if err := m.fill(ctx, lab, &cell, r); err != nil {
			return nil, err
		}
		cells = append(cells, cell)
	}
	return cells, nil
}

// cell has the mean of a metric over the row's seeds, or why there is none.
func (r ablated) cell(lab *Lab, where, row, metric string) table.Cell {
	cell := table.Cell{Data: where, Model: row, Metric: metric}
	fill(&cell, lab, r.cellResult)
	if len(r.outcomes) == 0 && len(r.diverged) > 0 {
		var steps []string
		for _, e := range r.diverged {
			steps = append(steps, fmt.Sprint(e.Step))
		}
		cell.Note = "diverged, step " + strings.Join(steps, ", ")
	}
	return cell
}
