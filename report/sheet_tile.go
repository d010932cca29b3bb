package report

import (
	"image"
	"math"
)

// Longest side of an image on the sheet, in pixels. Smaller images are enlarged by a whole factor up to about it,
// larger ones are shown as they are up to the limit and shrunk beyond it.
const (
	blockSide, blockSideLimit = 64, 160 // in the point estimate: 28 × 28 is shown twice as large
	rowSide, rowSideLimit     = 32, 40  // in an alternative
)

// tileSize is the size at which images are shown.
func (s *Sheet) tileSize(side, limit int) image.Point {
	longest := max(s.Height, s.Width)
	if longest <= limit {
		f := max(1, side/longest)
		return image.Pt(s.Width*f, s.Height*f)
	}
	ratio := float64(limit) / float64(longest)
	return image.Pt(max(1, int(float64(s.Width)*ratio)), max(1, int(float64(s.Height)*ratio)))
}

// picture returns image i with the given size: pixels are repeated to enlarge it and averaged to shrink it.
func (s *Sheet) picture(i int, size image.Point) *image.Gray {
	out := image.NewGray(image.Rectangle{Max: size})
	pixels := s.Pixels[i*s.Height*s.Width : (i+1)*s.Height*s.Width]
	for y := range size.Y {
		top, bottom := source(y, size.Y, s.Height)
		for x := range size.X {
			left, right := source(x, size.X, s.Width)
			sum := 0.0
			for r := top; r < bottom; r++ {
				for _, v := range pixels[r*s.Width+left : r*s.Width+right] {
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
