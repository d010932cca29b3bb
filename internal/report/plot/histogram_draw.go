package plot

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/text"
)

// Looks of a Histogram.
const (
	histogramPale           = 0.5  // share of white in a series behind
	histogramFill           = 0x48 // opacity of what is filled, of 255
	histogramGap  vg.Length = 8    // points between the panels
)

func (p *Histogram) draw(c draw.Canvas) {
	entries := p.legend()
	width := legendWidth(entries)
	area := draw.Crop(c, 0, -width, 0, 0)
	upper := newPlot(p.Title, "", "density")
	upper.Title.Text = titleLines(p.Title, area, upper.Title.TextStyle)
	lower := newPlot("", p.XLabel, "cumulative share")
	panels := [][]*plot.Plot{{upper}, {lower}}
	all := p.bins()
	low, high := p.limits(all)
	for _, row := range panels {
		addGrid(row[0], true)
	}
	for _, behind := range []bool{true, false} {
		for _, b := range all {
			if b.Behind == behind {
				b.addTo(upper, lower, high)
			}
		}
	}
	for _, row := range panels { // after Add, which widens axes
		row[0].X.Min, row[0].X.Max, row[0].Y.Min = low, high, 0
	}
	upper.Y.Max *= 1.05
	lower.Y.Max = 1.02
	tiles := plot.Align(panels, draw.Tiles{Rows: 2, Cols: 1, PadY: histogramGap}, area)
	upper.Draw(tiles[0][0])
	lower.Draw(tiles[1][0])
	drawLegend(besideArea(c, upper, tiles[0][0]), entries)
}

// limits are the ends of the value axis: 0 if all values are near it, and XMax if it is given and some value is below
// it.
func (p *Histogram) limits(all []binned) (low, high float64) {
	low, high = all[0].edges[0], all[0].edges[len(all[0].share)]
	for _, b := range all {
		low, high = min(low, b.edges[0]), max(high, b.edges[len(b.share)])
	}
	if p.XMax > low {
		high = p.XMax
	}
	if low > 0 && low < high/4 {
		low = 0
	}
	return low, high
}

// addTo adds a series to both panels.
func (b binned) addTo(upper, lower *plot.Plot, end float64) {
	density := &plotter.Line{XYs: b.density(), LineStyle: b.style()}
	if !b.Behind {
		density.FillColor = b.fill()
	}
	upper.Add(density)
	lower.Add(&plotter.Line{XYs: b.ecdf(end), LineStyle: b.style()})
}

func (s HistogramSeries) style() draw.LineStyle {
	style := seriesStyle(s.Color)
	if s.Behind {
		style.Color = canvas.Lighten(canvas.Color(s.Color), histogramPale)
	}
	return style
}

// fill is the series' colour, through which others are seen.
func (s HistogramSeries) fill() color.Color {
	c := canvas.Color(s.Color)
	return color.NRGBA{c.R, c.G, c.B, histogramFill}
}

// legend has the series in their order, those behind at the end.
func (p *Histogram) legend() (entries []legendEntry) {
	for _, behind := range []bool{false, true} {
		for _, s := range p.Series {
			if s.Behind == behind {
				entries = append(entries, legendEntry{text.Clean(s.Name), s.sample})
			}
		}
	}
	return entries
}

// sample draws what stands beside a series' name.
func (s HistogramSeries) sample(c *draw.Canvas, at vg.Point) {
	if !s.Behind {
		c.SetColor(s.fill())
		c.Fill(boxOf(at))
	}
	c.SetLineStyle(s.style())
	c.Stroke(boxOf(at))
}
