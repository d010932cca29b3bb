package canvas

import (
	"bytes"
	"fmt"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// svgCanvas draws an SVG and keeps the lengths of its texts.
type svgCanvas struct {
	vg.CanvasWriterTo
	lengths []vg.Length
}

// FillString draws a text.
func (c *svgCanvas) FillString(f font.Face, at vg.Point, text string) {
	c.lengths = append(c.lengths, f.Width(text))
	c.CanvasWriterTo.FillString(f, at, text)
}

// mend puts right what the drawing library writes: an SVG does not embed its font, so other fonts are named, and the
// length of each text, which then ends where it was meant to in any of them; and embedded images are PNG, not JPEG.
func (c *svgCanvas) mend(svg []byte) []byte {
	svg = bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	svg = bytes.ReplaceAll(svg, []byte("data:image/jpg;base64,"), []byte("data:image/png;base64,"))
	begin := []byte("<text ")
	parts := bytes.Split(svg, begin)
	if len(parts) != len(c.lengths)+1 {
		return svg // the library draws a text as something else: then its length is the font's
	}
	for i, length := range c.lengths {
		if length > 0 {
			parts[i+1] = fmt.Appendf(nil, `textLength="%.5g" lengthAdjust="spacingAndGlyphs" %s`,
				length.Points(), parts[i+1])
		}
	}
	return bytes.Join(parts, begin)
}
