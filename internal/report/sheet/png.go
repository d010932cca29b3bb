package sheet

import (
	"image"
	"math"
	"strconv"

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
		if tiles[i].Marked {
			frame(b, left, top, grid.W, grid.H)
		}
		return s.picture(tiles[i].Image, grid.Size)
	})
}

// clusterBar draws the line of a cluster, in its colour and style (see barStyles).
func clusterBar(b canvas.Board, label int32, y, height vg.Length) {
	if label < 0 {
		b.Box(sheetMargin, y, barWidth, height, canvas.NoPartner)
		return
	}
	c := canvas.Color(int(label))
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

// Styles of the sheet's text.
var (
	titleStyle   = canvas.Style(30, true, canvas.Ink)
	sectionStyle = canvas.Style(22, true, canvas.Ink)
	headStyle    = canvas.Style(17, true, canvas.Ink)
	textStyle    = canvas.Style(16, false, canvas.Ink)
	dimStyle     = canvas.Style(16, false, canvas.Grey)
)

// strips returns the parts of the sheet from top to bottom.
func (s *Sheet) strips(plan *sheetPlan) []canvas.Strip {
	return append(s.header(plan), s.body(plan)...)
}

// body is what stands below the header; its height depends on how many images a cluster may show.
func (s *Sheet) body(plan *sheetPlan) []canvas.Strip {
	return append(s.pointEstimate(plan), s.alternatives(plan)...)
}

// paragraph sets s in lines from x on.
func paragraph(t draw.TextStyle, s string, x vg.Length, most int) canvas.Strip {
	return canvas.Lines(t, x, linesOf(t, s, x, most)...)
}

// header is what stands above the clusters.
func (s *Sheet) header(plan *sheetPlan) []canvas.Strip {
	strips := []canvas.Strip{paragraph(titleStyle, s.titleText(), sheetMargin, 3)}
	if sub := text.Clean(s.Subtitle); sub != "" {
		strips = append(strips, canvas.Space(4), paragraph(dimStyle, sub, sheetMargin, 3))
	}
	strips = append(strips, canvas.Space(14), paragraph(headStyle, s.summaryText(plan), sheetMargin, 1))
	for _, note := range s.noteTexts() {
		strips = append(strips, canvas.Space(4), paragraph(textStyle, note, sheetMargin, 3))
	}
	if len(plan.Bars) > 0 {
		strips = append(strips, canvas.Space(22), barStrip(plan))
	}
	return strips
}

// barStrip draws the distribution of K: a bar a value, its probability above, K below.
func barStrip(plan *sheetPlan) canvas.Strip {
	const pitch, width, full = 84, 44, 90
	centred := textStyle
	centred.XAlign = draw.XCenter
	top := canvas.LineOf(headStyle) + 8
	height := top + canvas.LineOf(textStyle) + full + 4 + canvas.LineOf(textStyle)
	return canvas.Strip{Height: height, Draw: func(b canvas.Board, y vg.Length) {
		b.Text(headStyle, sheetMargin, y, fixed.Bars)
		b.Text(dimStyle, sheetMargin+headStyle.Width(fixed.Bars)+12, y, plan.BarsNote())
		base := y + top + canvas.LineOf(textStyle) + full
		for i, q := range plan.Bars {
			x := sheetMargin + vg.Length(i)*pitch + (pitch-width)/2
			h := max(2, vg.Length(math.Round(full*q.P)))
			c := canvas.Palette[4]
			if q.K == plan.Point.K {
				c = canvas.Palette[0]
			}
			b.Box(x, base-h, width, h, c)
			b.Text(centred, x+width/2, base-h-canvas.LineOf(centred), formatProbability(q.P))
			b.Text(centred, x+width/2, base+4, strconv.Itoa(q.K))
		}
		b.Box(sheetMargin, base, vg.Length(len(plan.Bars))*pitch, 1, canvas.Grey)
		b.Text(dimStyle, sheetMargin+vg.Length(len(plan.Bars))*pitch+10, base+4, plan.MoreBars())
	}}
}

// rule starts a section.
func rule(title string) []canvas.Strip {
	return []canvas.Strip{
		canvas.Space(26),
		{Height: 1, Draw: func(b canvas.Board, y vg.Length) {
			b.Box(sheetMargin, y, sheetWidth-2*sheetMargin, 1, canvas.Rule)
		}},
		canvas.Space(20),
		paragraph(sectionStyle, title, sheetMargin, 1),
	}
}

// legend explains the frame.
func legend(words string) canvas.Strip {
	return canvas.Strip{Height: canvas.LineOf(textStyle), Draw: func(b canvas.Board, y vg.Length) {
		const box = 14
		top := y + (canvas.LineOf(textStyle)-box)/2
		frame(b, sheetMargin+frameWidth, top, box, box)
		b.Box(sheetMargin+frameWidth, top, box, box, canvas.NoPartner)
		b.Text(textStyle, sheetMargin+box+2*frameWidth+10, y, words)
	}}
}

func (s *Sheet) pointEstimate(plan *sheetPlan) []canvas.Strip {
	strips := rule("Clusters")
	if len(plan.Unsure) > 0 {
		strips = append(strips, canvas.Space(8), legend(fixed.Uncertain))
	}
	for i := range plan.Point.Blocks {
		strips = append(strips, canvas.Space(22), s.cluster(&plan.Point.Blocks[i]))
	}
	if more := plan.Point.More(); more != "" {
		strips = append(strips, canvas.Space(22), paragraph(dimStyle, more, sheetMargin, 1))
	}
	return strips
}

// cluster draws a heading, the images, and how many more there are.
func (s *Sheet) cluster(c *block) canvas.Strip {
	grid := gridFrom(contentLeft, canvas.BlockTile(s.Height, s.Width))
	images := canvas.LineOf(headStyle) + 10
	end := images + grid.Height(len(c.Tiles))
	more, height := c.More(), end
	if more != "" {
		height += 8 + canvas.LineOf(dimStyle)
	}
	return canvas.Strip{Height: height, Draw: func(b canvas.Board, y vg.Length) {
		clusterBar(b, c.label, y, height)
		b.Text(headStyle, contentLeft, y, c.Name())
		x := contentLeft + headStyle.Width(c.Name()) + 6
		b.Text(dimStyle, x, y, linesOf(dimStyle, "· "+c.Details, x, 1)...)
		s.drawTiles(b, grid, contentLeft, y+images, c.Tiles)
		if more != "" {
			b.Text(dimStyle, contentLeft, y+end+8, more)
		}
	}}
}

func (s *Sheet) alternatives(plan *sheetPlan) []canvas.Strip {
	if len(plan.Others) == 0 {
		return nil
	}
	strips := append(rule(plan.OthersTitle()),
		canvas.Space(8), legend(fixed.Differs), canvas.Space(2), paragraph(dimStyle, fixed.Matching, sheetMargin, 3))
	for i := range plan.Others {
		g := &plan.Others[i]
		strips = append(strips, canvas.Space(26), paragraph(headStyle, g.Heading, sheetMargin, 2), canvas.Space(4))
		for j := range g.Blocks {
			strips = append(strips, canvas.Space(8), s.row(&g.Blocks[j]))
		}
		if more := g.More(); more != "" {
			strips = append(strips, canvas.Space(8), paragraph(dimStyle, more, sheetMargin, 1))
		}
	}
	return strips
}

// row draws a cluster of an alternative: name and size, then its images.
func (s *Sheet) row(c *block) canvas.Strip {
	const label = 170
	x := vg.Length(contentLeft + label)
	grid := gridFrom(x, canvas.RowTile(s.Height, s.Width))
	more, images := c.More(), grid.Height(len(c.Tiles))
	moreTop := vg.Length(0) // beside the images when they are one row with room to the right
	moreLeft := x + vg.Length(len(c.Tiles))*(grid.W+tileGap) + 4
	height := max(images, canvas.LineOf(textStyle))
	if len(c.Tiles) > grid.PerLine || more != "" && moreLeft+dimStyle.Width(more) > contentRight {
		moreTop, moreLeft = images+2, x
		if more != "" {
			height = images + 2 + canvas.LineOf(dimStyle)
		}
	} else {
		moreTop = (height - canvas.LineOf(dimStyle)) / 2
	}
	textTop := (min(height, max(grid.H, canvas.LineOf(textStyle))) - canvas.LineOf(textStyle)) / 2
	return canvas.Strip{Height: height, Draw: func(b canvas.Board, y vg.Length) {
		clusterBar(b, c.label, y, height)
		b.Text(textStyle, contentLeft, y+textTop, c.Name())
		b.Text(dimStyle, contentLeft+textStyle.Width(c.Name())+6, y+textTop, "· "+c.Details)
		s.drawTiles(b, grid, x, y, c.Tiles)
		b.Text(dimStyle, moreLeft, y+moreTop, more)
	}}
}
