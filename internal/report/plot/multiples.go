package plot

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
)

// Multiples is a picture of small panels over one axis, such as a swept setting: one panel a metric, one line a series,
// with bars for the deviation over seeds.
type Multiples struct {
	Title  string
	XLabel string
	Places []string  // along the axis, at least one
	X      []float64 // the places' values, which lines join; empty for names, which are spaced evenly and have dots alone
	Panels []Panel
}

// Panel is one part of Multiples.
type Panel struct {
	YLabel string
	Series []SpreadSeries
}

// SpreadSeries is a line of means with their deviations, one at each place; a mean of NaN breaks it.
type SpreadSeries struct {
	Name   string
	Values []table.Value
}

// Save writes the picture to path, in the format of its extension: see Curve.Save.
func (p *Multiples) Save(path string) error { return save(p, path) }

// Records has one row a value: panel, series, place, mean, std (NaN if unknown) and the number of seeds.
func (p *Multiples) Records() *table.Records {
	r := &table.Records{Columns: []string{"metric", "series", "place", "mean", "std", "seeds"}}
	for _, panel := range p.Panels {
		for _, s := range panel.Series {
			for i, v := range s.Values {
				r.Rows = append(r.Rows, []any{panel.YLabel, s.Name, p.Places[i], v.Mean, v.Spread(), v.N})
			}
		}
	}
	return r
}

func (p *Multiples) check() error {
	if len(p.Places) == 0 || len(p.Panels) == 0 {
		return fmt.Errorf("small multiples: nothing to draw")
	}
	if len(p.X) > 0 && len(p.X) != len(p.Places) {
		return fmt.Errorf("small multiples: %d values for %d places", len(p.X), len(p.Places))
	}
	for _, panel := range p.Panels {
		drawn := false
		for _, s := range panel.Series {
			if len(s.Values) != len(p.Places) {
				return fmt.Errorf("small multiples: %s of %s has %d values for %d places", panel.YLabel, s.Name, len(s.Values),
					len(p.Places))
			}
			drawn = drawn || slices.ContainsFunc(s.Values, func(v table.Value) bool { return finite(v.Mean) })
		}
		if !drawn {
			return fmt.Errorf("small multiples: %s has no values", panel.YLabel)
		}
	}
	return nil
}

// closest is the smallest gap between neighbours, as a share of the one that even spacing gives, at which places may
// stand by their values.
const closest = 0.3

// spacing places the values along the axis: by themselves if none come too close, else by their logarithms, else
// evenly. The word says which, for the axis.
func spacing(x []float64, n int) (at []float64, word string) {
	even := make([]float64, n)
	logs := make([]float64, len(x))
	for i := range even {
		even[i] = float64(i)
	}
	for i, v := range x {
		logs[i] = math.Log10(v)
	}
	switch {
	case apart(x):
		return x, ""
	case apart(logs):
		return logs, " (log)"
	case len(x) > 0:
		return even, " (evenly spaced)"
	default:
		return even, ""
	}
}

// apart reports whether values rise, or fall, with no gap much smaller than the mean one.
func apart(x []float64) bool {
	if len(x) < 2 {
		return false
	}
	mean := (x[len(x)-1] - x[0]) / float64(len(x)-1)
	for i := 1; i < len(x); i++ {
		if gap := (x[i] - x[i-1]) / mean; !(gap >= closest) || math.IsInf(gap, 0) {
			return false
		}
	}
	return true
}

// Measures of the grid of panels, in points.
const (
	panelGap     vg.Length = 12
	multipleHead vg.Length = 30 // for a line of the title
	keyLine      vg.Length = 18 // of the series' names below it
)

func (p *Multiples) draw(c draw.Canvas) {
	at, word := spacing(p.X, len(p.Places))
	c = p.head(c)
	tiles := draw.Tiles{Cols: 2, PadX: panelGap, PadY: panelGap}
	switch n := len(p.Panels); {
	case n == 1:
		tiles.Cols = 1
	case n > 4:
		tiles.Cols = 3
	}
	tiles.Rows = (len(p.Panels) + tiles.Cols - 1) / tiles.Cols
	for i, panel := range p.Panels {
		tile := tiles.At(c, i%tiles.Cols, i/tiles.Cols)
		p.panel(panel, at, p.XLabel+word, tile.Size().X).Draw(tile)
	}
}

// head writes the title and, for several series, their names, and returns the room below.
func (p *Multiples) head(c draw.Canvas) draw.Canvas {
	c = drawTitle(c, p.Title)
	series := p.Panels[0].Series
	if len(series) < 2 {
		return c
	}
	x, y := c.Min.X, c.Max.Y-keyLine/2
	for i, s := range series {
		entry := legendEntry{text: text.Clean(s.Name)}
		need := legendSample + legendStyle.Width(entry.text) + legendGap
		if x > c.Min.X && x+need > c.Max.X {
			x, y = c.Min.X, y-keyLine
		}
		entry.sample = func(c *draw.Canvas, at vg.Point) {
			if len(p.X) > 0 {
				lineSample(i)(c, at)
			}
			c.DrawGlyph(dotOf(i), at)
		}
		entry.draw(c, x, y, 0)
		x += need
	}
	return draw.Crop(c, 0, 0, 0, y-keyLine-c.Max.Y)
}
