package canvas

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Save writes a file in the format that the extension of path names, one of the given ones; the file is replaced as a
// whole. Another extension is a *usererr.Error; what names that which is saved, for example "picture".
func Save(path, what string, extensions []string, render func(extension string) ([]byte, error)) error {
	ext := strings.ToLower(filepath.Ext(path))
	if ext == "" || !slices.Contains(extensions, ext[1:]) {
		known := "." + strings.Join(extensions, " or .")
		return usererr.File(path, 0, "end the name in "+known, "unknown %s format %q", what, ext)
	}
	data, err := render(ext[1:])
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(path, data, atomicfile.DefaultPerm)
}

// Faults holds the first of the reasons for which something cannot be drawn.
type Faults struct {
	Kind  string // what each reason begins with, for example "bars:"
	First error
}

// Demand takes a reason in unless ok, and reports whether there is none so far.
func (f *Faults) Demand(ok bool, format string, args ...any) bool {
	if !ok && f.First == nil {
		f.First = errors.New(f.Kind + " " + fmt.Sprintf(format, args...))
	}
	return f.First == nil
}

// Sketch is a picture: its size in points, the dots of an inch of a PNG, and what draws it on a white page.
type Sketch struct {
	Width, Height vg.Length
	DPI           int
	Draw          func(c draw.Canvas)
}

// Extensions are those of the files that Render makes.
func Extensions() []string { return []string{"svg", "png"} }

// Render draws s into the bytes of a file of one of Extensions. A panic of the drawing library becomes an error.
func (s Sketch) Render(extension string) (data []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			data, err = nil, fmt.Errorf("draw picture: %v", p)
		}
	}()
	var out vg.CanvasWriterTo
	switch extension {
	case "svg":
		out = &svgCanvas{CanvasWriterTo: vgsvg.New(s.Width, s.Height)}
	case "png":
		out = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(s.Width, s.Height), vgimg.UseDPI(s.DPI))}
	default:
		return nil, fmt.Errorf("draw picture: no format %q", extension)
	}
	c := draw.NewCanvas(out, s.Width, s.Height)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	s.Draw(c)
	var b bytes.Buffer
	if _, err := out.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("encode picture: %w", err)
	}
	if svg, is := out.(*svgCanvas); is {
		return svg.mend(b.Bytes()), nil
	}
	return b.Bytes(), nil
}
