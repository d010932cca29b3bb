// Package testfiles writes files that tests of several packages read.
package testfiles

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// Images writes eight images of 28×28 pixels, a bright square each, as PNG files, and returns the path of their folder,
// which goes with the test.
func Images(tb testing.TB) string {
	tb.Helper()
	folder := tb.TempDir()
	for i := range 8 {
		grey := image.NewGray(image.Rect(0, 0, 28, 28))
		for p := range 64 {
			grey.SetGray(4+i+p%8, 4+2*i+p/8, color.Gray{Y: byte(180 + 3*p%70)})
		}
		file, err := os.Create(filepath.Join(folder, fmt.Sprintf("%d.png", i)))
		if err == nil {
			err = png.Encode(file, grey)
		}
		if err == nil {
			err = file.Close()
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	return folder
}
