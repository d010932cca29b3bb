package plot

import (
	"image"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/text"
)

// Measures of a gallery, in points.
const (
	galleryGap       = 12 * canvas.Pixel // between images; frames reach into it
	galleryOrderGap  = 2 * canvas.Pixel  // between lines of a panel's order
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

// galleryLayout places everything before anything is drawn.
type galleryLayout struct {
	gallery *Gallery
	heading []canvas.Strip
	legend  vg.Length       // upper edge of the legend
	panel   vg.Length       // width of a panel
	tiles   canvas.TileGrid // of a cluster
	order   canvas.TileGrid // of a panel's order
	strips  [][]canvas.Strip
	tops    []vg.Length // [panels] upper edges
	height  vg.Length
}

func newGalleryLayout(g *Gallery) *galleryLayout {
	l := &galleryLayout{gallery: g, heading: canvas.Heading(g.Title, g.Subtitle)}
	l.panel = (canvas.Room - galleryPanelGap*vg.Length(g.Columns-1)) / vg.Length(g.Columns)
	tile := canvas.TileSize(g.Height, g.Width, canvas.BlockSide, canvas.BlockSideLimit)
	l.tiles = canvas.NewTileGrid(tile, canvas.Pixel, galleryGap, galleryGap, l.panel-galleryLabel)
	small := canvas.TileSize(g.Height, g.Width, canvas.RowSide, canvas.RowSideLimit)
	l.order = canvas.NewTileGrid(small, canvas.Pixel, 0, galleryOrderGap, l.panel)
	l.legend = canvas.HeightOf(l.heading)
	top := l.legend + vg.Length(len(g.Marks))*legendLine + 10
	for panels := range slices.Chunk(g.Panels, g.Columns) {
		tallest := vg.Length(0)
		for i, p := range panels {
			x := vg.Length(i) * (l.panel + galleryPanelGap)
			strips := l.head(p, x)
			for _, r := range p.Rows {
				strips = append(strips, l.row(r, x), canvas.Space(galleryRowGap))
			}
			l.tops, l.strips = append(l.tops, top), append(l.strips, strips)
			tallest = max(tallest, canvas.HeightOf(strips))
		}
		top += tallest + galleryPanelGap
	}
	l.height = top - galleryPanelGap
	return l
}

// head is what stands above the clusters of a panel.
func (l *galleryLayout) head(p GalleryPanel, x vg.Length) []canvas.Strip {
	strips := []canvas.Strip{
		canvas.Lines(galleryTitle, x, canvas.Fitting(galleryTitle, p.Title, l.panel)),
		canvas.Lines(galleryText, x, canvas.Wrapped(galleryText, p.Text, l.panel)...),
		canvas.Space(6),
	}
	if p.Order == nil {
		return strips
	}
	images := func(b canvas.Board, y vg.Length) {
		l.order.Draw(b, x, y, len(p.Order), func(i int, _, _ vg.Length) image.Image {
			return l.picture(p.Order[i], l.order.Size)
		})
	}
	return append(strips, canvas.Lines(canvas.Dim, x, canvas.Fitting(canvas.Dim, p.OrderName, l.panel)),
		canvas.Space(galleryLift), canvas.Strip{Height: l.order.Height(len(p.Order)), Draw: images},
		canvas.Space(galleryOrderGap+10))
}

// row is a cluster: its bar, name and size, then its images.
func (l *galleryLayout) row(r GalleryRow, x vg.Length) canvas.Strip {
	height := max(l.tiles.Height(len(r.Tiles)), 2*canvas.LineOf(canvas.Dim))
	return canvas.Strip{Height: height, Draw: func(b canvas.Board, y vg.Length) {
		b.Box(x, y, galleryBar, height, canvas.Color(r.Color))
		next := b.Text(galleryText, x+galleryBar+5, y, canvas.Fitting(galleryText, r.Name, galleryLabel-galleryBar-8))
		b.Text(canvas.Dim, x+galleryBar+5, next, text.Plural(len(r.Tiles), "image"))
		l.tiles.Draw(b, x+galleryLabel, y, len(r.Tiles), func(i int, left, top vg.Length) image.Image {
			t := r.Tiles[i]
			if t.Mark > 0 {
				frame(b, left, top, l.tiles.W, l.tiles.H, l.gallery.Marks[t.Mark-1])
			}
			return l.picture(t.Image, l.tiles.Size)
		})
	}}
}

func (l *galleryLayout) draw(b canvas.Board) {
	b.Stack(0, l.heading)
	for i, m := range l.gallery.Marks {
		y := l.legend + vg.Length(i)*legendLine
		frame(b, 3, y+(legendLine-galleryLegendBox)/2, galleryLegendBox, galleryLegendBox, m)
		b.Box(3, y+(legendLine-galleryLegendBox)/2, galleryLegendBox, galleryLegendBox, canvas.NoPartner)
		b.Text(galleryText, 3+galleryLegendBox+9, y+(legendLine-canvas.LineOf(galleryText))/2,
			canvas.Fitting(galleryText, m.Text, canvas.Room-galleryLegendBox-12))
	}
	for i, strips := range l.strips {
		b.Stack(l.tops[i], strips)
	}
}

func (l *galleryLayout) picture(i int, size image.Point) *image.Gray {
	n := l.gallery.Height * l.gallery.Width
	return canvas.TilePicture(l.gallery.Pixels[i*n:(i+1)*n], l.gallery.Height, l.gallery.Width, size)
}

// frame draws a mark around a box.
func frame(b canvas.Board, x, y, w, h vg.Length, m GalleryMark) {
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
