package augment

import (
	"compress/gzip"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/janpfeifer/must"
)

func TestContactSheet(t *testing.T) {
	// Three images of 1×2 pixels and a missing one in two columns: cells of 3×5, 2·5+1 by 2·3+1 pixels.
	sheet := ContactSheet([][]float32{{-1, 1}, {0, 2}, nil, {1, -3}}, 1, 2, 2).(*image.Gray)
	if sheet.Bounds() != image.Rect(0, 0, 11, 7) {
		t.Fatalf("the sheet is %v, want 11×7", sheet.Bounds())
	}
	const s = sheetSeparator
	upper := []uint8{s, 0, 0, 255, 255, s, 128, 128, 255, 255, s}
	lower := []uint8{s, s, s, s, s, s, 255, 255, 0, 0, s}
	line := []uint8{s, s, s, s, s, s, s, s, s, s, s}
	for y, row := range [][]uint8{line, upper, upper, line, lower, lower, line} {
		for x, want := range row {
			if got := sheet.GrayAt(x, y).Y; got != want {
				t.Errorf("pixel (%d, %d) is %d, want %d", x, y, got, want)
			}
		}
	}
	if b := ContactSheet(nil, 4, 4, 0).Bounds(); b.Empty() {
		t.Errorf("a sheet without images is %v, want the separator alone", b)
	}
}

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
	must.M(png.Encode(file, ContactSheet(cells, 28, 28, columns)))
	must.M(file.Close())
}
