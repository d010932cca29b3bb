package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/usererr"
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
	return canvas.Height
}

// save picks the format by the extension of path.
func save(s sketch, path string) error {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".svg", ".png":
		data, err := Render(s, ext[1:])
		if err != nil {
			return err
		}
		return table.WriteBytes(path, data)
	default:
		return usererr.File(path, 0, "end the name in .svg or .png", "unknown picture format %q", ext)
	}
}

// saveAs writes format "svg" or "png" to path, whatever its extension.
func saveAs(s sketch, path, format string) error {
	data, err := Render(s, format)
	if err != nil {
		return err
	}
	return table.WriteBytes(path, data)
}

// Render draws s into the bytes of an SVG or PNG file. A panic of the plotting library becomes an error.
func Render(s sketch, format string) (data []byte, err error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			data, err = nil, fmt.Errorf("draw picture: %v", p)
		}
	}()
	var out vg.CanvasWriterTo
	height := heightFor(s)
	if format == "png" {
		img := vgimg.NewWith(vgimg.UseWH(canvas.Width, height), vgimg.UseDPI(canvas.DPI))
		out = vgimg.PngCanvas{Canvas: img}
	} else {
		out = vgsvg.New(canvas.Width, height)
	}
	c := draw.NewCanvas(out, canvas.Width, height)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	if err := s.draw(draw.Crop(c, canvas.Margin, -canvas.Margin, canvas.Margin, -canvas.Margin)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := out.WriteTo(&b); err != nil {
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
