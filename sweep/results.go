package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/metrics"
)

// Results makes a table of the states of the plan's jobs. A note has the number of jobs that are not done.
func (s *Sweep) Results(states []State, made table.Provenance) *table.Table {
	r := results{plan: s.Plan, tested: map[int]evaluation.Tested{}}
	for i, state := range states {
		if state.Status == Done {
			r.tested[s.Plan.Jobs[i].N] = *state.Tested
		}
	}
	t := &table.Table{
		ID: "sweep-" + s.Plan.Name, Title: cmp.Or(s.Plan.Title, "Sweep "+s.Plan.Name), Caption: s.Plan.Question,
		Provenance: made,
	}
	t.Cells, t.Footnotes = r.cells(), r.notes()
	return t
}

// results are the numbers of a plan's jobs that are done, by Job.N.
type results struct {
	plan   *Plan
	tested map[int]evaluation.Tested
}

func (r results) cells() (cells []table.Cell) {
	for _, set := range r.plan.Settings {
		for _, metric := range evaluation.MetricsOf(r.plan.Metrics...) {
			if cell, ok := r.cell(set, metric); ok {
				cells = append(cells, cell)
			}
		}
	}
	return cells
}

// cell is a metric of a setting over its seeds; ok is false for a metric that the model does not have.
func (r results) cell(set Setting, metric evaluation.Metric) (cell table.Cell, ok bool) {
	cell = table.Cell{Data: set.Data, Model: set.Label, Metric: metric.Name, Scale: r.plan.Scale}
	var values, seconds []float64
	for i, n := range set.Jobs {
		if !metric.Has(r.plan.Jobs[n-1].Config.Model) {
			return cell, false
		}
		tested, done := r.tested[n]
		if !done {
			continue
		}
		values, seconds = append(values, metric.Of(tested.Scores)), append(seconds, tested.Result.Seconds)
		cell.Seeds = append(cell.Seeds, r.plan.Seeds[i])
		cell.Steps, cell.TestSets, cell.Backend = tested.Result.Steps, tested.Scores.Sets, tested.Result.Backend
	}
	if len(values) == 0 {
		cell.Note = "not done"
		return cell, true
	}
	cell.Selection = "lowest validation loss"
	cell.Ours, cell.Seconds = table.MeanOf(values), stat.Mean(seconds, nil)
	if len(values) < len(set.Jobs) {
		cell.Note = fmt.Sprintf("%d of %d seeds", len(values), len(set.Jobs))
	}
	return cell, true
}

func (r results) notes() (notes []string) {
	if missing := len(r.plan.Jobs) - len(r.tested); missing > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d trainings are not done.", missing, len(r.plan.Jobs)))
	}
	if len(r.plan.Seeds) == 1 {
		notes = append(notes, "One seed: how much of a difference is chance is not known.")
	}
	if slices.ContainsFunc(r.plan.Settings, func(s Setting) bool { return r.unlike(s.Data) }) {
		notes = append(notes, "Settings whose data.fixed_k, data.dim or data.sigma_* differ are tested on different "+
			"sets, so that no difference is given; test.fixed_k gives all the same number of clusters.")
	}
	notes = append(notes, r.comparisons()...)
	if len(r.plan.Set) > 0 {
		notes = append(notes, fmt.Sprintf("All settings change the configuration of scale %s: %s.", r.plan.Scale,
			strings.Join(r.plan.Set, ", ")))
	}
	return notes
}

// differences subtracts a metric of setting b from the same metric of setting a, for each seed that both have finished.
func (r results) differences(a, b Setting, metric evaluation.Metric) (values []float64) {
	for i := range a.Jobs {
		of, doneA := r.tested[a.Jobs[i]]
		from, doneB := r.tested[b.Jobs[i]]
		if doneA && doneB {
			values = append(values, metric.Of(of.Scores)-metric.Of(from.Scores))
		}
	}
	return values
}

// unlike reports whether the settings on a data set have different test sets, so that their scores cannot be compared.
func (r results) unlike(data string) bool {
	var sets []evaluation.Test
	for _, s := range r.plan.Settings {
		if s.Data == data {
			sets = append(sets, r.plan.Jobs[s.Jobs[0]-1].Test)
		}
	}
	return slices.ContainsFunc(sets, func(t evaluation.Test) bool { return t != sets[0] })
}

// comparisons tells in a sentence for each setting how it differs from the first one on its data, with standard errors
// over seeds. A single seed has no error, so there is no sentence.
func (r results) comparisons() (sentences []string) {
	for _, set := range r.plan.Settings {
		first := slices.IndexFunc(r.plan.Settings, func(s Setting) bool { return s.Data == set.Data })
		base := r.plan.Settings[first]
		if base.Label == set.Label || r.unlike(set.Data) {
			continue
		}
		var parts []string
		seeds := 0
		for _, metric := range evaluation.MetricsOf(r.plan.Metrics...) {
			model := func(s Setting) string { return r.plan.Jobs[s.Jobs[0]-1].Config.Model }
			if !metric.Has(model(set)) || !metric.Has(model(base)) {
				continue
			}
			if values := r.differences(set, base, metric); len(values) > 1 {
				seeds = len(values)
				mean, std := metrics.Summary(values)
				parts = append(parts, fmt.Sprintf("%s %+.3g ± %.2g", metric.Name, mean, std/math.Sqrt(float64(seeds))))
			}
		}
		if len(parts) > 0 {
			sentences = append(sentences, fmt.Sprintf("%s − %s (%s), means of %d seeds ± standard error: %s.",
				set.Label, base.Label, set.Data, seeds, strings.Join(parts, ", ")))
		}
	}
	return sentences
}
