package plot

import (
	"fmt"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/report/table"
)

// LogLog is a picture of values over sizes, both axes logarithmic: a power law is a straight line. In a Series, Steps are the
// sizes; what is not positive is left out.
type LogLog struct {
	Title, XLabel, YLabel string
	Series                []Series
}

// Save writes the picture to path, in the format of its extension: see Curve.Save.
func (p *LogLog) Save(path string) error { return save(p, path) }

// Records has one row a value: series, size, value.
func (p *LogLog) Records() *table.Records { return seriesRecords("size", p.Series) }

// curve is the same picture for the parts of drawing that do not differ.
func (p *LogLog) curve() *Curve {
	return &Curve{Title: p.Title, XLabel: p.XLabel, YLabel: p.YLabel, LogY: true, Series: p.Series}
}

func (p *LogLog) check() error {
	for i, s := range p.Series {
		for _, x := range s.Steps {
			if x <= 0 {
				return fmt.Errorf("picture of sizes: series %d (%s) has size %d, and a logarithmic axis has only positive ones", i, s.Name, x)
			}
		}
	}
	return p.curve().check()
}

func (p *LogLog) draw(c draw.Canvas) error {
	curve := p.curve()
	entries := curve.legend()
	width := legendWidth(entries)
	pl := newPlot(p.Title, p.XLabel, p.YLabel, c.Max.X-c.Min.X-width)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = canvas.Lighten(canvas.AxisGrey, 0.75), canvas.Lighten(canvas.AxisGrey, 0.75)
	pl.Add(grid)
	for i, s := range p.Series {
		if err := curve.addSeries(pl, i, s); err != nil {
			return fmt.Errorf("picture of sizes: series %d (%s): %w", i, s.Name, err)
		}
		if err := curve.addDots(pl, i, s); err != nil {
			return fmt.Errorf("picture of sizes: series %d (%s): %w", i, s.Name, err)
		}
	}
	for _, a := range []*plot.Axis{&pl.X, &pl.Y} {
		a.Scale, a.Tick.Marker = plot.LogScale{}, logTicks{}
		a.Min, a.Max = a.Min/1.3, a.Max*1.3
	}
	pl.X.Tick.Marker = sizeTicks{}
	area := draw.Crop(c, 0, -width, 0, 0)
	pl.Draw(area)
	drawLegend(besideArea(c, pl, area), entries)
	return nil
}

// sizeTicks are logTicks with whole numbers written out.
type sizeTicks struct{ logTicks }

// Ticks returns the marks between lo and hi, both positive.
func (s sizeTicks) Ticks(lo, hi float64) []plot.Tick {
	ticks := s.logTicks.Ticks(lo, hi)
	for i, t := range ticks {
		if t.Label != "" && t.Value >= 1 {
			ticks[i].Label = grouped(strconv.FormatFloat(t.Value, 'f', 0, 64))
		}
	}
	return ticks
}

// grouped puts commas between the thousands of a whole number.
func grouped(digits string) string {
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// addDots marks the measured places of a series.
func (p *Curve) addDots(pl *plot.Plot, i int, s Series) error {
	for _, piece := range p.pieces(s) {
		dots, err := plotter.NewScatter(piece)
		if err != nil {
			return err
		}
		dots.GlyphStyle = draw.GlyphStyle{Color: canvas.Color(i), Radius: vg.Points(3), Shape: draw.CircleGlyph{}}
		pl.Add(dots)
	}
	return nil
}
