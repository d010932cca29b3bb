// Package plot draws the charts of package figure as SVG and PNG. The same picture gives the same bytes.
package plot

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Extensions are the extensions of the files that Save writes.
var Extensions = []string{"svg", "png"}

// A picture is 8 inches wide: as PNG 1200 pixels.
const (
	width  = 8 * vg.Inch
	dpi    = 150
	margin = vg.Length(10)
)

var (
	grey = color.RGBA{0x60, 0x60, 0x60, 0xFF}
	pale = color.RGBA{0xD8, 0xD8, 0xD8, 0xFF}
)

// Save draws a chart into a file; an extension that is not in Extensions is a *usererr.Error.
func Save(c *figure.Chart, path string) error {
	extension := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if !slices.Contains(Extensions, extension) {
		return usererr.File(path, 0, "end the name in .svg or .png", "unknown picture format %q", filepath.Ext(path))
	}
	data, err := Render(c, extension)
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(path, data)
}

// Render draws a chart as a file of an extension. A panel without values is empty. Panics of the library are errors.
func Render(c *figure.Chart, extension string) (data []byte, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			data, err = nil, fmt.Errorf("draw picture: %v", fault)
		}
	}()
	tall := vg.Length(cmp.Or(c.Height, 6)) * vg.Inch
	const pixel = vg.Inch / dpi
	height := vg.Length(math.Ceil(float64((tall+2*margin)/pixel))) * pixel
	var out vg.CanvasWriterTo = vgsvg.New(width, height)
	if extension == "png" {
		out = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))}
	}
	area := draw.NewCanvas(out, width, height)
	area.SetColor(color.White)
	area.Fill(area.Rectangle.Path())
	drawChart(c, draw.Crop(area, margin, -margin, margin, -margin))
	var b bytes.Buffer
	if _, err := out.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("encode picture: %w", err)
	}
	return mended(b.Bytes()), nil
}

// mended names further fonts in an SVG, which does not embed its own, and the right type of its images. A PNG stays.
func mended(data []byte) []byte {
	data = bytes.ReplaceAll(data, []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	return bytes.ReplaceAll(data, []byte("data:image/jpg;base64,"), []byte("data:image/png;base64,"))
}

// style is the typeface of all pictures. It is part of the plotting library.
func style(size vg.Length) draw.TextStyle {
	return draw.TextStyle{
		Color: color.Black, Handler: plot.DefaultTextHandler,
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
	}
}

// wrapped breaks words into lines of a width.
func wrapped(words string, s draw.TextStyle, width vg.Length) string {
	return strings.Join(text.Wrap(text.Clean(words), width, s.Width), "\n")
}

// title writes words across the top of c, in the middle, and returns the room below.
func title(c draw.Canvas, words string) draw.Canvas {
	s := style(14)
	s.XAlign, s.YAlign = draw.XCenter, draw.YTop
	if words = wrapped(words, s, c.Max.X-c.Min.X); words == "" {
		return c
	}
	c.FillText(s, vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: c.Max.Y}, words)
	return draw.Crop(c, 0, 0, 0, -s.Height(words)-8)
}

// colorOf is a colour of the palette.
func colorOf(k int) color.RGBA { return figure.Palette[k%len(figure.Palette)] }
