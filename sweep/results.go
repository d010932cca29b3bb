package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/metrics"
)

// TableID is the ID of a sweep's table, the stem of its files.
func (p *Plan) TableID() string { return "sweep-" + p.Name }

// Results reads what the jobs have reached into a table and a figure; it computes nothing, and jobs that are not done
// are said to be missing. There is no figure before the first job is done.
func (s *Sweep) Results(made table.Provenance) (*table.Table, []table.Figure, error) {
	r := results{plan: s.Plan, tested: map[int]experiments.Tested{}}
	for _, j := range s.Plan.Jobs {
		if j.Command != nil {
			continue
		}
		r.trainings++
		tested, done, err := experiments.ReadTested(s.RunDir(j), j.Tests)
		if err != nil {
			return nil, nil, err
		}
		if done {
			r.tested[j.N] = tested
		}
	}
	t := &table.Table{
		ID: s.Plan.TableID(), Title: cmp.Or(s.Plan.Title, "Sweep "+s.Plan.Name), Caption: s.Plan.Question, Provenance: made,
	}
	for _, set := range s.Plan.Settings {
		for _, name := range s.Plan.Metrics {
			metric, _ := evaluation.FindMetric(name)
			if cell, ok := r.cell(set, metric); ok {
				t.Cells = append(t.Cells, cell)
			}
		}
	}
	t.Footnotes = append(r.markBest(t.Cells), r.notes()...)
	return t, r.figures(t.Cells), nil
}

// results are the numbers of a plan's jobs that are done, by Job.N.
type results struct {
	plan      *Plan
	trainings int // among its jobs
	tested    map[int]experiments.Tested
}

// cell is a metric of a setting over its seeds; ok is false for a metric that the model does not have.
func (r results) cell(set Setting, metric evaluation.Metric) (cell table.Cell, ok bool) {
	cell = table.Cell{Data: set.Test, Model: set.Label, Metric: metric.Name, Scale: string(r.plan.Scale)}
	var values, seconds []float64
	for i, n := range set.Jobs {
		if !metric.Has(r.plan.Jobs[n-1].Config.Model) {
			return cell, false
		}
		tested, done := r.tested[n]
		if !done {
			continue
		}
		q := tested.Quality[set.Which]
		values, seconds = append(values, metric.Of(q)), append(seconds, tested.Result.Seconds)
		cell.Seeds = append(cell.Seeds, r.plan.Seeds[i])
		cell.Steps, cell.TestSets, cell.Backend = tested.Result.Steps, q.Sets, tested.Result.Backend
	}
	if len(values) == 0 {
		cell.Note = "not done"
		return cell, true
	}
	cell.Selection = "lowest validation loss"
	mean, std := metrics.Summary(values)
	cell.Ours = &table.Value{Mean: mean, N: len(values)}
	if len(values) > 1 {
		cell.Ours.Std = &std
	}
	cell.Seconds, _ = metrics.Summary(seconds)
	if len(values) < len(set.Jobs) {
		cell.Note = fmt.Sprintf("%d of %d seeds", len(values), len(set.Jobs))
	}
	return cell, true
}

// markBest notes the best of each test and metric, as far as it is printed, among at least two settings with all seeds.
// It returns a sentence for each test on the metric by which the plan compares.
func (r results) markBest(cells []table.Cell) (sentences []string) {
	groups := map[[2]string][]*table.Cell{}
	var tests []string
	for i := range cells {
		c := &cells[i]
		tests = text.AppendNew(tests, c.Data)
		if c.Ours != nil && len(c.Seeds) == len(r.plan.Seeds) {
			group := [2]string{c.Data, c.Metric}
			groups[group] = append(groups[group], c)
		}
	}
	for _, test := range tests {
		for _, name := range r.plan.Metrics {
			rivals := groups[[2]string{test, name}]
			metric, _ := evaluation.FindMetric(name)
			if len(rivals) < 2 || metric.Better == 0 {
				continue
			}
			top := slices.MaxFunc(rivals, func(a, b *table.Cell) int {
				return metric.Better * cmp.Compare(a.Ours.Mean, b.Ours.Mean)
			})
			var names []string
			for _, c := range rivals {
				if printed(c) == printed(top) {
					c.Note = "best"
					names = append(names, c.Model)
				}
			}
			if name == r.plan.Metric {
				sentences = append(sentences, fmt.Sprintf("Best %s on %s: %s (%s).", name, test, strings.Join(names, "; "),
					table.FormatValue(name, top.Ours, false)))
			}
		}
	}
	return sentences
}

// printed is a cell's mean as a reader sees it.
func printed(c *table.Cell) string {
	return table.FormatValue(c.Metric, &table.Value{Mean: c.Ours.Mean}, false)
}

// notes say what the numbers stand on.
func (r results) notes() (notes []string) {
	if missing := r.trainings - len(r.tested); missing > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d trainings are not done.", missing, r.trainings))
	}
	if len(r.plan.Seeds) == 1 {
		notes = append(notes, "One seed: how much of a difference is chance is not known.")
	}
	if len(r.plan.Set) > 0 {
		notes = append(notes, fmt.Sprintf("All settings change the configuration of scale %s: %s.", r.plan.Scale,
			strings.Join(r.plan.Set, ", ")))
	}
	return notes
}
