// Package canvas is the drawing layer of all pictures: one typeface, one palette, glyphs of clusters, images as tiles,
// and a board on which y runs downward, above gonum's vg/draw.
package canvas

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/text"
)

// Pixel is a pixel of the PNG. What is drawn of images lies on whole pixels, so that none is blurred.
const Pixel = vg.Inch / DPI

// WholePixels rounds a length up to whole pixels.
func WholePixels(v vg.Length) vg.Length { return vg.Length(math.Ceil(float64(v/Pixel)-1e-9)) * Pixel }

// Board is a canvas on which y runs downward from the upper left corner, in points: pictures that are laid out by hand.
type Board struct {
	C     draw.Canvas
	Pixel vg.Length // of the PNG, in points
}

func (b Board) At(x, y vg.Length) vg.Point { return vg.Point{X: b.C.Min.X + x, Y: b.C.Max.Y - y} }

// Style is a way to set text.
func Style(size vg.Length, isBold bool, c color.Color) draw.TextStyle {
	f := Font(size)
	if isBold {
		f.Weight = Bold
	}
	return draw.TextStyle{Color: c, Font: f, Handler: plot.DefaultTextHandler}
}

// LineOf is the distance of two lines of text.
func LineOf(t draw.TextStyle) vg.Length { return vg.Length(math.Ceil(float64(t.Font.Size * 1.35))) }

// Text writes lines with their upper edge at y, and returns their lower edge. x is what the style's XAlign says.
func (b Board) Text(t draw.TextStyle, x, y vg.Length, lines ...string) vg.Length {
	for _, line := range lines {
		b.C.FillText(t, b.At(x, y+t.Font.Size), line)
		y += LineOf(t)
	}
	return y
}

// Fitting is text on one line of at most a width.
func Fitting(t draw.TextStyle, words string, width vg.Length) string {
	return text.Fit(text.Clean(words), width, t.Width)
}

// Wrapped breaks text into lines of a width; nothing gives no lines.
func Wrapped(t draw.TextStyle, words string, width vg.Length) []string {
	if words = text.Clean(words); words == "" {
		return nil
	}
	return text.Wrap(words, width, t.Width)
}

// Rectangle is the outline of a box.
func (b Board) Rectangle(x, y, w, h vg.Length) vg.Path {
	return vg.Rectangle{Min: b.At(x, y+h), Max: b.At(x+w, y)}.Path()
}

func (b Board) Fill(path vg.Path, c color.Color) {
	b.C.SetColor(c)
	b.C.Fill(path)
}

// Box fills a box.
func (b Board) Box(x, y, w, h vg.Length, c color.Color) { b.Fill(b.Rectangle(x, y, w, h), c) }

func (b Board) Stroke(path vg.Path, style draw.LineStyle) {
	b.C.SetLineStyle(style)
	b.C.Stroke(path)
}

// Image draws an image in a box whose sides are whole pixels.
func (b Board) Image(x, y, w, h vg.Length, img image.Image) {
	corner := b.At(x, y+h)
	for _, v := range []*vg.Length{&corner.X, &corner.Y} {
		*v = vg.Length(math.Round(float64(*v/b.Pixel))) * b.Pixel
	}
	b.C.DrawImage(vg.Rectangle{Min: corner, Max: vg.Point{X: corner.X + w, Y: corner.Y + h}}, img)
}

// Styles that both hand-made pictures use.
var (
	boardTitle = Style(14, true, color.Black)
	Dim        = Style(9.5, false, Grey)
)

const Room = Width - 2*Margin

// Heading is what stands above a board's drawing.
func Heading(title, subtitle string) []Strip {
	return []Strip{
		Lines(boardTitle, 0, Wrapped(boardTitle, title, Room)...), Space(2),
		Lines(Dim, 0, Wrapped(Dim, subtitle, Room)...), Space(6),
	}
}

// LinesFor is how many lines n images need.
func LinesFor(n, perLine int) int { return (n + perLine - 1) / perLine }

// Strip is a part of a board over its full width; strips lie below one another.
type Strip struct {
	Height vg.Length
	Draw   func(b Board, y vg.Length) // y: upper edge; nil: empty
}

// Space is an empty strip.
func Space(height vg.Length) Strip { return Strip{Height: height} }

// Lines are lines of text; x is what the style's XAlign says.
func Lines(t draw.TextStyle, x vg.Length, lines ...string) Strip {
	return Strip{vg.Length(len(lines)) * LineOf(t), func(b Board, y vg.Length) { b.Text(t, x, y, lines...) }}
}

// HeightOf is the height of strips together.
func HeightOf(strips []Strip) (height vg.Length) {
	for _, s := range strips {
		height += s.Height
	}
	return height
}

// Stack draws strips from y downward.
func (b Board) Stack(y vg.Length, strips []Strip) {
	for _, s := range strips {
		if s.Draw != nil {
			s.Draw(b, y)
		}
		y += s.Height
	}
}

// TileGrid places images of one size in lines.
type TileGrid struct {
	Size         image.Point // in pixels
	W, H         vg.Length
	gap, lineGap vg.Length
	PerLine      int
}

// NewTileGrid fits images into lines of a length, at least one each, with gaps between images and between lines.
func NewTileGrid(size image.Point, pixel, gap, lineGap, length vg.Length) TileGrid {
	g := TileGrid{Size: size, W: vg.Length(size.X) * pixel, H: vg.Length(size.Y) * pixel, gap: gap, lineGap: lineGap}
	g.PerLine = max(1, int((length+gap)/(g.W+gap)))
	return g
}

// Height is that of n images.
func (g TileGrid) Height(n int) vg.Length {
	return vg.Length(LinesFor(n, g.PerLine))*(g.H+g.lineGap) - g.lineGap
}

// Draw draws n images from (x, y) on. picture gives the i-th, which is to stand at (left, top), and may draw around it.
func (g TileGrid) Draw(b Board, x, y vg.Length, n int, picture func(i int, left, top vg.Length) image.Image) {
	for i := range n {
		left, top := x+vg.Length(i%g.PerLine)*(g.W+g.gap), y+vg.Length(i/g.PerLine)*(g.H+g.lineGap)
		b.Image(left, top, g.W, g.H, picture(i, left, top))
	}
}
