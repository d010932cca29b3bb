package canvas

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var (
	Ink       = color.RGBA{0x1A, 0x1A, 0x1A, 0xFF}
	Grey      = color.RGBA{0x55, 0x55, 0x55, 0xFF}
	Rule      = color.RGBA{0xD8, 0xD8, 0xD8, 0xFF}
	NoPartner = color.RGBA{0x99, 0x99, 0x99, 0xFF}
	Frame     = Palette[5] // vermilion: it stands out on white, black and grey
)

// Bold is the weight of that name in golang.org/x/image/font, from which the plotting library takes its type.
const Bold = 3

// UncertainBelow is the probability of its label below which a point is drawn as uncertain.
const UncertainBelow = 0.9

// Size of a picture: 8 × 6 inches, as PNG 1200 × 900 pixels. One that is tall has a height of its own.
const (
	Width  = 8 * vg.Inch
	Height = 6 * vg.Inch
	DPI    = 150
	Margin = 10 * vg.Length(1) // points of white around everything
)

// Font is the one typeface of all pictures; it is part of the plotting library.
func Font(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

var AxisGrey = color.RGBA{0x60, 0x60, 0x60, 0xFF}

// Palette are the eight colours that stay apart for the common kinds of colour blindness (Okabe & Ito 2008, "Color
// Universal Design"), strongest on white first.
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

// Neutral is the cluster whose hollow glyph, black and grey, stands for all hollow glyphs in a legend.
const Neutral = 6

// Color is the colour of cluster or series k.
func Color(k int) color.RGBA { return Palette[k%len(Palette)] }

// Lighten mixes c with white; share 0 leaves it, share 1 gives white.
func Lighten(c color.RGBA, share float64) color.RGBA {
	mix := func(v uint8) uint8 { return uint8(math.Round(float64(v) + (255-float64(v))*share)) }
	return color.RGBA{mix(c.R), mix(c.G), mix(c.B), 0xFF}
}

// polygons are the shapes of clusters 9–16, 17–24, …, after circles for the first eight: corners around the unit
// circle and the angle of the first one. The scale makes areas look alike.
var polygons = []struct {
	corners int
	start   float64
	scale   float64
}{
	{4, math.Pi / 4, 1.25},  // square
	{3, math.Pi / 2, 1.45},  // triangle
	{4, math.Pi / 2, 1.35},  // diamond
	{3, -math.Pi / 2, 1.45}, // triangle on its tip
}

// ShapePath outlines the glyph of cluster k with radius r around pt. From 8·5 = 40 clusters on, glyphs repeat.
func ShapePath(k int, r vg.Length, pt vg.Point) vg.Path {
	var path vg.Path
	shape := k / len(Palette) % (len(polygons) + 1)
	if shape == 0 {
		path.Move(vg.Point{X: pt.X + r, Y: pt.Y})
		path.Arc(pt, r, 0, 2*math.Pi)
		path.Close()
		return path
	}
	p := polygons[shape-1]
	for i := range p.corners {
		sin, cos := math.Sincos(p.start + 2*math.Pi*float64(i)/float64(p.corners))
		corner := vg.Point{X: pt.X + r*vg.Length(p.scale*cos), Y: pt.Y + r*vg.Length(p.scale*sin)}
		if i == 0 {
			path.Move(corner)
		} else {
			path.Line(corner)
		}
	}
	path.Close()
	return path
}

// Glyph draws one point of cluster k: full when sure, hollow when not.
type Glyph struct {
	Cluster int
	Hollow  bool
}

// hollowGrowth is how much larger than the others an uncertain point is drawn.
const hollowGrowth = 1.7

func (g Glyph) Draw(c *draw.Canvas, r vg.Length, pt vg.Point) {
	tint := Color(g.Cluster)
	if !g.Hollow {
		c.SetColor(tint)
		c.Fill(ShapePath(g.Cluster, r, pt))
		return
	}
	path := ShapePath(g.Cluster, r*hollowGrowth, pt)
	c.SetColor(Lighten(tint, 0.8))
	c.Fill(path)
	c.SetColor(tint)
	c.SetLineWidth(max(r*0.45, vg.Points(0.7)))
	c.SetLineDash(nil, 0)
	c.Stroke(path)
}
