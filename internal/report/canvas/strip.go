package canvas

import (
	"image"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
