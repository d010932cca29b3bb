package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/report/table"
)

// figures draws the cells over the axes: small multiples for one or two, parallel coordinates for more.
func (r results) figures(cells []table.Cell) []table.Figure {
	values := map[[3]string]table.Value{}
	has := map[string]bool{} // a value, by metric
	for _, c := range cells {
		if c.Ours != nil && !math.IsNaN(c.Ours.Mean) && !math.IsInf(c.Ours.Mean, 0) {
			values[[3]string{c.Data, c.Model, c.Metric}], has[c.Metric] = *c.Ours, true
		}
	}
	shown := slices.DeleteFunc(slices.Clone(r.plan.Metrics), func(metric string) bool { return !has[metric] })
	if len(shown) == 0 {
		return nil
	}
	of := func(set Setting, metric string) table.Value {
		if v, ok := values[[3]string{set.Test, set.Label, metric}]; ok {
			return v
		}
		return table.Value{Mean: math.NaN()}
	}
	title := cmp.Or(r.plan.Title, "Sweep "+r.plan.Name)
	if len(r.plan.Axes) > 2 {
		return []table.Figure{r.parallel(title, shown, of)}
	}
	return []table.Figure{r.multiples(title, shown, of)}
}

// multiples draws one panel a metric, over one axis; the places of the other axis are lines.
func (r results) multiples(title string, shown []string, of func(Setting, string) table.Value) table.Figure {
	along, across := r.along()
	axis := r.plan.Axes[along]
	p := &plot.Multiples{Title: title, XLabel: axis.Name, Places: axis.Labels, X: axis.Numbers}
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
		panel := plot.Panel{YLabel: metric}
		for _, name := range r.lines(across) {
			nothing := slices.Repeat([]table.Value{{Mean: math.NaN()}}, len(axis.Labels))
			panel.Series = append(panel.Series, plot.SpreadSeries{Name: name, Values: nothing})
		}
		for _, set := range r.plan.Settings {
			line := 0
			if across >= 0 {
				line = set.At[across]
			}
			panel.Series[line].Values[set.At[along]] = of(set, metric)
		}
		p.Panels = append(p.Panels, panel)
	}
	return table.Figure{Caption: caption + ".", Picture: p}
}

// along chooses the axis that a picture has from left to right, numbers before names, then the longer one, and the
// other one, -1 if there is none.
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

// lines names the places of an axis by themselves.
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

// parallel draws a line for each setting through its places on all axes to its metrics.
func (r results) parallel(title string, shown []string, of func(Setting, string) table.Value) table.Figure {
	p := &plot.Parallel{Title: title, Metrics: shown, Colour: max(0, slices.Index(shown, r.plan.Metric))}
	for _, a := range r.plan.Axes {
		p.Axes = append(p.Axes, plot.ParallelAxis{Name: a.Name, Places: a.Labels})
	}
	for _, set := range r.plan.Settings {
		line := plot.ParallelLine{At: set.At}
		for _, metric := range shown {
			line.Values = append(line.Values, of(set, metric).Mean)
		}
		p.Lines = append(p.Lines, line)
	}
	return table.Figure{
		Caption: fmt.Sprintf("A line for each setting, through its values to the means over seeds; the colour is %s.",
			shown[p.Colour]),
		Picture: p,
	}
}
