package sheet

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"unicode/utf8"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/text"
)

// Measures of the picture, in pixels.
const (
	sheetWidth     = 1240
	sheetMargin    = 34
	sheetMaxHeight = 16000 // from here on, clusters show fewer images
	barWidth       = 8     // colour of a cluster, left of its images
	barGap         = 14
	tileGap        = 8 // between images; frames reach into it
	frameWidth     = 3
	contentLeft    = sheetMargin + barWidth + barGap
	contentRight   = sheetWidth - sheetMargin
)

// sheetStyle is a way to set a line of text.
type sheetStyle struct {
	face  font.Face
	color color.Color
	line  int // from one line to the next
}

func newSheetStyle(size vg.Length, isBold bool, c color.Color) sheetStyle {
	f := canvas.Font(size)
	if isBold {
		f.Weight = canvas.Bold
	}
	return sheetStyle{font.DefaultCache.Lookup(f, size), c, int(size * 1.42)}
}

func (t *sheetStyle) width(s string) int { return int(t.face.Width(s)) + 1 }

// strip is a part of the sheet over its full width; strips lie below one another.
type strip struct {
	height int
	draw   func(p *sheetPainter, y int) // y: upper edge; nil: empty
}

// png draws the sheet as a PNG file, sheetWidth pixels wide.
func (s *Sheet) png() ([]byte, error) {
	strips := newSheetLayout(s).strips(s.fittingPlan())
	p := newSheetPainter(s, heightOf(strips))
	y := sheetMargin
	for _, part := range strips {
		if part.draw != nil {
			part.draw(p, y)
		}
		y += part.height
	}
	var b bytes.Buffer
	if err := png.Encode(&b, p.img); err != nil {
		return nil, fmt.Errorf("encode sheet: %w", err)
	}
	return b.Bytes(), nil
}

// fittingPlan shows as many images a cluster as the greatest height of the picture allows.
func (s *Sheet) fittingPlan() *sheetPlan {
	layout := newSheetLayout(s)
	p := s.plan()
	header := heightOf(layout.header(p))
	for limit := maxBlockImages; limit > 1 && header+heightOf(layout.body(p)) > sheetMaxHeight; {
		limit = limit * 3 / 4
		p.cut(limit)
	}
	return p
}

// sheetPainter draws on the pixels of one picture.
type sheetPainter struct {
	sheet  *Sheet
	canvas *vgimg.Canvas
	img    draw.Image // the pixels of canvas
}

func newSheetPainter(s *Sheet, height int) *sheetPainter {
	// At 72 dots an inch a point is a pixel.
	canvas := vgimg.NewWith(vgimg.UseWH(sheetWidth, vg.Length(height)), vgimg.UseDPI(72))
	return &sheetPainter{s, canvas, canvas.Image()}
}

func (p *sheetPainter) fill(x, y, w, h int, c color.Color) {
	draw.Draw(p.img, image.Rect(x, y, x+w, y+h), image.NewUniform(c), image.Point{}, draw.Src)
}

// text writes one line whose upper edge is y and returns where it ends.
func (p *sheetPainter) text(t *sheetStyle, x, y int, s string) int {
	ext := t.face.Extents()
	room := vg.Length(t.line) - ext.Ascent - ext.Descent
	baseline := vg.Length(y) + room/2 + ext.Ascent
	_, height := p.canvas.Size()
	p.canvas.SetColor(t.color)
	p.canvas.FillString(t.face, vg.Point{X: vg.Length(x), Y: height - vg.Length(int(baseline+0.5))}, s)
	return x + t.width(s)
}

func (p *sheetPainter) frame(x, y int, size image.Point) {
	p.fill(x-frameWidth, y-frameWidth, size.X+2*frameWidth, size.Y+2*frameWidth, canvas.Frame)
}

// grid draws images in rows from (x, y) on.
func (p *sheetPainter) grid(tiles []tile, size image.Point, perRow, x, y int) {
	for j, t := range tiles {
		left, top := x+j%perRow*(size.X+tileGap), y+j/perRow*(size.Y+tileGap)
		if t.marked {
			p.frame(left, top, size)
		}
		at := image.Rectangle{Max: size}.Add(image.Pt(left, top))
		draw.Draw(p.img, at, p.sheet.picture(t.image, size), image.Point{}, draw.Src)
	}
}

// perRow is how many images of a width fit beside x, gridHeight how high n of them are.
func perRow(x int, size image.Point) int { return max(1, (contentRight-x+tileGap)/(size.X+tileGap)) }

func gridHeight(n, perRow int, size image.Point) int {
	rows := (n + perRow - 1) / perRow
	return rows*(size.Y+tileGap) - tileGap
}

// clusterBar draws the line of a cluster, in its colour and style (see barStyles).
func (p *sheetPainter) clusterBar(label, y, height int) {
	if label < 0 {
		p.fill(sheetMargin, y, barWidth, height, canvas.NoPartner)
		return
	}
	c := canvas.Color(label)
	dash, gap := height, 0
	switch barStyle(label) {
	case 1:
		p.fill(sheetMargin, y, 3, height, c)
		p.fill(sheetMargin+barWidth-3, y, 3, height, c)
		return
	case 2:
		dash, gap = 12, 5
	case 3:
		dash, gap = 5, 4
	}
	for top := 0; top < height; top += dash + gap {
		p.fill(sheetMargin, y+top, barWidth, min(dash, height-top), c)
	}
}

// lines breaks s to the width of the sheet right of x, into at most most lines.
func (t *sheetStyle) lines(s string, x, most int) []string {
	measure := func(s string) vg.Length { return t.face.Width(s) }
	room := vg.Length(contentRight - x)
	s = text.Fit(s, most*contentRight/4, utf8.RuneCountInString) // no letter that is worth reading is narrower; bounds the time
	lines := text.Wrap(s, room, measure)
	if len(lines) > most {
		lines[most-1] = lines[most-1] + " …"
		lines = lines[:most]
	}
	for i := range lines {
		lines[i] = text.Fit(lines[i], room, measure)
	}
	return lines
}
