// Package figure holds pictures as data: charts, decision graphs and galleries. Package plot draws them.
package figure

import (
	"image/color"
	"math"
	"slices"
)

// Picture is a Chart, a Graph or a Gallery.
type Picture interface {
	// Records returns the numbers behind the picture as rows.
	Records() *Records
}

// Records is data as rows of equal length: strings, numbers and booleans. Every column has a name.
type Records struct {
	Columns []string
	Rows    [][]any
}

// UncertainBelow is the probability of its cluster below which a point is drawn as uncertain.
const UncertainBelow = 0.9

// Palette are eight colours for the colour-blind (Okabe & Ito 2008, "Color Universal Design"), strongest first.
var Palette = []color.RGBA{
	{0x00, 0x72, 0xB2, 0xFF}, // blue
	{0xE6, 0x9F, 0x00, 0xFF}, // orange
	{0x00, 0x9E, 0x73, 0xFF}, // bluish green
	{0xCC, 0x79, 0xA7, 0xFF}, // reddish purple
	{0x56, 0xB4, 0xE9, 0xFF}, // sky blue
	{0xD5, 0x5E, 0x00, 0xFF}, // vermilion
	{0x00, 0x00, 0x00, 0xFF}, // black
	{0xF0, 0xE4, 0x42, 0xFF}, // yellow
}

// Finite reports whether v is a number that can be drawn.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Grey is the colour of a pixel from 0, black, to 1, white; other values are cut off.
func Grey(v float32) color.Gray {
	return color.Gray{Y: uint8(math.Round(255 * float64(min(max(v, 0), 1))))}
}

// Graph is a picture of sequential decisions: states in columns from left to right, and an edge for each decision.
type Graph struct {
	Title  string
	Notes  []string // below the drawing
	States []State
	Edges  []Edge
}

// State is a partial clustering.
type State struct {
	Column  int      // 0 is the leftmost
	Row     float64  // 0 is the topmost; between two rows is allowed
	Name    string   // for Records
	Lines   []string // its text
	In, Out float64  // the flow into the state and out of it, for Records; NaN without such a flow
}

// Edge is a decision.
type Edge struct {
	From, To int     // places in Graph.States
	Flow     float64 // for Records
	P        float64 // probability of the decision in its state, for Records
	Weight   float64 // 0 … 1: how thick it is drawn
}

// Records has one row an edge: the states, flow, probability, weight, and the flows into and out of the first state.
func (g *Graph) Records() *Records {
	r := &Records{Columns: []string{"from", "to", "flow", "p", "weight", "from_in", "from_out"}}
	for _, e := range g.Edges {
		from, to := g.States[e.From], g.States[e.To]
		r.Rows = append(r.Rows, []any{from.Name, to.Name, e.Flow, e.P, e.Weight, from.In, from.Out})
	}
	return r
}

// Gallery compares clusterings of images: a panel for each clustering, a row of images for each cluster, some
// images with a frame.
type Gallery struct {
	Title         string
	Notes         []string
	Pixels        []float32 // [M,Height·Width] row-major, 0 black to 1 white; other values are cut off
	Height, Width int       // of one image, in pixels
	Names         []string  // [M] name of each image, for Records; nil: not known
	Framed        string    // what a frame around an image means, for the legend
	Columns       int       // panels beside each other; at least 1
	Panels        []GalleryPanel
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

// GalleryTile is an image of a row.
type GalleryTile struct {
	Image  int
	Framed bool
}

// Records has one row an image of a panel: its cluster, name, place in the panel's order (0: not known), and whether it
// has a frame.
func (g *Gallery) Records() *Records {
	r := &Records{Columns: []string{"panel", "cluster", "image", "name", "place", "framed"}}
	for _, p := range g.Panels {
		for _, row := range p.Rows {
			for _, t := range row.Tiles {
				name := ""
				if g.Names != nil {
					name = g.Names[t.Image]
				}
				place := slices.Index(p.Order, t.Image) + 1
				r.Rows = append(r.Rows, []any{p.Title, row.Name, t.Image, name, place, t.Framed})
			}
		}
	}
	return r
}
