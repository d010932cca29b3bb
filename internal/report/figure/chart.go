package figure

import (
	"errors"
	"fmt"
	"slices"
)

// Chart is one or more panels of lines and points.
type Chart struct {
	Title   string
	Columns int // panels beside each other; 0 counts as 1
	Panels  []Panel
	Data    *Records // in place of the values that are drawn; nil: these
}

// Panel is a pair of axes with what is drawn between them.
type Panel struct {
	XLabel, YLabel string
	LogX, LogY     bool     // logarithmic axes, on which only positive values are drawn
	XMax           float64  // where the x axis ends; 0: at the largest value
	EqualScale     bool     // a unit has the same length on both axes
	Places         []string // names of x = 0, 1, …; nil: x are numbers
	Series         []Series
}

// Series is one line or cloud of points. X and Y have the same length. A value that is not finite breaks a line.
type Series struct {
	Name  string // in the legend; "" leaves it out
	X, Y  []float64
	Std   []float64 // deviation of Y to either side, drawn as bars; nil: not known
	Mark  Mark
	Color int  // place in the palette
	Pale  bool // drawn behind the others, in a lighter colour
	Fill  bool // the area below is filled
}

// Mark is the way to draw a series.
type Mark int

// The marks.
const (
	Line   Mark = iota
	Dotted      // a line with a dot at each value
	Dots
	Circles // larger than dots, and hollow
	Steps   // a line that keeps each value until the next one
)

// NewChart returns a chart of one panel with lines, coloured in their order.
func NewChart(title, xLabel, yLabel string, series ...Series) *Chart {
	for i := range series {
		series[i].Color = i
	}
	return &Chart{Title: title, Panels: []Panel{{XLabel: xLabel, YLabel: yLabel, Series: series}}}
}

// Add adds a series to the first panel, in the next colour.
func (c *Chart) Add(s Series) {
	s.Color = len(c.Panels[0].Series)
	c.Panels[0].Series = append(c.Panels[0].Series, s)
}

// Series returns those of the first panel.
func (c *Chart) Series() []Series { return c.Panels[0].Series }

// Records has one row a value: panel (its y label), series, x or its place, y, and the deviation if any series has one.
func (c *Chart) Records() *Records {
	if c.Data != nil {
		return c.Data
	}
	r := &Records{Columns: []string{"panel", "series", "x", "y"}}
	deviations := false
	for _, p := range c.Panels {
		for _, s := range p.Series {
			deviations = deviations || s.Std != nil
		}
	}
	if deviations {
		r.Columns = append(r.Columns, "std")
	}
	for _, p := range c.Panels {
		for _, s := range p.Series {
			for i, x := range s.X {
				row := []any{p.YLabel, s.Name, x, s.Y[i]}
				if p.Places != nil {
					row[2] = p.Places[int(x)]
				}
				switch {
				case s.Std != nil:
					row = append(row, s.Std[i])
				case deviations:
					row = append(row, "")
				}
				r.Rows = append(r.Rows, row)
			}
		}
	}
	return r
}

// Check returns a reason if a panel has no value to draw: a score may be NaN for every model.
func (c *Chart) Check() error {
	if len(c.Panels) == 0 {
		return errors.New("chart: nothing to draw")
	}
	for _, p := range c.Panels {
		drawn := func(s Series) bool {
			for i, x := range s.X {
				if p.Draws(x, s.Y[i]) {
					return true
				}
			}
			return false
		}
		if !slices.ContainsFunc(p.Series, drawn) {
			return fmt.Errorf("chart: panel %q has no values to draw", p.YLabel)
		}
	}
	return nil
}

// Draws reports whether a value can be drawn on the panel's axes.
func (p *Panel) Draws(x, y float64) bool {
	return Finite(x) && Finite(y) && (!p.LogX || x > 0) && (!p.LogY || y > 0)
}
