package plot

import (
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
)

// Gallery is a picture of clusterings of images, to be compared: each panel is one clustering, a row of images a
// cluster, and frames mark images. The images are shown as they are, 0 black to 1 white.
type Gallery struct {
	Title, Subtitle string
	Pixels          []float32 // [M,Height·Width] row-major, 0 black to 1 white; other values are cut off
	Height, Width   int       // of one image, in pixels
	Names           []string  // [M] what each image is, for Records; nil: not known
	Marks           []GalleryMark
	Columns         int // panels beside each other; at least 1
	Panels          []GalleryPanel
}

// GalleryMark is a frame and what it means.
type GalleryMark struct {
	Name  string // short, for Records
	Text  string // for the legend
	Color int    // of the eight colours of report, by number
	Line  MarkLine
}

// MarkLine is the line of a frame, so that frames differ by more than their colour.
type MarkLine int

// The lines.
const (
	MarkThin MarkLine = iota
	MarkDashed
	MarkThick
)

// GalleryPanel is one clustering.
type GalleryPanel struct {
	Title string
	Text  string // a line or two below the title; may be empty
	// Order lists images in one line above the clusters, such as the order in which a model met them; nil: no such
	// line.
	Order     []int
	OrderName string
	Rows      []GalleryRow
}

// GalleryRow is one cluster.
type GalleryRow struct {
	Name  string
	Color int // of the bar beside its images: the number of a cluster
	Tiles []GalleryTile
}

// GalleryTile is an image with a frame: Mark is the place of a mark in Gallery.Marks, counted from 1; 0 is none.
type GalleryTile struct{ Image, Mark int }

// Save writes the picture, images and all, to path: see Curve.Save. It fails on images or marks that are not there.
func (g *Gallery) Save(path string) error { return save(g, path) }

// Records has one row an image of a panel: panel, cluster, image, what it is, its place in the panel's order (0: there
// is none), and the name of its mark.
func (g *Gallery) Records() *table.Records {
	r := &table.Records{Columns: []string{"panel", "cluster", "image", "name", "place", "mark"}}
	for _, p := range g.Panels {
		for _, row := range p.Rows {
			for _, t := range row.Tiles {
				r.Rows = append(r.Rows, []any{
					p.Title, row.Name, t.Image, g.nameOf(t.Image), slices.Index(p.Order, t.Image) + 1,
					g.markName(t.Mark),
				})
			}
		}
	}
	return r
}

func (g *Gallery) nameOf(image int) string {
	if g.Names == nil {
		return ""
	}
	return g.Names[image]
}

func (g *Gallery) markName(mark int) string {
	if mark == 0 {
		return ""
	}
	return g.Marks[mark-1].Name
}

func (g *Gallery) check() error {
	f := canvas.Faults{Kind: "gallery:"}
	if !f.Demand(len(g.Panels) > 0 && g.Columns > 0 && g.Height > 0 && g.Width > 0, "nothing to draw") {
		return f.First
	}
	size, images := g.Height*g.Width, len(g.Pixels)/(g.Height*g.Width)
	f.Demand(len(g.Pixels)%size == 0 && (g.Names == nil || len(g.Names) == images),
		"%d pixels and %d names for images of %d × %d", len(g.Pixels), len(g.Names), g.Height, g.Width)
	nan := slices.IndexFunc(g.Pixels, func(v float32) bool { return math.IsNaN(float64(v)) })
	f.Demand(nan < 0, "image %d has a pixel that is NaN", nan/size)
	for _, p := range g.Panels {
		var tiles []GalleryTile
		for _, image := range p.Order {
			tiles = append(tiles, GalleryTile{Image: image})
		}
		for _, row := range p.Rows {
			tiles = append(tiles, row.Tiles...)
			f.Demand(row.Color >= 0, "cluster %q of panel %q has the colour %d", row.Name, p.Title, row.Color)
		}
		for _, t := range tiles {
			f.Demand(t.Image >= 0 && t.Image < images && t.Mark >= 0 && t.Mark <= len(g.Marks),
				"panel %q has image %d with mark %d, of %d images and %d marks",
				p.Title, t.Image, t.Mark, images, len(g.Marks))
		}
	}
	return f.First
}

// height makes a gallery tall.
func (g *Gallery) height() vg.Length { return newGalleryLayout(g).height }

func (g *Gallery) draw(c draw.Canvas) {
	newGalleryLayout(g).draw(canvas.Board{C: c, Pixel: canvas.Pixel})
}

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
	tile := canvas.BlockTile(g.Height, g.Width)
	l.tiles = canvas.NewTileGrid(tile, canvas.Pixel, galleryGap, galleryGap, l.panel-galleryLabel)
	small := canvas.RowTile(g.Height, g.Width)
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
