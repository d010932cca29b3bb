package figure

import "slices"

// Gallery is a picture of clusterings of images, to be compared: each panel is one clustering, a row of images a
// cluster, and frames mark images.
type Gallery struct {
	Title         string
	Notes         []string
	Pixels        []float32 // [M,Height·Width] row-major, 0 black to 1 white; other values are cut off
	Height, Width int       // of one image, in pixels
	Names         []string  // [M] what each image is, for Records; nil: not known
	Marks         []GalleryMark
	Columns       int // panels beside each other; at least 1
	Panels        []GalleryPanel
}

// GalleryMark is a frame and what it means.
type GalleryMark struct {
	Name  string // for Records
	Text  string // for the legend
	Color int    // place in the palette
	Thick bool   // so that frames differ by more than their colour
}

// GalleryPanel is one clustering.
type GalleryPanel struct {
	Title string
	Order []int // images as a model met them, for Records; nil: not known
	Rows  []GalleryRow
}

// GalleryRow is one cluster.
type GalleryRow struct {
	Name  string
	Color int // of the bar beside its images: the number of a cluster
	Tiles []GalleryTile
}

// GalleryTile is an image with a frame: Mark is the place of a mark in Gallery.Marks, counted from 1; 0: no frame.
type GalleryTile struct{ Image, Mark int }

// Records has one row an image of a panel: panel, cluster, image, what it is, its place in the panel's order (0: not
// known), and the name of its mark.
func (g *Gallery) Records() *Records {
	r := &Records{Columns: []string{"panel", "cluster", "image", "name", "place", "mark"}}
	for _, p := range g.Panels {
		for _, row := range p.Rows {
			for _, t := range row.Tiles {
				name, mark := "", ""
				if g.Names != nil {
					name = g.Names[t.Image]
				}
				if t.Mark > 0 {
					mark = g.Marks[t.Mark-1].Name
				}
				place := slices.Index(p.Order, t.Image) + 1
				r.Rows = append(r.Rows, []any{p.Title, row.Name, t.Image, name, place, mark})
			}
		}
	}
	return r
}

// Check returns a reason if a panel shows an image or a mark that is not there.
func (g *Gallery) Check() error {
	f := Faults{Kind: "gallery:"}
	if !f.Demand(len(g.Panels) > 0 && g.Columns > 0 && g.Height > 0 && g.Width > 0, "nothing to draw") {
		return f.First
	}
	size := g.Height * g.Width
	images := len(g.Pixels) / size
	f.Demand(len(g.Pixels)%size == 0 && (g.Names == nil || len(g.Names) == images),
		"%d pixels and %d names for images of %d × %d", len(g.Pixels), len(g.Names), g.Height, g.Width)
	for i, v := range g.Pixels {
		f.Demand(Finite(float64(v)), "image %d has a pixel that is %v", i/size, v)
	}
	for _, p := range g.Panels {
		for _, row := range p.Rows {
			for _, t := range row.Tiles {
				f.Demand(t.Image >= 0 && t.Image < images && t.Mark >= 0 && t.Mark <= len(g.Marks),
					"panel %q has image %d with mark %d, of %d images and %d marks",
					p.Title, t.Image, t.Mark, images, len(g.Marks))
			}
		}
	}
	return f.First
}
