package canvas

import (
	"image/color"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
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
