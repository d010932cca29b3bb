// Package plot draws pictures as SVG and PNG: clusterings, learning curves and the figures of tables. Each picture also
// gives the data behind it (Records). Labels and probabilities arrive finished; the only arithmetic is binning and the
// projection of points onto a page (PCA2). The same picture gives the same bytes.
package plot

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/text"
)

// sketch is a picture that can be checked and then drawn on any canvas.
type sketch interface {
	check() error
	draw(c draw.Canvas)
}

// tall is a sketch that needs another height than the one inside of canvas.Height.
type tall interface {
	height() vg.Length
}

// save picks the format by the extension of path.
func save(s sketch, path string) error {
	render := func(extension string) ([]byte, error) { return Render(s, extension) }
	return canvas.Save(path, "picture", canvas.Extensions(), render)
}

// Render draws s into the bytes of a file of one of canvas.Extensions: 8 × 6 inches unless it is tall, as PNG 1200 ×
// 900 pixels.
func Render(s sketch, extension string) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	page := canvas.Sketch{Width: canvas.Width, Height: canvas.Height, DPI: canvas.DPI, Draw: func(c draw.Canvas) {
		s.draw(draw.Crop(c, canvas.Margin, -canvas.Margin, canvas.Margin, -canvas.Margin))
	}}
	if t, ok := s.(tall); ok {
		page.Height = canvas.WholePixels(t.height() + 2*canvas.Margin)
	}
	return page.Render(extension)
}

// newPlot returns an empty plot in the common style.
func newPlot(title, xLabel, yLabel string) *plot.Plot {
	p := plot.New()
	p.Title.TextStyle.Font = canvas.Font(14)
	p.Title.Padding = vg.Points(8)
	p.Title.Text = title
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = canvas.Font(12)
		axis.Label.Padding = vg.Points(4)
		axis.Tick.Label.Font = canvas.Font(10)
		axis.LineStyle.Color = canvas.AxisGrey
		axis.Tick.LineStyle.Color = canvas.AxisGrey
		axis.Tick.Marker = evenTicks{}
		axis.Padding = vg.Points(4)
	}
	p.X.Label.Text, p.Y.Label.Text = text.Clean(xLabel), text.Clean(yLabel)
	return p
}

// legendEntry is one line of a legend: a sample drawn around a point, then text.
type legendEntry struct {
	text   string
	sample func(c *draw.Canvas, at vg.Point) // nil: text only
}

// Measures of the legend, in points.
const (
	legendText   vg.Length = 10.5
	legendLine   vg.Length = 17
	legendSample vg.Length = 22
	legendGap    vg.Length = 14 // between plot and legend
)

var legendStyle = draw.TextStyle{
	Color: color.Black, Font: canvas.Font(legendText), Handler: plot.DefaultTextHandler, YAlign: draw.YCenter,
}

// legendWidth is the room that the entries need beside the plot, the gap included; at most two fifths of the picture.
func legendWidth(entries []legendEntry) vg.Length {
	width := vg.Length(0)
	for _, e := range entries {
		width = max(width, legendStyle.Width(e.text))
	}
	return min(width+legendSample+legendGap, canvas.Width*2/5)
}

// drawLegend draws the entries from the upper left corner of c downward.
func drawLegend(c draw.Canvas, entries []legendEntry) {
	for i, e := range entries {
		e.draw(c, c.Min.X, c.Max.Y-legendLine*(vg.Length(i)+0.5), legendText/8)
	}
}

// draw draws an entry from x on, its text in the middle of the line at y and its sample a little lower.
func (e legendEntry) draw(c draw.Canvas, x, y, lower vg.Length) {
	if e.sample != nil {
		e.sample(&c, vg.Point{X: x + legendSample/2 - 2, Y: y - lower})
	}
	room := c.Max.X - c.Min.X - legendSample
	c.FillText(legendStyle, vg.Point{X: x + legendSample, Y: y}, text.Fit(e.text, room, legendStyle.Width))
}

// boxOf is the outline of a sample that is a box.
func boxOf(at vg.Point) vg.Path {
	return vg.Rectangle{Min: vg.Point{X: at.X - 6, Y: at.Y - 4}, Max: vg.Point{X: at.X + 6, Y: at.Y + 4}}.Path()
}

// lineSample draws the line of series i.
func lineSample(i int) func(*draw.Canvas, vg.Point) {
	return func(c *draw.Canvas, at vg.Point) {
		half := legendSample/2 - 4
		c.StrokeLine2(seriesStyle(i), at.X-half, at.Y, at.X+half, at.Y)
	}
}

// besideArea is the room for a legend beside a plot.
func besideArea(c draw.Canvas, pl *plot.Plot, area draw.Canvas) draw.Canvas {
	return draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: area.Max.X + legendGap, Y: c.Min.Y},
		Max: vg.Point{X: c.Max.X, Y: pl.DataCanvas(area).Max.Y},
	}}
}

// chart draws a plot, which fill fills, with its legend to the right.
func chart(c draw.Canvas, pl *plot.Plot, entries []legendEntry, fill func(area draw.Canvas)) {
	area := draw.Crop(c, 0, -legendWidth(entries), 0, 0)
	pl.Title.Text = titleLines(pl.Title.Text, area, pl.Title.TextStyle)
	fill(area)
	pl.Draw(area)
	drawLegend(besideArea(c, pl, area), entries)
}

// titleLines breaks a title to the width of c.
func titleLines(title string, c draw.Canvas, style draw.TextStyle) string {
	return strings.Join(canvas.Wrapped(style, title, c.Max.X-c.Min.X), "\n")
}

// drawTitle writes a title across the top of c and returns the room below.
func drawTitle(c draw.Canvas, title string) draw.Canvas {
	style := canvas.Style(14, false, color.Black)
	style.XAlign, style.YAlign = draw.XCenter, draw.YTop
	if title = titleLines(title, c, style); title == "" {
		return c
	}
	c.FillText(style, vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: c.Max.Y}, title)
	return draw.Crop(c, 0, 0, 0, -max(multipleHead, style.Height(title)+multipleHead/2))
}

// addGrid draws pale lines across a plot at the marks of the value axis and, if both, of the other one.
func addGrid(pl *plot.Plot, both bool) {
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = canvas.Lighten(canvas.AxisGrey, 0.75), color.Transparent
	if both {
		grid.Vertical.Color = grid.Horizontal.Color
	}
	pl.Add(grid)
}

// finite reports whether v is a number that can be drawn.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
