package sheet

import (
	"image"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/text"
)

// Measures of the picture, in points. At 72 dots an inch a point is a pixel.
const (
	sheetWidth     = 1240
	sheetDPI       = 72
	sheetMargin    = 34
	sheetMaxHeight = 16000 // from here on, clusters show fewer images
	barWidth       = 8     // colour of a cluster, left of its images
	barGap         = 14
	tileGap        = 8 // between images; frames reach into it
	frameWidth     = 3
	contentLeft    = sheetMargin + barWidth + barGap
	contentRight   = sheetWidth - sheetMargin
)

// strip is a part of the sheet over its full width; strips lie below one another.
type strip struct {
	height vg.Length
	draw   func(p *painter, y vg.Length) // y: upper edge; nil: empty
}

// png draws the sheet as a PNG file, sheetWidth pixels wide.
func (s *Sheet) png() ([]byte, error) {
	strips := s.strips(s.fittingPlan())
	page := canvas.Sketch{Width: sheetWidth, Height: heightOf(strips), DPI: sheetDPI, Draw: func(c draw.Canvas) {
		p := &painter{canvas.Board{C: c, Pixel: 1}, s}
		y := vg.Length(sheetMargin)
		for _, part := range strips {
			if part.draw != nil {
				part.draw(p, y)
			}
			y += part.height
		}
	}}
	return page.Render("png")
}

// fittingPlan shows as many images a cluster as the greatest height of the picture allows.
func (s *Sheet) fittingPlan() *sheetPlan {
	p := s.plan()
	header := heightOf(s.header(p))
	for limit := maxBlockImages; limit > 1 && header+heightOf(s.body(p)) > sheetMaxHeight; {
		limit = limit * 3 / 4
		p.cut(limit)
	}
	return p
}

// painter draws the parts of a sheet.
type painter struct {
	canvas.Board
	sheet *Sheet
}

func (p *painter) box(x, y, w, h vg.Length, c color.Color) { p.Fill(p.Rectangle(x, y, w, h), c) }

// line writes one line whose upper edge is y and returns where it ends.
func (p *painter) line(t draw.TextStyle, x, y vg.Length, s string) vg.Length {
	p.Text(t, x, y, s)
	return x + t.Width(s)
}

func (p *painter) center(t draw.TextStyle, x, y vg.Length, s string) {
	t.XAlign = draw.XCenter
	p.Text(t, x, y, s)
}

func (p *painter) frame(x, y, w, h vg.Length) {
	p.box(x-frameWidth, y-frameWidth, w+2*frameWidth, h+2*frameWidth, canvas.Frame)
}

// grid draws images in rows from (x, y) on.
func (p *painter) grid(tiles []tile, size image.Point, perRow int, x, y vg.Length) {
	w, h := vg.Length(size.X), vg.Length(size.Y)
	for j, t := range tiles {
		left, top := x+vg.Length(j%perRow)*(w+tileGap), y+vg.Length(j/perRow)*(h+tileGap)
		if t.marked {
			p.frame(left, top, w, h)
		}
		p.Image(left, top, w, h, p.sheet.picture(t.image, size))
	}
}

// perRow is how many images of a width fit beside x, gridHeight how high n of them are.
func perRow(x vg.Length, size image.Point) int {
	return max(1, int((contentRight-x+tileGap)/vg.Length(size.X+tileGap)))
}

func gridHeight(n, perRow int, size image.Point) vg.Length {
	return vg.Length(canvas.LinesFor(n, perRow)*(size.Y+tileGap) - tileGap)
}

// clusterBar draws the line of a cluster, in its colour and style (see barStyles).
func (p *painter) clusterBar(label int, y, height vg.Length) {
	if label < 0 {
		p.box(sheetMargin, y, barWidth, height, canvas.NoPartner)
		return
	}
	c := canvas.Color(label)
	dash, gap := height, vg.Length(0)
	switch barStyle(label) {
	case 1:
		p.box(sheetMargin, y, 3, height, c)
		p.box(sheetMargin+barWidth-3, y, 3, height, c)
		return
	case 2:
		dash, gap = 12, 5
	case 3:
		dash, gap = 5, 4
	}
	for top := vg.Length(0); top < height; top += dash + gap {
		p.box(sheetMargin, y+top, barWidth, min(dash, height-top), c)
	}
}

// linesOf breaks s to the width of the sheet right of x, into at most most lines.
func linesOf(t draw.TextStyle, s string, x vg.Length, most int) []string {
	s = text.Shorten(s, most*contentRight/4) // no letter that is worth reading is narrower; bounds the time
	lines := canvas.Wrapped(t, s, contentRight-x)
	if len(lines) > most {
		lines[most-1] += " …"
		lines = lines[:most]
	}
	for i := range lines {
		lines[i] = canvas.Fitting(t, lines[i], contentRight-x)
	}
	return lines
}
