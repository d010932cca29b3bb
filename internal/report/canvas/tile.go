package canvas

import (
	"image"
	"math"
)

// Longest side of an image on the sheet, in pixels. Smaller images are enlarged by a whole factor up to about it,
// larger ones are shown as they are up to the limit and shrunk beyond it.
const (
	BlockSide, BlockSideLimit = 64, 160 // in the point estimate: 28 × 28 is shown twice as large
	RowSide, RowSideLimit     = 32, 40  // in an alternative
)

// TileSize is the size at which images of height × width pixels are shown.
func TileSize(height, width, side, limit int) image.Point {
	longest := max(height, width)
	if longest <= limit {
		f := max(1, side/longest)
		return image.Pt(width*f, height*f)
	}
	ratio := float64(limit) / float64(longest)
	return image.Pt(max(1, int(float64(width)*ratio)), max(1, int(float64(height)*ratio)))
}

// TilePicture returns an image [height·width] with the given size: pixels are repeated to enlarge it and averaged to
// shrink it.
func TilePicture(pixels []float32, height, width int, size image.Point) *image.Gray {
	out := image.NewGray(image.Rectangle{Max: size})
	for y := range size.Y {
		top, bottom := source(y, size.Y, height)
		for x := range size.X {
			left, right := source(x, size.X, width)
			sum := 0.0
			for r := top; r < bottom; r++ {
				for _, v := range pixels[r*width+left : r*width+right] {
					sum += float64(min(max(v, 0), 1))
				}
			}
			out.Pix[y*out.Stride+x] = uint8(math.Round(255 * sum / float64((bottom-top)*(right-left))))
		}
	}
	return out
}

// source is the range of the given pixels, out of from, that pixel v of to shows.
func source(v, to, from int) (begin, end int) {
	begin = v * from / to
	return begin, max(begin+1, (v+1)*from/to)
}
