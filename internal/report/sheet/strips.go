package sheet

import (
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/text"
)

// Styles of the sheet's text.
var (
	titleStyle   = canvas.Style(30, true, canvas.Ink)
	sectionStyle = canvas.Style(22, true, canvas.Ink)
	headStyle    = canvas.Style(17, true, canvas.Ink)
	textStyle    = canvas.Style(16, false, canvas.Ink)
	dimStyle     = canvas.Style(16, false, canvas.Grey)
)

// strips returns the parts of the sheet from top to bottom.
func (s *Sheet) strips(plan *sheetPlan) []strip { return append(s.header(plan), s.body(plan)...) }

// body is what stands below the header; its height depends on how many images a cluster may show.
func (s *Sheet) body(plan *sheetPlan) []strip {
	return append(s.pointEstimate(plan), s.alternatives(plan)...)
}

// heightOf is the height of a picture with these parts.
func heightOf(strips []strip) vg.Length {
	height := vg.Length(2 * sheetMargin)
	for _, s := range strips {
		height += s.height
	}
	return height
}

func space(height vg.Length) strip { return strip{height: height} }

// paragraph sets s in lines from x on.
func paragraph(t draw.TextStyle, s string, x vg.Length, most int) strip {
	lines := linesOf(t, s, x, most)
	return strip{vg.Length(len(lines)) * canvas.LineOf(t), func(p *painter, y vg.Length) { p.Text(t, x, y, lines...) }}
}

// header is what stands above the clusters.
func (s *Sheet) header(plan *sheetPlan) []strip {
	strips := []strip{paragraph(titleStyle, s.titleText(), sheetMargin, 3)}
	if sub := text.Clean(s.Subtitle); sub != "" {
		strips = append(strips, space(4), paragraph(dimStyle, sub, sheetMargin, 3))
	}
	strips = append(strips, space(14), paragraph(headStyle, s.summaryText(plan), sheetMargin, 1))
	for _, note := range s.noteTexts() {
		strips = append(strips, space(4), paragraph(textStyle, note, sheetMargin, 3))
	}
	if len(plan.Bars) > 0 {
		strips = append(strips, space(22), barStrip(plan))
	}
	return strips
}

// barStrip draws the distribution of K: a bar a value, its probability above, K below.
func barStrip(plan *sheetPlan) strip {
	const pitch, width, full = 84, 44, 90
	top := canvas.LineOf(headStyle) + 8
	height := top + canvas.LineOf(textStyle) + full + 4 + canvas.LineOf(textStyle)
	return strip{height, func(p *painter, y vg.Length) {
		x := p.line(headStyle, sheetMargin, y, fixed.Bars)
		p.line(dimStyle, x+12, y, plan.BarsNote())
		base := y + top + canvas.LineOf(textStyle) + full
		for i, q := range plan.Bars {
			x = sheetMargin + vg.Length(i)*pitch + (pitch-width)/2
			h := max(2, vg.Length(math.Round(full*q.P)))
			c := canvas.Palette[4]
			if q.K == plan.Point.K {
				c = canvas.Palette[0]
			}
			p.box(x, base-h, width, h, c)
			p.center(textStyle, x+width/2, base-h-canvas.LineOf(textStyle), formatProbability(q.P))
			p.center(textStyle, x+width/2, base+4, strconv.Itoa(q.K))
		}
		p.box(sheetMargin, base, vg.Length(len(plan.Bars))*pitch, 1, canvas.Grey)
		p.line(dimStyle, sheetMargin+vg.Length(len(plan.Bars))*pitch+10, base+4, plan.MoreBars())
	}}
}

// rule starts a section.
func rule(title string) []strip {
	return []strip{
		space(26),
		{1, func(p *painter, y vg.Length) { p.box(sheetMargin, y, sheetWidth-2*sheetMargin, 1, canvas.Rule) }},
		space(20),
		paragraph(sectionStyle, title, sheetMargin, 1),
	}
}

// legend explains the frame.
func legend(words string) strip {
	return strip{canvas.LineOf(textStyle), func(p *painter, y vg.Length) {
		const box = 14
		top := y + (canvas.LineOf(textStyle)-box)/2
		p.frame(sheetMargin+frameWidth, top, box, box)
		p.box(sheetMargin+frameWidth, top, box, box, canvas.NoPartner)
		p.line(textStyle, sheetMargin+box+2*frameWidth+10, y, words)
	}}
}

func (s *Sheet) pointEstimate(plan *sheetPlan) []strip {
	strips := rule("Clusters")
	if len(plan.Unsure) > 0 {
		strips = append(strips, space(8), legend(fixed.Uncertain))
	}
	for i := range plan.Point.Blocks {
		strips = append(strips, space(22), s.cluster(&plan.Point.Blocks[i]))
	}
	if more := plan.Point.More(); more != "" {
		strips = append(strips, space(22), paragraph(dimStyle, more, sheetMargin, 1))
	}
	return strips
}

// cluster draws a heading, the images, and how many more there are.
func (s *Sheet) cluster(b *block) strip {
	size := s.tile()
	n := perRow(contentLeft, size)
	images := canvas.LineOf(headStyle) + 10
	end := images + gridHeight(len(b.Tiles), n, size)
	more, height := b.More(), end
	if more != "" {
		height += 8 + canvas.LineOf(dimStyle)
	}
	return strip{height, func(p *painter, y vg.Length) {
		p.clusterBar(b.label, y, height)
		x := p.line(headStyle, contentLeft, y, b.Name())
		rest := linesOf(dimStyle, "· "+b.Details, x+6, 1)
		p.Text(dimStyle, x+6, y, rest...)
		p.grid(b.Tiles, size, n, contentLeft, y+images)
		if more != "" {
			p.line(dimStyle, contentLeft, y+end+8, more)
		}
	}}
}

func (s *Sheet) alternatives(plan *sheetPlan) []strip {
	if len(plan.Others) == 0 {
		return nil
	}
	strips := append(rule(plan.OthersTitle()),
		space(8), legend(fixed.Differs), space(2), paragraph(dimStyle, fixed.Matching, sheetMargin, 3))
	for i := range plan.Others {
		g := &plan.Others[i]
		strips = append(strips, space(26), paragraph(headStyle, g.Heading, sheetMargin, 2), space(4))
		for j := range g.Blocks {
			strips = append(strips, space(8), s.row(&g.Blocks[j]))
		}
		if more := g.More(); more != "" {
			strips = append(strips, space(8), paragraph(dimStyle, more, sheetMargin, 1))
		}
	}
	return strips
}

// row draws a cluster of an alternative: name and size, then its images.
func (s *Sheet) row(b *block) strip {
	const label = 170
	x := vg.Length(contentLeft + label)
	size := s.smallTile()
	n := perRow(x, size)
	more := b.More()
	grid := gridHeight(len(b.Tiles), n, size)
	moreTop := vg.Length(0) // beside the images when they are one row with room to the right
	moreLeft := x + vg.Length(len(b.Tiles)*(size.X+tileGap)) + 4
	height := max(grid, canvas.LineOf(textStyle))
	if len(b.Tiles) > n || more != "" && moreLeft+dimStyle.Width(more) > contentRight {
		moreTop, moreLeft = grid+2, x
		if more != "" {
			height = grid + 2 + canvas.LineOf(dimStyle)
		}
	} else {
		moreTop = (height - canvas.LineOf(dimStyle)) / 2
	}
	textTop := (min(height, max(vg.Length(size.Y), canvas.LineOf(textStyle))) - canvas.LineOf(textStyle)) / 2
	return strip{height, func(p *painter, y vg.Length) {
		p.clusterBar(b.label, y, height)
		end := p.line(textStyle, contentLeft, y+textTop, b.Name())
		p.line(dimStyle, end+6, y+textTop, "· "+b.Details)
		p.grid(b.Tiles, size, n, x, y)
		p.line(dimStyle, moreLeft, y+moreTop, more)
	}}
}
