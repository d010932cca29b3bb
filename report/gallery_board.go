package report

import (
	"image"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pixel is a pixel of the PNG. What is drawn of images lies on whole pixels, so that none is blurred.
const pixel = vg.Inch / pictureDPI

// wholePixels rounds a length up to whole pixels.
func wholePixels(v vg.Length) vg.Length { return vg.Length(math.Ceil(float64(v/pixel)-1e-9)) * pixel }

// board is a canvas on which y runs downward from the upper left corner, in points: pictures that are laid out by hand.
type board struct{ c draw.Canvas }

func (b board) at(x, y vg.Length) vg.Point { return vg.Point{X: b.c.Min.X + x, Y: b.c.Max.Y - y} }

// boardText is a way to set text.
func boardText(size vg.Length, isBold bool, c color.Color) draw.TextStyle {
	f := sansFont(size)
	if isBold {
		f.Weight = bold
	}
	return draw.TextStyle{Color: c, Font: f, Handler: plot.DefaultTextHandler}
}

// lineOf is the distance of two lines of text.
func lineOf(t draw.TextStyle) vg.Length { return t.Font.Size * 1.35 }

// text writes lines with their upper edge at y, and returns their lower edge. x is what the style's XAlign says.
func (b board) text(t draw.TextStyle, x, y vg.Length, lines ...string) vg.Length {
	for _, line := range lines {
		b.c.FillText(t, b.at(x, y+t.Font.Size), line)
		y += lineOf(t)
	}
	return y
}

// fitting is text on one line of at most a width.
func fitting(t draw.TextStyle, text string, width vg.Length) string {
	return shortenToWidth(clean(text), width, t.Width)
}

// wrapped breaks text into lines of a width; nothing gives no lines.
func wrapped(t draw.TextStyle, text string, width vg.Length) []string {
	if text = clean(text); text == "" {
		return nil
	}
	return strings.Split(wrapToWidth(text, width, t.Width), "\n")
}

// rectangle is the outline of a box.
func (b board) rectangle(x, y, w, h vg.Length) vg.Path {
	return vg.Rectangle{Min: b.at(x, y+h), Max: b.at(x+w, y)}.Path()
}

func (b board) fill(path vg.Path, c color.Color) {
	b.c.SetColor(c)
	b.c.Fill(path)
}

func (b board) stroke(path vg.Path, style draw.LineStyle) {
	b.c.SetLineStyle(style)
	b.c.Stroke(path)
}

// image draws an image in a box whose sides are whole pixels.
func (b board) image(x, y, w, h vg.Length, img image.Image) {
	corner := b.at(x, y+h)
	for _, v := range []*vg.Length{&corner.X, &corner.Y} {
		*v = vg.Length(math.Round(float64(*v/pixel))) * pixel
	}
	b.c.DrawImage(vg.Rectangle{Min: corner, Max: vg.Point{X: corner.X + w, Y: corner.Y + h}}, img)
}

// boardHeading is what stands above and below a board's drawing.
type boardHeading struct{ title, subtitle string }

// Styles that both hand-made pictures use.
var (
	boardTitle = boardText(14, true, color.Black)
	boardDim   = boardText(9.5, false, sheetGrey)
)

const boardWidth = pictureWidth - 2*margin

// height is the room of the heading with the gap below it.
func (h boardHeading) height() vg.Length {
	return vg.Length(len(wrapped(boardTitle, h.title, boardWidth)))*lineOf(boardTitle) +
		vg.Length(len(wrapped(boardDim, h.subtitle, boardWidth)))*lineOf(boardDim) + 8
}

func (h boardHeading) draw(b board) {
	y := b.text(boardTitle, 0, 0, wrapped(boardTitle, h.title, boardWidth)...)
	b.text(boardDim, 0, y+2, wrapped(boardDim, h.subtitle, boardWidth)...)
}
