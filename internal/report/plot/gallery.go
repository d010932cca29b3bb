package plot

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/report/table"
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

// Save writes the picture to path, in the format of its extension: .svg or .png, 1200 pixels wide. The images are part
// of the file. It fails on an unknown extension, on nothing to draw, and on images or marks that are not there.
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
	if len(g.Panels) == 0 || g.Columns < 1 || g.Height < 1 || g.Width < 1 {
		return errors.New("gallery: nothing to draw")
	}
	size := g.Height * g.Width
	if len(g.Pixels)%size != 0 || g.Names != nil && len(g.Names) != len(g.Pixels)/size {
		return fmt.Errorf("gallery: %d pixels and %d names for images of %d × %d", len(g.Pixels), len(g.Names), g.Height,
			g.Width)
	}
	if i := slices.IndexFunc(g.Pixels, func(v float32) bool { return math.IsNaN(float64(v)) }); i >= 0 {
		return fmt.Errorf("gallery: image %d has a pixel that is NaN", i/size)
	}
	for _, p := range g.Panels {
		var tiles []GalleryTile
		for _, image := range p.Order {
			tiles = append(tiles, GalleryTile{Image: image})
		}
		for _, row := range p.Rows {
			tiles = append(tiles, row.Tiles...)
			if row.Color < 0 {
				return fmt.Errorf("gallery: cluster %q of panel %q has the colour %d", row.Name, p.Title, row.Color)
			}
		}
		for _, t := range tiles {
			if t.Image < 0 || t.Image >= len(g.Pixels)/size || t.Mark < 0 || t.Mark > len(g.Marks) {
				return fmt.Errorf("gallery: panel %q has image %d with mark %d, of %d images and %d marks", p.Title, t.Image,
					t.Mark, len(g.Pixels)/size, len(g.Marks))
			}
		}
	}
	return nil
}

// height makes a gallery tall.
func (g *Gallery) height() vg.Length {
	return canvas.WholePixels(newGalleryLayout(g).height + 2*canvas.Margin)
}

func (g *Gallery) draw(c draw.Canvas) {
	newGalleryLayout(g).draw(canvas.Board{C: c, Pixel: canvas.Pixel})
}
