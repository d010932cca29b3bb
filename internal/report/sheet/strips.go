package sheet

import (
	"fmt"
	"image"
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

// sheetLayout turns a plan into strips; heights and drawing come from the same code, so they cannot disagree.
type sheetLayout struct {
	sheet       *Sheet
	tile, small image.Point // sizes of images in the point estimate and in alternatives
	classes     map[int]string
}

func newSheetLayout(s *Sheet) *sheetLayout {
	return &sheetLayout{
		sheet: s, classes: s.classTexts(),
		tile: s.tileSize(canvas.BlockSide, canvas.BlockSideLimit), small: s.tileSize(canvas.RowSide, canvas.RowSideLimit),
	}
}

// strips returns the parts of the sheet from top to bottom.
func (l *sheetLayout) strips(plan *sheetPlan) []strip {
	return append(l.header(plan), l.body(plan)...)
}

// body is what stands below the header; its height depends on how many images a cluster may show.
func (l *sheetLayout) body(plan *sheetPlan) []strip {
	return append(l.pointEstimate(plan), l.alternatives(plan)...)
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
func (l *sheetLayout) header(plan *sheetPlan) []strip {
	s := l.sheet
	strips := []strip{paragraph(titleStyle, s.titleText(), sheetMargin, 3)}
	if sub := text.Clean(s.Subtitle); sub != "" {
		strips = append(strips, space(4), paragraph(dimStyle, sub, sheetMargin, 3))
	}
	strips = append(strips, space(14), paragraph(headStyle, s.summaryText(plan), sheetMargin, 1))
	for _, note := range s.noteTexts() {
		strips = append(strips, space(4), paragraph(textStyle, note, sheetMargin, 3))
	}
	if len(plan.bars) > 0 {
		strips = append(strips, space(22), l.bars(plan))
	}
	return strips
}

// bars draws the distribution of K: a bar a value, its probability above, K below.
func (l *sheetLayout) bars(plan *sheetPlan) strip {
	const pitch, width, full = 84, 44, 90
	top := canvas.LineOf(headStyle) + 8
	height := top + canvas.LineOf(textStyle) + full + 4 + canvas.LineOf(textStyle)
	return strip{height, func(p *painter, y vg.Length) {
		x := p.line(headStyle, sheetMargin, y, barsTitle)
		p.line(dimStyle, x+12, y, barsNote(plan))
		base := y + top + canvas.LineOf(textStyle) + full
		for i, q := range plan.bars {
			x = sheetMargin + vg.Length(i)*pitch + (pitch-width)/2
			h := max(2, vg.Length(math.Round(full*q.P)))
			c := canvas.Palette[4]
			if q.K == plan.point.k {
				c = canvas.Palette[0]
			}
			p.box(x, base-h, width, h, c)
			p.center(textStyle, x+width/2, base-h-canvas.LineOf(textStyle), formatProbability(q.P))
			p.center(textStyle, x+width/2, base+4, strconv.Itoa(q.K))
		}
		p.box(sheetMargin, base, vg.Length(len(plan.bars))*pitch, 1, canvas.Grey)
		p.line(dimStyle, sheetMargin+vg.Length(len(plan.bars))*pitch+10, base+4, moreBarsText(plan.moreBars))
	}}
}

// rule starts a section.
func (l *sheetLayout) rule(title string) []strip {
	return []strip{
		space(26),
		{1, func(p *painter, y vg.Length) { p.box(sheetMargin, y, sheetWidth-2*sheetMargin, 1, canvas.Rule) }},
		space(20),
		paragraph(sectionStyle, title, sheetMargin, 1),
	}
}

// legend explains the frame.
func (l *sheetLayout) legend(words string) strip {
	return strip{canvas.LineOf(textStyle), func(p *painter, y vg.Length) {
		const box = 14
		top := y + (canvas.LineOf(textStyle)-box)/2
		p.frame(sheetMargin+frameWidth, top, box, box)
		p.box(sheetMargin+frameWidth, top, box, box, canvas.NoPartner)
		p.line(textStyle, sheetMargin+box+2*frameWidth+10, y, words)
	}}
}

func (l *sheetLayout) pointEstimate(plan *sheetPlan) []strip {
	strips := l.rule("Clusters")
	if len(plan.unsure) > 0 {
		strips = append(strips, space(8), l.legend(uncertainText+"; these images come last"))
	}
	for i := range plan.point.blocks {
		strips = append(strips, space(22), l.cluster(&plan.point.blocks[i]))
	}
	if more := moreClustersText(&plan.point); more != "" {
		strips = append(strips, space(22), paragraph(dimStyle, more, sheetMargin, 1))
	}
	return strips
}

// cluster draws a heading, the images, and how many more there are.
func (l *sheetLayout) cluster(b *block) strip {
	n := perRow(contentLeft, l.tile)
	images := canvas.LineOf(headStyle) + 10
	end := images + gridHeight(len(b.tiles), n, l.tile)
	more, height := moreText(b, "uncertain"), end
	if more != "" {
		height += 8 + canvas.LineOf(dimStyle)
	}
	return strip{height, func(p *painter, y vg.Length) {
		p.clusterBar(b.label, y, height)
		x := p.line(headStyle, contentLeft, y, clusterText(b.label))
		rest := linesOf(dimStyle, "· "+l.sheet.details(b, l.classes), x+6, 1)
		p.Text(dimStyle, x+6, y, rest...)
		p.grid(b.tiles, l.tile, n, contentLeft, y+images)
		if more != "" {
			p.line(dimStyle, contentLeft, y+end+8, more)
		}
	}}
}

func (l *sheetLayout) alternatives(plan *sheetPlan) []strip {
	if len(plan.others) == 0 {
		return nil
	}
	strips := append(l.rule(alternativesTitle(len(plan.others))),
		space(8), l.legend(differsText), space(2), paragraph(dimStyle, matchingText, sheetMargin, 3))
	for i := range plan.others {
		g := &plan.others[i]
		heading := fmt.Sprintf("%d · %s", i+1, alternativeText(&l.sheet.Alternatives[i], g))
		strips = append(strips, space(26), paragraph(headStyle, heading, sheetMargin, 2), space(4))
		for j := range g.blocks {
			strips = append(strips, space(8), l.row(&g.blocks[j]))
		}
		if more := moreClustersText(g); more != "" {
			strips = append(strips, space(8), paragraph(dimStyle, more, sheetMargin, 1))
		}
	}
	return strips
}

// row draws a cluster of an alternative: name and size, then its images.
func (l *sheetLayout) row(b *block) strip {
	const label = 170
	x := vg.Length(contentLeft + label)
	n := perRow(x, l.small)
	more := moreText(b, "differ")
	grid := gridHeight(len(b.tiles), n, l.small)
	moreTop := vg.Length(0) // beside the images when they are one row with room to the right
	moreLeft := x + vg.Length(len(b.tiles)*(l.small.X+tileGap)) + 4
	height := max(grid, canvas.LineOf(textStyle))
	if len(b.tiles) > n || more != "" && moreLeft+dimStyle.Width(more) > contentRight {
		moreTop, moreLeft = grid+2, x
		if more != "" {
			height = grid + 2 + canvas.LineOf(dimStyle)
		}
	} else {
		moreTop = (height - canvas.LineOf(dimStyle)) / 2
	}
	textTop := (min(height, max(vg.Length(l.small.Y), canvas.LineOf(textStyle))) - canvas.LineOf(textStyle)) / 2
	return strip{height, func(p *painter, y vg.Length) {
		p.clusterBar(b.label, y, height)
		end := p.line(textStyle, contentLeft, y+textTop, clusterText(b.label))
		p.line(dimStyle, end+6, y+textTop, "· "+text.Number(b.images))
		p.grid(b.tiles, l.small, n, x, y)
		p.line(dimStyle, moreLeft, y+moreTop, more)
	}}
}
