// Package testfiles writes files that tests of several packages read.
package testfiles

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Images writes a folder of eight PNG images of 28×28 pixels, a bright square each, and returns its path. The folder
// goes with the test.
func Images(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	for i := range 8 {
		img := image.NewGray(image.Rect(0, 0, 28, 28))
		for p := range 64 {
			img.SetGray(4+i+p%8, 4+2*i+p/8, color.Gray{Y: byte(180 + 3*p%70)})
		}
		file, err := os.Create(filepath.Join(dir, strconv.Itoa(i)+".png"))
		if err == nil {
			err = png.Encode(file, img)
		}
		if err == nil {
			err = file.Close()
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}
