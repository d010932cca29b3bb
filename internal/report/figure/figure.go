// Package figure holds pictures as data: panels of lines, points, words and images. Package plot draws them.
package figure

import (
	"image/color"
	"math"
)

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

// Grey is the colour of a pixel from 0, black, to 1, white; other values are cut off.
func Grey(v float32) color.Gray {
	return color.Gray{Y: uint8(math.Round(255 * float64(min(max(v, 0), 1))))}
}
