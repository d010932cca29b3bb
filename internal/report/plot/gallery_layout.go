package plot

import (
	"image"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/text"
)

// Measures of a gallery, in points.
const (
	galleryGap       = 12 * canvas.Pixel // between images; frames reach into it
	galleryBar       = 9 * canvas.Pixel
	galleryLabel     = 62 * vg.Length(1) // room of a cluster's name
	galleryPanelGap  = 18 * vg.Length(1)
	galleryRowGap    = 9 * vg.Length(1)
	galleryLift      = 3 * vg.Length(1) // between a line of words and the images below it
	galleryLegendBox = 11 * vg.Length(1)
)

var (
	galleryTitle = canvas.Style(12, true, color.Black)
	galleryText  = canvas.Style(9.5, false, color.Black)
)

// galleryLayout places everything before anything is drawn: heights and drawing come from the same numbers.
type galleryLayout struct {
	gallery   *Gallery
	heading   canvas.Heading
	legend    vg.Length // upper edge of the legend
	panel     vg.Length // width of a panel
	tile      image.Point
	small     image.Point // of an image in a panel's order
	tops      []vg.Length // [panels] upper edges
	height    vg.Length
	perRow    int
	perStrip  int
	tileW     vg.Length
	tileH     vg.Length
	stripW    vg.Length
	stripH    vg.Length
	textLines [][]string // [panels] the panel's text in lines
}

func newGalleryLayout(g *Gallery) *galleryLayout {
	l := &galleryLayout{
		gallery: g, heading: canvas.Heading{Title: g.Title, Subtitle: g.Subtitle},
		tile:  canvas.TileSize(g.Height, g.Width, canvas.BlockSide, canvas.BlockSideLimit),
		small: canvas.TileSize(g.Height, g.Width, canvas.RowSide, canvas.RowSideLimit),
	}
	l.tileW, l.tileH = vg.Length(l.tile.X)*canvas.Pixel, vg.Length(l.tile.Y)*canvas.Pixel
	l.stripW, l.stripH = vg.Length(l.small.X)*canvas.Pixel, vg.Length(l.small.Y)*canvas.Pixel
	l.panel = (canvas.Room - galleryPanelGap*vg.Length(g.Columns-1)) / vg.Length(g.Columns)
	l.perRow = max(1, int((l.panel-galleryLabel+galleryGap)/(l.tileW+galleryGap)))
	l.perStrip = max(1, int(l.panel/l.stripW))
	l.legend = l.heading.Height()
	top := l.legend + vg.Length(len(g.Marks))*legendLine + 10
	for from := 0; from < len(g.Panels); from += g.Columns {
		tallest := vg.Length(0)
		for _, p := range g.Panels[from:min(from+g.Columns, len(g.Panels))] {
			lines := canvas.Wrapped(galleryText, p.Text, l.panel)
			l.tops, l.textLines = append(l.tops, top), append(l.textLines, lines)
			tallest = max(tallest, l.panelHeight(p, len(lines)))
		}
		top += tallest + galleryPanelGap
	}
	l.height = top - galleryPanelGap
	return l
}

func (l *galleryLayout) headHeight(p GalleryPanel, lineCount int) vg.Length {
	h := canvas.LineOf(galleryTitle) + vg.Length(lineCount)*canvas.LineOf(galleryText) + 6
	if p.Order != nil {
		lines := vg.Length(canvas.LinesFor(len(p.Order), l.perStrip))
		h += canvas.LineOf(canvas.Dim) + galleryLift + lines*(l.stripH+2*canvas.Pixel) + 10
	}
	return h
}

func (l *galleryLayout) rowHeight(r GalleryRow) vg.Length {
	n := vg.Length(canvas.LinesFor(len(r.Tiles), l.perRow))
	return max(n*(l.tileH+galleryGap)-galleryGap, 2*canvas.LineOf(canvas.Dim))
}

func (l *galleryLayout) panelHeight(p GalleryPanel, lineCount int) vg.Length {
	h := l.headHeight(p, lineCount)
	for _, r := range p.Rows {
		h += l.rowHeight(r) + galleryRowGap
	}
	return h
}

func (l *galleryLayout) draw(b canvas.Board) {
	l.heading.Draw(b)
	for i, m := range l.gallery.Marks {
		y := l.legend + vg.Length(i)*legendLine
		l.frame(b, 3, y+(legendLine-galleryLegendBox)/2, galleryLegendBox, galleryLegendBox, m)
		b.Fill(b.Rectangle(3, y+(legendLine-galleryLegendBox)/2, galleryLegendBox, galleryLegendBox), canvas.NoPartner)
		b.Text(galleryText, 3+galleryLegendBox+9, y+(legendLine-canvas.LineOf(galleryText))/2,
			canvas.Fitting(galleryText, m.Text, canvas.Room-galleryLegendBox-12))
	}
	for i, p := range l.gallery.Panels {
		x := vg.Length(i%l.gallery.Columns) * (l.panel + galleryPanelGap)
		l.drawPanel(b, x, l.tops[i], p, l.textLines[i])
	}
}

func (l *galleryLayout) drawPanel(b canvas.Board, x, y vg.Length, p GalleryPanel, textLines []string) {
	next := b.Text(galleryTitle, x, y, canvas.Fitting(galleryTitle, p.Title, l.panel))
	next = b.Text(galleryText, x, next, textLines...) + 6
	if p.Order != nil {
		next = b.Text(canvas.Dim, x, next, canvas.Fitting(canvas.Dim, p.OrderName, l.panel)) + galleryLift
		for j, i := range p.Order {
			at := next + vg.Length(j/l.perStrip)*(l.stripH+2*canvas.Pixel)
			b.Image(x+vg.Length(j%l.perStrip)*l.stripW, at, l.stripW, l.stripH, l.picture(i, l.small))
		}
	}
	y += l.headHeight(p, len(textLines))
	for _, r := range p.Rows {
		l.drawRow(b, x, y, r)
		y += l.rowHeight(r) + galleryRowGap
	}
}

func (l *galleryLayout) drawRow(b canvas.Board, x, y vg.Length, r GalleryRow) {
	h := l.rowHeight(r)
	b.Fill(b.Rectangle(x, y, galleryBar, h), canvas.Color(r.Color))
	next := b.Text(galleryText, x+galleryBar+5, y, canvas.Fitting(galleryText, r.Name, galleryLabel-galleryBar-8))
	b.Text(canvas.Dim, x+galleryBar+5, next, text.Plural(len(r.Tiles), "image"))
	for j, t := range r.Tiles {
		left := x + galleryLabel + vg.Length(j%l.perRow)*(l.tileW+galleryGap)
		top := y + vg.Length(j/l.perRow)*(l.tileH+galleryGap)
		if t.Mark > 0 {
			l.frame(b, left, top, l.tileW, l.tileH, l.gallery.Marks[t.Mark-1])
		}
		b.Image(left, top, l.tileW, l.tileH, l.picture(t.Image, l.tile))
	}
}

func (l *galleryLayout) picture(i int, size image.Point) *image.Gray {
	n := l.gallery.Height * l.gallery.Width
	return canvas.TilePicture(l.gallery.Pixels[i*n:(i+1)*n], l.gallery.Height, l.gallery.Width, size)
}

// frame draws a mark around a box.
func (l *galleryLayout) frame(b canvas.Board, x, y, w, h vg.Length, m GalleryMark) {
	style := draw.LineStyle{Color: canvas.Color(m.Color), Width: 2 * canvas.Pixel}
	switch m.Line {
	case MarkDashed:
		style.Dashes = []vg.Length{8 * canvas.Pixel, 5 * canvas.Pixel}
	case MarkThick:
		style.Width = 5 * canvas.Pixel
	}
	out := style.Width/2 + canvas.Pixel/2
	b.Stroke(b.Rectangle(x-out, y-out, w+2*out, h+2*out), style)
}
