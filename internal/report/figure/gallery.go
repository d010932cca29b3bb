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
