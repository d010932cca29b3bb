package augment

import (
	"compress/gzip"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/janpfeifer/must"
)

// TestRealImages draws a sheet of real augmentations for the eye: GFNCP_SHEET=/tmp/sheet.png GFNCP_IDX=dir, where dir
// holds mnist/ and fashion-mnist/ with train-images-idx3-ubyte.gz. Each row is one image and 11 augmentations.
func TestRealImages(t *testing.T) {
	path, dir := os.Getenv("GFNCP_SHEET"), os.Getenv("GFNCP_IDX")
	if path == "" || dir == "" {
		t.Skip("set GFNCP_SHEET to a PNG file to write and GFNCP_IDX to the folder of the images")
	}
	const size, header, rows, columns = 28 * 28, 16, 8, 12
	rng, o := rand.New(rand.NewPCG(10, 10)), DefaultImages()
	var cells [][]float32
	var r Renderer
	for _, name := range []string{"mnist", "fashion-mnist"} {
		zipped := must.M1(gzip.NewReader(must.M1(os.Open(dir + "/" + name + "/train-images-idx3-ubyte.gz"))))
		raw := make([]byte, header+rows*size)
		must.M1(io.ReadFull(zipped, raw))
		for row := range rows {
			src := make([]float32, size)
			for i := range src {
				src[i] = float32(raw[header+row*size+i]) / 255
			}
			for column := range columns {
				params := identity()
				if column > 0 {
					o.Draw(rng, params)
				}
				dst := make([]float32, size)
				r.Render(dst, src, 28, 28, params)
				cells = append(cells, dst)
			}
		}
	}
	file := must.M1(os.Create(path))
	must.M(png.Encode(file, contactSheet(cells, 28, 28, columns)))
	must.M(file.Close())
}

const (
	sheetZoom      = 2    // pixels of the sheet along a side of one pixel of an image
	sheetLine      = 1    // pixels of the separator
	sheetSeparator = 0x60 // grey value of the separator and of empty cells
)

// contactSheet draws images [H·W], values −1..1 from black to white, row by row into cells of a sheet with the given
// number of columns (at least 1), twice their size with a thin line around each. Values outside of the range are
// clipped. An image with fewer than H·W values, such as nil, leaves its cell empty.
func contactSheet(images [][]float32, height, width, columns int) image.Image {
	columns = max(columns, 1)
	lines := (len(images) + columns - 1) / columns
	cellH, cellW := height*sheetZoom+sheetLine, width*sheetZoom+sheetLine
	sheet := image.NewGray(image.Rect(0, 0, columns*cellW+sheetLine, lines*cellH+sheetLine))
	for i := range sheet.Pix {
		sheet.Pix[i] = sheetSeparator
	}
	for i, img := range images {
		if len(img) >= height*width {
			drawCell(sheet, img, height, width, image.Pt(i%columns*cellW+sheetLine, i/columns*cellH+sheetLine))
		}
	}
	return sheet
}

// drawCell draws one enlarged image with its upper left corner at a point.
func drawCell(sheet *image.Gray, img []float32, height, width int, corner image.Point) {
	for y := range height * sheetZoom {
		for x := range width * sheetZoom {
			value := unit(0.5 * (img[y/sheetZoom*width+x/sheetZoom] + 1))
			sheet.SetGray(corner.X+x, corner.Y+y, color.Gray{Y: uint8(255*value + 0.5)})
		}
	}
}
