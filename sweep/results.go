package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/report/table"
)

func (p *Plan) title() string { return cmp.Or(p.Title, "Sweep "+p.Name) }

// Results makes a table and a figure of the states of the plan's jobs. A note has the number of jobs that are not done.
// There is no figure before the first job is done.
func (s *Sweep) Results(states []State, made table.Provenance) *table.Table {
	r := results{plan: s.Plan, tested: map[int]evaluation.Tested{}}
	for i, state := range states {
		if state.Status == Done {
			r.tested[s.Plan.Jobs[i].N] = *state.Tested
		}
	}
	t := &table.Table{
		ID: "sweep-" + s.Plan.Name, Title: s.Plan.title(), Caption: s.Plan.Question, Provenance: made,
	}
	t.Cells = r.cells()
	t.Footnotes = append(r.markBest(t.Cells), r.notes()...)
	t.Figures = r.figures(t.Cells)
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
	cell = table.Cell{Data: set.Test, Model: set.Label, Metric: metric.Name, Scale: r.plan.Scale}
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
	cell.Ours, cell.Seconds = table.MeanOf(values), table.Number(stat.Mean(seconds, nil))
	if len(values) < len(set.Jobs) {
		cell.Note = fmt.Sprintf("%d of %d seeds", len(values), len(set.Jobs))
	}
	return cell, true
}

// markBest notes the best of each test and metric among at least two settings with all seeds, and each that does not
// differ from it by two standard errors or in print, if all have the same test sets. It returns a sentence for each
// test on the plan's own metric, and a sentence that explains the note.
func (r results) markBest(cells []table.Cell) (sentences []string) {
	settings := map[[2]string]Setting{}
	for _, set := range r.plan.Settings {
		settings[[2]string{set.Test, set.Label}] = set
	}
	complete := func(c *table.Cell) bool { return len(c.Seeds) == len(r.plan.Seeds) }
	table.Contests(cells, complete, func(top *table.Cell, rivals []*table.Cell) {
		if r.unlike(top.Data) {
			return
		}
		metric, best := evaluation.MetricsOf(top.Metric)[0], settings[[2]string{top.Data, top.Model}]
		var names []string
		for _, c := range rivals {
			d := r.difference(best, settings[[2]string{c.Data, c.Model}], metric)
			if table.PrintedMean(c) == table.PrintedMean(top) || d.Seeds > 1 && !d.real() {
				c.Note = "best"
				names = append(names, c.Model)
			}
		}
		if top.Metric == r.plan.Metric {
			sentences = append(sentences, fmt.Sprintf("Best %s on %s: %s (%s).", top.Metric, top.Data,
				strings.Join(names, "; "), table.FormatValue(top.Metric, top.Ours, false)))
		}
	})
	if sentences != nil {
		sentences = append(sentences,
			`"best": the best mean, or a mean that does not differ from it by two standard errors.`)
	}
	return sentences
}

func (r results) notes() (notes []string) {
	if missing := len(r.plan.Jobs) - len(r.tested); missing > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d trainings are not done.", missing, len(r.plan.Jobs)))
	}
	if len(r.plan.Seeds) == 1 {
		notes = append(notes, "One seed: how much of a difference is chance is not known.")
	}
	if slices.ContainsFunc(r.plan.Settings, func(s Setting) bool { return r.unlike(s.Test) }) {
		notes = append(notes, "Settings whose data.fixed_k, data.dim or data.sigma_* differ are tested on different "+
			"sets, so that no best and no difference is given; test.fixed_k gives all the same number of clusters.")
	}
	notes = append(notes, r.differences()...)
	if len(r.plan.Set) > 0 {
		notes = append(notes, fmt.Sprintf("All settings change the configuration of scale %s: %s.", r.plan.Scale,
			strings.Join(r.plan.Set, ", ")))
	}
	return notes
}

// figures draws the cells over one or two axes; with more axes there is no figure.
func (r results) figures(cells []table.Cell) []table.Figure {
	values := map[[3]string]table.Value{}
	has := map[string]bool{} // a value, by metric
	for _, c := range cells {
		if c.Ours != nil && figure.Finite(c.Ours.Mean) {
			values[[3]string{c.Data, c.Model, c.Metric}], has[c.Metric] = *c.Ours, true
		}
	}
	shown := slices.DeleteFunc(slices.Clone(r.plan.Metrics), func(metric string) bool { return !has[metric] })
	if len(shown) == 0 || len(r.plan.Axes) > 2 {
		return nil
	}
	return []table.Figure{r.panels(shown, values)}
}

// panels draws one panel per metric, over one axis; the places of the other axis are lines. The values are by test,
// label and metric.
func (r results) panels(shown []string, values map[[3]string]table.Value) table.Figure {
	along, across := r.along()
	axis := r.plan.Axes[along]
	chart := &figure.Chart{Title: r.plan.title(), Columns: min(2, len(shown))}
	caption := "Means over seeds by " + axis.Name
	if len(r.plan.Seeds) == 1 {
		caption = "One seed, by " + axis.Name
	}
	if across >= 0 {
		caption += ", a line for each " + r.plan.Axes[across].Name
	}
	if len(r.plan.Seeds) > 1 {
		caption += "; bars are one standard deviation to either side"
	}
	for _, metric := range shown {
		panel := figure.Panel{XLabel: axis.Name, YLabel: metric, LogX: wide(axis.Numbers)}
		if len(axis.Numbers) == 0 {
			panel.Places = axis.Labels
		}
		for i, name := range r.lines(across) {
			s := figure.Series{Name: name, Color: i, Mark: figure.Dotted}
			if panel.Places != nil {
				s.Mark = figure.Dots
			}
			panel.Series = append(panel.Series, s)
		}
		for _, set := range r.plan.Settings {
			line := 0
			if across >= 0 {
				line = set.At[across]
			}
			v, ok := values[[3]string{set.Test, set.Label, metric}]
			if !ok {
				continue
			}
			x := float64(set.At[along])
			if len(axis.Numbers) > 0 {
				x = axis.Numbers[set.At[along]]
			}
			s := &panel.Series[line]
			s.X, s.Y, s.Std = append(s.X, x), append(s.Y, v.Mean), append(s.Std, v.Spread())
		}
		chart.Panels = append(chart.Panels, panel)
	}
	return table.Figure{Caption: caption + ".", Picture: chart}
}

// wide reports whether numbers are positive and span a factor above 50, so that a logarithmic axis suits them.
func wide(numbers []float64) bool {
	return len(numbers) > 0 && slices.Min(numbers) > 0 && slices.Max(numbers) > 50*slices.Min(numbers)
}

// along returns the horizontal axis of a picture, a numeric one if possible, then the longer one; and the other axis,
// or -1.
func (r results) along() (along, across int) {
	axes := r.plan.Axes
	if len(axes) == 1 {
		return 0, -1
	}
	rank := func(a Axis) int { return 1000*min(1, len(a.Numbers)) + len(a.Labels) }
	if rank(axes[1]) > rank(axes[0]) {
		return 1, 0
	}
	return 0, 1
}

// lines returns the names of the lines: the places of an axis.
func (r results) lines(axis int) []string {
	if axis < 0 {
		return []string{""}
	}
	a := r.plan.Axes[axis]
	if !a.Key {
		return a.Labels
	}
	var names []string
	for _, label := range a.Labels {
		names = append(names, a.Name+" = "+label)
	}
	return names
}
