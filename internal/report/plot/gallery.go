package plot

import (
	"image"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/text"
)

// gallery draws a figure.Gallery. A panel is a plot in which an image takes one unit; its clusters' names take labels.
type gallery struct {
	*figure.Gallery
	perLine int       // images of a cluster in a line
	unit    vg.Length // of an image with the gap around it
}

const (
	labelUnits  = 2.5 // the room of a cluster's name
	clusterGap  = 0.3 // between clusters, in units
	legendLine  = vg.Length(16)
	panelTitles = vg.Length(40) // two lines above a panel
)

func newGallery(g *figure.Gallery) gallery {
	d := gallery{Gallery: g, perLine: 14 / g.Columns}
	d.unit = (width - 2*margin) / vg.Length(g.Columns) / vg.Length(labelUnits+float64(d.perLine))
	return d
}

// units is the height of a panel's clusters.
func (g gallery) units(p figure.GalleryPanel) (sum float64) {
	for _, row := range p.Rows {
		sum += math.Ceil(float64(len(row.Tiles))/float64(g.perLine)) + clusterGap
	}
	return sum
}

// lines are the heights of the lines of panels.
func (g gallery) lines() (heights []vg.Length) {
	for i, p := range g.Panels {
		if i%g.Columns == 0 {
			heights = append(heights, 0)
		}
		last := len(heights) - 1
		heights[last] = max(heights[last], panelTitles+vg.Length(g.units(p))*g.unit)
	}
	return heights
}

func (g gallery) height() vg.Length {
	sum := frameHeight(g.Title, g.Notes) + legendLine
	for _, h := range g.lines() {
		sum += h
	}
	return sum
}

func (g gallery) draw(c draw.Canvas) {
	c = framed(c, g.Title, g.Notes)
	look := style(9.5)
	look.YAlign = draw.YCenter
	middle := c.Max.Y - legendLine/2
	box := vg.Rectangle{Min: vg.Point{X: c.Min.X + 2, Y: middle - 5}, Max: vg.Point{X: c.Min.X + 12, Y: middle + 5}}
	c.SetLineStyle(frameStyle)
	c.Stroke(box.Path())
	c.FillText(look, vg.Point{X: c.Min.X + 20, Y: middle}, text.Clean(g.Framed))
	c = draw.Crop(c, 0, 0, 0, -legendLine)
	each := (c.Max.X - c.Min.X) / vg.Length(g.Columns)
	top := c.Max.Y
	for line, height := range g.lines() {
		for column := range g.Columns {
			at := line*g.Columns + column
			if at == len(g.Panels) {
				return
			}
			left := c.Min.X + each*vg.Length(column)
			g.drawPanel(g.Panels[at], draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: left, Y: top - height}, Max: vg.Point{X: left + each, Y: top},
			}})
		}
		top -= height
	}
}

// drawPanel draws a clustering into an area that has at least its height.
func (g gallery) drawPanel(p figure.GalleryPanel, area draw.Canvas) {
	look := style(10)
	look.YAlign = draw.YTop
	area.FillText(look, vg.Point{X: area.Min.X, Y: area.Max.Y - 4}, wrapped(p.Title, look, area.Max.X-area.Min.X-10))
	height := g.units(p)
	area = draw.Crop(area, 0, 0, area.Max.Y-area.Min.Y-panelTitles-vg.Length(height)*g.unit, -panelTitles)
	pl := newPlot("", "")
	pl.HideAxes()
	names, y := &plotter.Labels{}, 0.0
	for _, row := range p.Rows {
		top := y
		for i, t := range row.Tiles {
			if i > 0 && i%g.perLine == 0 {
				y--
			}
			g.addTile(pl, t, labelUnits+float64(i%g.perLine), y)
		}
		y--
		pl.Add(&plotter.Line{
			XYs:       plotter.XYs{{X: 0.1, Y: top - 0.05}, {X: 0.1, Y: y + 0.05}},
			LineStyle: draw.LineStyle{Color: colorOf(row.Color), Width: g.unit / 6},
		})
		look := style(9)
		look.YAlign = draw.YTop
		names.XYs, names.TextStyle = append(names.XYs, plotter.XY{X: 0.4, Y: top - 0.1}), append(names.TextStyle, look)
		names.Labels = append(names.Labels, row.Name+"\n"+text.Count(len(row.Tiles), "image"))
		y -= clusterGap
	}
	pl.Add(names)
	pl.X.Min, pl.X.Max, pl.Y.Min, pl.Y.Max = 0, labelUnits+float64(g.perLine), -height, 0
	pl.Draw(area)
}

// addTile draws an image whose upper left corner is (x, y), with its frame.
func (g gallery) addTile(pl *plot.Plot, t figure.GalleryTile, x, y float64) {
	const gap = 0.08
	left, right, bottom, top := x+gap, x+1-gap, y-1+gap, y-gap
	pl.Add(plotter.NewImage(g.picture(t.Image), left, bottom, right, top))
	if t.Framed {
		pl.Add(&plotter.Line{LineStyle: frameStyle, XYs: plotter.XYs{
			{X: left, Y: bottom},
			{X: right, Y: bottom},
			{X: right, Y: top},
			{X: left, Y: top},
			{X: left, Y: bottom},
		}})
	}
}

// frameStyle is vermilion.
var frameStyle = draw.LineStyle{Color: colorOf(5), Width: 2.5}

// enlarged is how many pixels of a picture show one of an image, so that it stays sharp.
const enlarged = 4

func (g gallery) picture(i int) image.Image {
	img := image.NewGray(image.Rect(0, 0, enlarged*g.Width, enlarged*g.Height))
	pixels := g.Pixels[i*g.Height*g.Width:]
	for y := range enlarged * g.Height {
		for x := range enlarged * g.Width {
			img.SetGray(x, y, figure.Grey(pixels[y/enlarged*g.Width+x/enlarged]))
		}
	}
	return img
}
