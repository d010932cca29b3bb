package augment

import (
	"image"
	"image/color"
)

const (
	sheetZoom      = 2    // pixels of the sheet along a side of one pixel of an image
	sheetLine      = 1    // pixels of the separator
	sheetSeparator = 0x60 // grey value of the separator and of empty cells
)

// ContactSheet draws images [H·W], values −1..1 from black to white, row by row into cells of a sheet with the given
// number of columns (at least 1), twice their size with a thin line around each. Values outside of the range are
// clipped. An image with fewer than H·W values, such as nil, leaves its cell empty.
func ContactSheet(images [][]float32, height, width, columns int) image.Image {
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
