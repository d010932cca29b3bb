package canvas

import (
	"image"
	"math"
)

// BlockTile is the size at which images of height × width pixels are shown in a clustering: 28 × 28 twice as large.
func BlockTile(height, width int) image.Point { return tileSize(height, width, 64, 160) }

// RowTile is the size at which they are shown where there is less room, such as in an alternative.
func RowTile(height, width int) image.Point { return tileSize(height, width, 32, 40) }

// tileSize enlarges small images by a whole factor up to about a longest side, in pixels; larger ones are shown as they
// are up to the limit and shrunk beyond it.
func tileSize(height, width, side, limit int) image.Point {
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
