package canvas

import (
	"bytes"
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

// Format is a kind of file: its extension without the dot, and what makes the bytes of one.
type Format struct {
	Extension string
	Render    func() ([]byte, error)
}

// Save writes a file in the format that the extension of path names; the file is replaced as a whole. An extension of
// none of the formats is a *usererr.Error; what names that which is saved, for example "picture".
func Save(path, what string, formats ...Format) error {
	ext := strings.ToLower(filepath.Ext(path))
	at := slices.IndexFunc(formats, func(f Format) bool { return "."+f.Extension == ext })
	if at < 0 {
		var known []string
		for _, f := range formats {
			known = append(known, "."+f.Extension)
		}
		return usererr.File(path, 0, "end the name in "+strings.Join(known, " or "), "unknown %s format %q", what, ext)
	}
	data, err := formats[at].Render()
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(path, data, atomicfile.DefaultPerm)
}

// Sketch is a picture: its size in points, the dots of an inch of a PNG, and what draws it on a white page.
type Sketch struct {
	Width, Height vg.Length
	DPI           int
	Draw          func(c draw.Canvas)
}

// pages are the formats of a Sketch: an empty page, and what mends the file that the drawing library writes.
var pages = []struct {
	extension string
	empty     func(Sketch) vg.CanvasWriterTo
	mend      func([]byte) []byte
}{
	{"svg", func(s Sketch) vg.CanvasWriterTo { return vgsvg.New(s.Width, s.Height) }, mendSVG},
	{"png", func(s Sketch) vg.CanvasWriterTo {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(s.Width, s.Height), vgimg.UseDPI(s.DPI))}
	}, func(png []byte) []byte { return png }},
}

// Extensions are those of the files that Render makes.
func Extensions() (all []string) {
	for _, p := range pages {
		all = append(all, p.extension)
	}
	return all
}

// Render draws s into the bytes of a file of one of Extensions. A panic of the drawing library becomes an error.
func (s Sketch) Render(extension string) (data []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			data, err = nil, fmt.Errorf("draw picture: %v", p)
		}
	}()
	for _, page := range pages {
		if page.extension != extension {
			continue
		}
		out := page.empty(s)
		c := draw.NewCanvas(out, s.Width, s.Height)
		c.SetColor(color.White)
		c.Fill(c.Rectangle.Path())
		s.Draw(c)
		var b bytes.Buffer
		if _, err := out.WriteTo(&b); err != nil {
			return nil, fmt.Errorf("encode picture: %w", err)
		}
		return page.mend(b.Bytes()), nil
	}
	return nil, fmt.Errorf("draw picture: no format %q", extension)
}

// mendSVG names fonts of the same widths for machines without Liberation, which an SVG does not embed, and the type of
// embedded images rightly: the drawing library writes PNG but says something else.
func mendSVG(svg []byte) []byte {
	svg = bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	return bytes.ReplaceAll(svg, []byte("data:image/jpg;base64,"), []byte("data:image/png;base64,"))
}
