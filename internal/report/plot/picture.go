package plot

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
)

// sketch is a picture that can be checked and then drawn on any canvas.
type sketch interface {
	check() error
	draw(c draw.Canvas)
}

// tall is a sketch that needs another height than canvas.Height.
type tall interface {
	height() vg.Length
}

// save picks the format by the extension of path.
func save(s sketch, path string) error {
	var formats []canvas.Format
	for _, ext := range canvas.Extensions() {
		formats = append(formats, canvas.Format{Extension: ext, Render: func() ([]byte, error) { return Render(s, ext) }})
	}
	return canvas.Save(path, "picture", formats...)
}

// Render draws s into the bytes of a file of one of canvas.Extensions: 8 × 6 inches unless it is tall, as PNG 1200 ×
// 900 pixels.
func Render(s sketch, extension string) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	page := canvas.Sketch{Width: canvas.Width, Height: canvas.Height, DPI: canvas.DPI, Draw: func(c draw.Canvas) {
		s.draw(draw.Crop(c, canvas.Margin, -canvas.Margin, canvas.Margin, -canvas.Margin))
	}}
	if t, ok := s.(tall); ok {
		page.Height = t.height()
	}
	return page.Render(extension)
}
