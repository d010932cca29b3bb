package sheet

import (
	"fmt"
	"image"
	"strconv"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/text"
)

// sheetLayout turns a plan into strips; heights and drawing come from the same code, so they cannot disagree.
type sheetLayout struct {
	sheet                           *Sheet
	title, section, head, text, dim sheetStyle
	tile, small                     image.Point // sizes of images in the point estimate and in alternatives
	classes                         map[int]string
}

func newSheetLayout(s *Sheet) *sheetLayout {
	return &sheetLayout{
		sheet:   s,
		title:   newSheetStyle(30, true, canvas.Ink),
		section: newSheetStyle(22, true, canvas.Ink),
		head:    newSheetStyle(17, true, canvas.Ink),
		text:    newSheetStyle(16, false, canvas.Ink),
		dim:     newSheetStyle(16, false, canvas.Grey),
		tile:    s.tileSize(canvas.BlockSide, canvas.BlockSideLimit),
		small:   s.tileSize(canvas.RowSide, canvas.RowSideLimit),
		classes: s.classTexts(),
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
func heightOf(strips []strip) int {
	height := 2 * sheetMargin
	for _, s := range strips {
		height += s.height
	}
	return height
}

func space(height int) strip { return strip{height: height} }

// paragraph sets s in lines from x on.
func paragraph(t *sheetStyle, s string, x, most int) strip {
	if s == "" {
		return strip{}
	}
	lines := t.lines(s, x, most)
	return strip{len(lines) * t.line, func(p *sheetPainter, y int) {
		for i, line := range lines {
			p.text(t, x, y+i*t.line, line)
		}
	}}
}

// header is what stands above the clusters.
func (l *sheetLayout) header(plan *sheetPlan) []strip {
	s := l.sheet
	strips := []strip{paragraph(&l.title, s.titleText(), sheetMargin, 3)}
	if sub := text.Clean(s.Subtitle); sub != "" {
		strips = append(strips, space(4), paragraph(&l.dim, sub, sheetMargin, 3))
	}
	strips = append(strips, space(14), paragraph(&l.head, s.summaryText(plan), sheetMargin, 1))
	for _, note := range s.noteTexts() {
		strips = append(strips, space(4), paragraph(&l.text, note, sheetMargin, 3))
	}
	if len(plan.bars) > 0 {
		strips = append(strips, space(22), l.bars(plan))
	}
	return strips
}

// bars draws the distribution of K: a bar a value, its probability above, K below.
func (l *sheetLayout) bars(plan *sheetPlan) strip {
	const pitch, width, full = 84, 44, 90
	top := l.head.line + 8
	height := top + l.text.line + full + 4 + l.text.line
	return strip{height, func(p *sheetPainter, y int) {
		x := p.text(&l.head, sheetMargin, y, barsTitle)
		p.text(&l.dim, x+12, y, barsNote(plan))
		base := y + top + l.text.line + full
		for i, q := range plan.bars {
			x = sheetMargin + i*pitch + (pitch-width)/2
			h := max(2, int(full*q.P+0.5))
			c := canvas.Palette[4]
			if q.K == plan.point.k {
				c = canvas.Palette[0]
			}
			p.fill(x, base-h, width, h, c)
			p.center(&l.text, x+width/2, base-h-l.text.line, formatProbability(q.P))
			p.center(&l.text, x+width/2, base+4, strconv.Itoa(q.K))
		}
		p.fill(sheetMargin, base, len(plan.bars)*pitch, 1, canvas.Grey)
		p.text(&l.dim, sheetMargin+len(plan.bars)*pitch+10, base+4, moreBarsText(plan.moreBars))
	}}
}

func (p *sheetPainter) center(t *sheetStyle, x, y int, s string) {
	p.text(t, x-t.width(s)/2, y, s)
}

// rule starts a section.
func (l *sheetLayout) rule(title string) []strip {
	return []strip{
		space(26),
		{1, func(p *sheetPainter, y int) { p.fill(sheetMargin, y, sheetWidth-2*sheetMargin, 1, canvas.Rule) }},
		space(20),
		paragraph(&l.section, title, sheetMargin, 1),
	}
}

// legend explains the frame.
func (l *sheetLayout) legend(words string) strip {
	return strip{l.text.line, func(p *sheetPainter, y int) {
		const box = 14
		size, top := image.Pt(box, box), y+(l.text.line-box)/2
		p.frame(sheetMargin+frameWidth, top, size)
		p.fill(sheetMargin+frameWidth, top, box, box, canvas.NoPartner)
		p.text(&l.text, sheetMargin+box+2*frameWidth+10, y, words)
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
		strips = append(strips, space(22), paragraph(&l.dim, more, sheetMargin, 1))
	}
	return strips
}

// cluster draws a heading, the images, and how many more there are.
func (l *sheetLayout) cluster(b *block) strip {
	n := perRow(contentLeft, l.tile)
	images := l.head.line + 10
	end := images + gridHeight(len(b.tiles), n, l.tile)
	more, height := moreText(b, "uncertain"), end
	if more != "" {
		height += 8 + l.dim.line
	}
	return strip{height, func(p *sheetPainter, y int) {
		p.clusterBar(b.label, y, height)
		x := p.text(&l.head, contentLeft, y, clusterText(b.label))
		rest := l.dim.lines("· "+l.sheet.details(b, l.classes), x+6, 1)
		p.text(&l.dim, x+6, y, rest[0])
		p.grid(b.tiles, l.tile, n, contentLeft, y+images)
		if more != "" {
			p.text(&l.dim, contentLeft, y+end+8, more)
		}
	}}
}

func (l *sheetLayout) alternatives(plan *sheetPlan) []strip {
	if len(plan.others) == 0 {
		return nil
	}
	strips := append(l.rule(alternativesTitle(len(plan.others))),
		space(8), l.legend(differsText), space(2), paragraph(&l.dim, matchingText, sheetMargin, 3))
	for i := range plan.others {
		g := &plan.others[i]
		heading := fmt.Sprintf("%d · %s", i+1, alternativeText(&l.sheet.Alternatives[i], g))
		strips = append(strips, space(26), paragraph(&l.head, heading, sheetMargin, 2), space(4))
		for j := range g.blocks {
			strips = append(strips, space(8), l.row(&g.blocks[j]))
		}
		if more := moreClustersText(g); more != "" {
			strips = append(strips, space(8), paragraph(&l.dim, more, sheetMargin, 1))
		}
	}
	return strips
}

// row draws a cluster of an alternative: name and size, then its images.
func (l *sheetLayout) row(b *block) strip {
	const label = 170
	x := contentLeft + label
	n := perRow(x, l.small)
	more := moreText(b, "differ")
	grid := gridHeight(len(b.tiles), n, l.small)
	moreTop := 0 // beside the images when they are one row with room to the right
	moreLeft := x + len(b.tiles)*(l.small.X+tileGap) + 4
	height := max(grid, l.text.line)
	if len(b.tiles) > n || more != "" && moreLeft+l.dim.width(more) > contentRight {
		moreTop, moreLeft = grid+2, x
		if more != "" {
			height = grid + 2 + l.dim.line
		}
	} else {
		moreTop = (height - l.dim.line) / 2
	}
	textTop := (min(height, max(l.small.Y, l.text.line)) - l.text.line) / 2
	return strip{height, func(p *sheetPainter, y int) {
		p.clusterBar(b.label, y, height)
		end := p.text(&l.text, contentLeft, y+textTop, clusterText(b.label))
		p.text(&l.dim, end+6, y+textTop, "· "+text.Number(b.images))
		p.grid(b.tiles, l.small, n, x, y)
		p.text(&l.dim, moreLeft, y+moreTop, more)
	}}
}
