package plot

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/text"
)

func drawChart(c *figure.Chart, area draw.Canvas) {
	area = title(area, c.Title)
	legend, named := plot.NewLegend(), map[string]bool{}
	legend.TextStyle = style(9.5)
	legend.Top, legend.Left, legend.Padding, legend.ThumbnailWidth = true, true, 4, 22
	columns := max(1, c.Columns)
	rows := (len(c.Panels) + columns - 1) / columns
	plots := make([][]*plot.Plot, rows)
	for i := range plots {
		plots[i] = make([]*plot.Plot, columns)
	}
	for i := range c.Panels {
		p := &c.Panels[i]
		room := width/vg.Length(columns) - 2*margin
		plots[i/columns][i%columns] = drawPanel(p, room, func(name string, thumbs ...plot.Thumbnailer) {
			if name = text.Clean(name); name != "" && !named[name] {
				named[name] = true
				legend.Add(text.Fit(name, width/3, legend.TextStyle.Width), thumbs...)
			}
		})
	}
	if len(named) > 0 {
		room := legend.Rectangle(area).Size().X
		legend.Draw(draw.Crop(area, area.Size().X-room, 0, 0, 0))
		area = draw.Crop(area, 0, -(room + 12), 0, 0)
	}
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 12, PadY: 12}
	if c.Panels[0].EqualScale {
		equalScale(plots[0][0], tiles.At(area, 0, 0))
	}
	for i, row := range plot.Align(plots, tiles, area) {
		for j, p := range plots[i] {
			if p != nil {
				p.Draw(row[j])
			}
		}
	}
}

// drawPanel makes the plot of a panel in a room of some width, and names its series in the legend.
func drawPanel(p *figure.Panel, room vg.Length, legend func(name string, thumbs ...plot.Thumbnailer)) *plot.Plot {
	pl := plot.New()
	pl.X.Label.Text, pl.Y.Label.Text = text.Clean(p.XLabel), text.Clean(p.YLabel)
	for _, axis := range []*plot.Axis{&pl.X, &pl.Y} {
		axis.Label.TextStyle.Font, axis.Tick.Label.Font = style(12).Font, style(10).Font
		axis.LineStyle.Color, axis.Tick.LineStyle.Color = grey, grey
	}
	pl.Title.TextStyle.Font = style(10).Font
	pl.Title.Text = wrapped(p.Title, style(10), room)
	if p.Bounds == nil {
		grid := plotter.NewGrid()
		grid.Horizontal.Color, grid.Vertical.Color = pale, pale
		pl.Add(grid)
	}
	for _, behind := range []bool{true, false} {
		for _, s := range p.Series {
			if s.Pale == behind {
				addSeries(pl, p, s)
			}
		}
	}
	for _, s := range p.Series {
		legend(s.Name, thumbnails(s)...)
	}
	if b := p.Bounds; b != nil {
		pl.HideAxes()
		pl.X.Min, pl.X.Max, pl.Y.Min, pl.Y.Max = b.Left, b.Right, b.Bottom, b.Top
		return pl
	}
	if y := &pl.Y; p.LogY {
		y.Scale, y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		if y.Min == y.Max { // a logarithmic axis stays above 0
			y.Min, y.Max = y.Min/2, y.Max*2
		}
	}
	if p.XMax > 0 {
		pl.X.Max = p.XMax
	}
	return pl
}

// addSeries draws the values of a series that can be drawn.
func addSeries(pl *plot.Plot, p *figure.Panel, s figure.Series) {
	var values plotter.XYs
	for i, x := range s.X {
		if !p.Draws(x, s.Y[i]) {
			continue
		}
		values = append(values, plotter.XY{X: x, Y: s.Y[i]})
		if s.Mark == figure.Images {
			const gap = 0.08
			pl.Add(plotter.NewImage(s.Images[i], x+gap, s.Y[i]-1+gap, x+1-gap, s.Y[i]-gap))
		}
	}
	switch s.Mark {
	case figure.Images:
		return
	case figure.Words:
		look := style(8.5)
		look.XAlign, look.YAlign = draw.XCenter, draw.YCenter
		pl.Add(&plotter.Labels{
			XYs: values, Labels: s.Words, TextStyle: slices.Repeat([]draw.TextStyle{look}, len(values)),
		})
		return
	}
	if isLine(s.Mark) && len(values) > 1 {
		pl.Add(line(s, values))
	}
	if !isLine(s.Mark) || s.Mark == figure.Dotted || len(values) == 1 {
		pl.Add(&plotter.Scatter{XYs: values, GlyphStyle: glyphStyle(s, len(s.X))})
	}
}

func isLine(m figure.Mark) bool { return m == figure.Line || m == figure.Dotted || m == figure.Steps }

// thumbnails are the samples of a series in the legend.
func thumbnails(s figure.Series) []plot.Thumbnailer {
	glyph := &plotter.Scatter{GlyphStyle: glyphStyle(s, 0)}
	if !isLine(s.Mark) {
		return []plot.Thumbnailer{glyph}
	}
	if s.Mark == figure.Dotted {
		return []plot.Thumbnailer{line(s, nil), glyph}
	}
	return []plot.Thumbnailer{line(s, nil)}
}

func line(s figure.Series, xys plotter.XYs) *plotter.Line {
	tint := colorOf(s.Color)
	l := &plotter.Line{XYs: xys}
	if s.Mark == figure.Steps {
		l.StepStyle = plotter.PostStep
	}
	if s.Fill {
		l.FillColor = color.NRGBA{tint.R, tint.G, tint.B, 0x48}
	}
	if s.Pale {
		tint = color.RGBA{tint.R/2 + 128, tint.G/2 + 128, tint.B/2 + 128, 0xFF}
	}
	l.LineStyle = draw.LineStyle{Color: tint, Width: vg.Length(cmp.Or(s.Width, 1.5))}
	return l
}

// Shapes distinguish points beyond the eight colours: full ones, and hollow ones of the same form.
var (
	fullShapes   = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}
	hollowShapes = []draw.GlyphDrawer{draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}}
)

// glyphStyle is how one of n points is drawn: the more there are, the smaller.
func glyphStyle(s figure.Series, n int) draw.GlyphStyle {
	shape := s.Color / len(figure.Palette) % len(fullShapes)
	g := draw.GlyphStyle{Color: colorOf(s.Color), Shape: fullShapes[shape], Radius: 3}
	if s.Mark == figure.Circles {
		g.Shape, g.Radius = hollowShapes[shape], 4.5
	}
	g.Radius *= vg.Length(max(0.4, math.Pow(100/float64(max(n, 100)), 0.2)))
	return g
}

// equalScale widens one axis so that a unit has the same length on both, with some room around the points.
func equalScale(pl *plot.Plot, area draw.Canvas) {
	widen := func(a *plot.Axis, span float64) {
		middle := a.Min + (a.Max-a.Min)/2
		a.Min, a.Max = middle-span/2, middle+span/2
	}
	for _, a := range []*plot.Axis{&pl.X, &pl.Y} {
		widen(a, 1.1*(a.Max-a.Min))
	}
	for range 4 { // a wider axis can have wider marks, and with them less room for the points
		size := pl.DataCanvas(area).Size()
		perX, perY := (pl.X.Max-pl.X.Min)/float64(size.X), (pl.Y.Max-pl.Y.Min)/float64(size.Y)
		if perX < perY {
			widen(&pl.X, perY*float64(size.X))
		} else {
			widen(&pl.Y, perX*float64(size.Y))
		}
	}
}
