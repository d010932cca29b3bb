package sheet

import (
	"image"

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

// png draws the sheet as a PNG file, sheetWidth pixels wide.
func (s *Sheet) png() ([]byte, error) {
	strips := s.strips(s.fittingPlan())
	page := canvas.Sketch{Width: sheetWidth, Height: heightOf(strips), DPI: sheetDPI, Draw: func(c draw.Canvas) {
		canvas.Board{C: c, Pixel: 1}.Stack(sheetMargin, strips)
	}}
	return page.Render("png")
}

// heightOf is the height of a picture with these parts.
func heightOf(strips []canvas.Strip) vg.Length { return 2*sheetMargin + canvas.HeightOf(strips) }

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

func frame(b canvas.Board, x, y, w, h vg.Length) {
	b.Box(x-frameWidth, y-frameWidth, w+2*frameWidth, h+2*frameWidth, canvas.Frame)
}

// gridFrom is the grid of images of a size from x on.
func gridFrom(x vg.Length, size image.Point) canvas.TileGrid {
	return canvas.NewTileGrid(size, 1, tileGap, tileGap, contentRight-x)
}

// drawTiles draws images from (x, y) on.
func (s *Sheet) drawTiles(b canvas.Board, grid canvas.TileGrid, x, y vg.Length, tiles []tile) {
	grid.Draw(b, x, y, len(tiles), func(i int, left, top vg.Length) image.Image {
		if tiles[i].marked {
			frame(b, left, top, grid.W, grid.H)
		}
		return s.picture(tiles[i].image, grid.Size)
	})
}

// clusterBar draws the line of a cluster, in its colour and style (see barStyles).
func clusterBar(b canvas.Board, label int, y, height vg.Length) {
	if label < 0 {
		b.Box(sheetMargin, y, barWidth, height, canvas.NoPartner)
		return
	}
	c := canvas.Color(label)
	dash, gap := height, vg.Length(0)
	switch barStyle(label) {
	case 1:
		b.Box(sheetMargin, y, 3, height, c)
		b.Box(sheetMargin+barWidth-3, y, 3, height, c)
		return
	case 2:
		dash, gap = 12, 5
	case 3:
		dash, gap = 5, 4
	}
	for top := vg.Length(0); top < height; top += dash + gap {
		b.Box(sheetMargin, y+top, barWidth, min(dash, height-top), c)
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
