package report

import (
	"bytes"
	"fmt"
	"image/color"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Size of a picture: 8 × 6 inches, as PNG 1200 × 900 pixels. One that is tall has a height of its own.
const (
	pictureWidth  = 8 * vg.Inch
	pictureHeight = 6 * vg.Inch
	pictureDPI    = 150
	margin        = 10 * vg.Length(1) // points of white around everything
)

// sketch is a picture that can be checked and then drawn on any canvas.
type sketch interface {
	check() error
	draw(c draw.Canvas) error
}

// tall is a sketch that needs another height than pictureHeight.
type tall interface {
	height() vg.Length
}

func heightFor(s sketch) vg.Length {
	if t, ok := s.(tall); ok {
		return t.height()
	}
	return pictureHeight
}

// save picks the format by the extension of path.
func save(s sketch, path string) error {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".svg", ".png":
		data, err := render(s, ext[1:])
		if err != nil {
			return err
		}
		return writeBytes(path, data)
	default:
		return usererr.File(path, 0, "end the name in .svg or .png", "unknown picture format %q", ext)
	}
}

// saveAs writes format "svg" or "png" to path, whatever its extension.
func saveAs(s sketch, path, format string) error {
	data, err := render(s, format)
	if err != nil {
		return err
	}
	return writeBytes(path, data)
}

// render draws s into the bytes of an SVG or PNG file. A panic of the plotting library becomes an error.
func render(s sketch, format string) (data []byte, err error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			data, err = nil, fmt.Errorf("draw picture: %v", p)
		}
	}()
	var canvas vg.CanvasWriterTo
	height := heightFor(s)
	if format == "png" {
		img := vgimg.NewWith(vgimg.UseWH(pictureWidth, height), vgimg.UseDPI(pictureDPI))
		canvas = vgimg.PngCanvas{Canvas: img}
	} else {
		canvas = vgsvg.New(pictureWidth, height)
	}
	c := draw.NewCanvas(canvas, pictureWidth, height)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	if err := s.draw(draw.Crop(c, margin, -margin, margin, -margin)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("encode picture: %w", err)
	}
	if format == "svg" {
		return withImageTypes(withFallbackFonts(b.Bytes())), nil
	}
	return b.Bytes(), nil
}

// withFallbackFonts names fonts of the same widths for machines without Liberation; the SVG does not embed it.
func withFallbackFonts(svg []byte) []byte {
	return bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
}

// withImageTypes names the type of embedded images rightly: the drawing library writes PNG but says something else.
func withImageTypes(svg []byte) []byte {
	return bytes.ReplaceAll(svg, []byte("data:image/jpg;base64,"), []byte("data:image/png;base64,"))
}

// sansFont is the one typeface of all pictures; it is part of the plotting library.
func sansFont(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// newPlot returns an empty plot in the common style, with a title broken to the given width.
func newPlot(title, xLabel, yLabel string, width vg.Length) *plot.Plot {
	p := plot.New()
	p.Title.TextStyle.Font = sansFont(14)
	p.Title.Padding = vg.Points(8)
	p.Title.Text = wrapToWidth(clean(title), width, p.Title.TextStyle.Width)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = sansFont(12)
		axis.Label.Padding = vg.Points(4)
		axis.Tick.Label.Font = sansFont(10)
		axis.LineStyle.Color = axisGrey
		axis.Tick.LineStyle.Color = axisGrey
		axis.Tick.Marker = evenTicks{}
		axis.Padding = vg.Points(4)
	}
	p.X.Label.Text, p.Y.Label.Text = clean(xLabel), clean(yLabel)
	return p
}

var axisGrey = color.RGBA{0x60, 0x60, 0x60, 0xFF}

// wrapToWidth breaks text at blanks so that each line measures at most width.
func wrapToWidth(text string, width vg.Length, measure func(string) vg.Length) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if longer := strings.TrimSpace(line + " " + word); line == "" || measure(longer) <= width {
			line = longer
			continue
		}
		lines = append(lines, line)
		line = word
	}
	return strings.Join(append(lines, line), "\n")
}

// legendEntry is one line of a legend: a sample drawn around a point, then text.
type legendEntry struct {
	text   string
	sample func(c *draw.Canvas, at vg.Point) // nil: text only
}

// Measures of the legend, in points.
const (
	legendText   vg.Length = 10.5
	legendLine   vg.Length = 17
	legendSample vg.Length = 22
	legendGap    vg.Length = 14 // between plot and legend
)

// legendWidth is the room that the entries need beside the plot, the gap included; at most two fifths of the picture.
func legendWidth(entries []legendEntry) vg.Length {
	style := draw.TextStyle{Font: sansFont(legendText), Handler: plot.DefaultTextHandler}
	width := vg.Length(0)
	for _, e := range entries {
		width = max(width, style.Width(e.text))
	}
	return min(width+legendSample+legendGap, pictureWidth*2/5)
}

// drawLegend draws the entries from the upper left corner of c downward.
func drawLegend(c draw.Canvas, entries []legendEntry) {
	style := draw.TextStyle{
		Color: color.Black, Font: sansFont(legendText), Handler: plot.DefaultTextHandler, YAlign: draw.YCenter,
	}
	room := c.Max.X - c.Min.X - legendSample
	for i, e := range entries {
		y := c.Max.Y - legendLine*(vg.Length(i)+0.5)
		if e.sample != nil {
			e.sample(&c, vg.Point{X: c.Min.X + legendSample/2 - 2, Y: y - legendText/8})
		}
		c.FillText(style, vg.Point{X: c.Min.X + legendSample, Y: y}, shortenToWidth(e.text, room, style.Width))
	}
}

func shortenToWidth(s string, width vg.Length, measure func(string) vg.Length) string {
	if measure(s) <= width {
		return s
	}
	r := []rune(s)
	for len(r) > 1 && measure(string(r)+"…") > width {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}
