package vision

import (
	"image"
	"image/color"
)

// fromYCbCr decodes a JPEG's colours. Where colour is stored at half resolution it is interpolated linearly, as libjpeg does
// (its "fancy upsampling", on which Pillow relies); package image would repeat each value, which shows at coloured edges.
func fromYCbCr(img *image.YCbCr) rgb {
	bounds := img.Bounds()
	m := rgb{width: bounds.Dx(), height: bounds.Dy(), pix: make([]uint8, 0, channels*bounds.Dx()*bounds.Dy())}
	half := img.SubsampleRatio == image.YCbCrSubsampleRatio420
	if !half && img.SubsampleRatio != image.YCbCrSubsampleRatio422 || bounds.Min.X%2 != 0 || bounds.Min.Y%2 != 0 {
		for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
			for x := bounds.Min.X; x < bounds.Max.X; x++ {
				at := img.COffset(x, y)
				r, g, b := color.YCbCrToRGB(img.Y[img.YOffset(x, y)], img.Cb[at], img.Cr[at])
				m.pix = append(m.pix, r, g, b)
			}
		}
		return m
	}
	first := img.COffset(bounds.Min.X, bounds.Min.Y)
	blue := halved{img.Cb[first:], img.CStride, m.width, m.height, half}
	red := halved{img.Cr[first:], img.CStride, m.width, m.height, half}
	cb, cr := make([]uint8, m.width+1), make([]uint8, m.width+1)
	for y := range m.height {
		blue.row(y, cb)
		red.row(y, cr)
		luma := img.Y[img.YOffset(bounds.Min.X, bounds.Min.Y+y):][:m.width]
		for x, v := range luma {
			r, g, b := color.YCbCrToRGB(v, cb[x], cr[x])
			m.pix = append(m.pix, r, g, b)
		}
	}
	return m
}

// halved is a plane of colour differences of an image of width×height pixels, with half as many columns, and half as many
// rows if rows says so.
type halved struct {
	plane         []uint8
	stride        int
	width, height int
	rows          bool
}

// row writes row y at full resolution to out, which has room for an even number of values. Each value is ¾ of the nearest
// stored one and ¼ of the next, along each halved axis; at the border a value stands for the one that is missing. The
// roundings, by turns down and up, are libjpeg's.
func (p halved) row(y int, out []uint8) {
	columns := (p.width + 1) / 2
	nearRow, farRow := y, y
	shift, evenRound, oddRound := 2, 1, 2
	if p.rows {
		nearRow, farRow = y/2, min(max(y/2-1+y%2*2, 0), (p.height-1)/2)
		shift, evenRound, oddRound = 4, 8, 7
	}
	near, far := p.plane[nearRow*p.stride:], p.plane[farRow*p.stride:]
	sum := func(x int) int {
		x = min(max(x, 0), columns-1)
		if p.rows {
			return 3*int(near[x]) + int(far[x])
		}
		return int(near[x])
	}
	before, at := sum(0), sum(0)
	for x := range columns {
		after := sum(x + 1)
		out[2*x] = uint8((3*at + before + evenRound) >> shift)
		if 2*x+1 < len(out) {
			out[2*x+1] = uint8((3*at + after + oddRound) >> shift)
		}
		before, at = at, after
	}
}
