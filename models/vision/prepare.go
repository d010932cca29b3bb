package vision

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // the formats that picture files may have
	_ "image/png"
	"io/fs"
	"math"
	"os"

	"github.com/gfncp/gfncp/internal/usererr"
)

// maxPixels is the largest picture that is decoded, in pixels.
const maxPixels = 64_000_000

// ErrBroken is wrapped by the error of a picture file whose content cannot be used.
var ErrBroken = errors.New("broken image")

// ReadPicture reads a PNG or JPEG file and prepares it for a network with images of size×size pixels: see Prepare. The
// format is told by the content, whatever the name says. A file that cannot be decoded is a *usererr.Error that wraps
// ErrBroken.
func ReadPicture(path string, size int) ([]float32, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &usererr.Error{Path: path, Msg: "cannot be read", Hint: "make it readable, or remove it", Err: err}
	}
	defer func() { _ = f.Close() }()
	broken := func(hint, format string, args ...any) error {
		e := usererr.File(path, 0, hint, format, args...)
		e.Err = ErrBroken
		return e
	}
	undecoded := func(err error) error {
		var disk *fs.PathError
		if errors.As(err, &disk) {
			return fmt.Errorf("read image: %w", err)
		}
		return broken("save it anew as PNG or JPEG, or leave it out with --skip-broken", "cannot be decoded: %v", err)
	}
	config, _, err := image.DecodeConfig(f)
	if err != nil {
		return nil, undecoded(err)
	}
	if config.Width < 1 || config.Height < 1 {
		return nil, broken("leave it out with --skip-broken", "has no pixels")
	}
	if int64(config.Width)*int64(config.Height) > maxPixels {
		return nil, broken("make it smaller, or leave it out with --skip-broken",
			"has %d×%d pixels, more than %d million", config.Width, config.Height, maxPixels/1_000_000)
	}
	if _, err := f.Seek(0, 0); err != nil {
		return nil, fmt.Errorf("read image: %w", err)
	}
	img, _, err := image.Decode(f)
	if err != nil {
		return nil, undecoded(err)
	}
	return Prepare(img, size), nil
}

// toRGB is Pillow's convert("RGB"): transparency is dropped and the colour beneath it stays.
func toRGB(img image.Image) rgb {
	if photo, ok := img.(*image.YCbCr); ok {
		return fromYCbCr(photo)
	}
	bounds := img.Bounds()
	m := rgb{width: bounds.Dx(), height: bounds.Dy(), pix: make([]uint8, 0, channels*bounds.Dx()*bounds.Dy())}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			m.pix = append(m.pix, c.R, c.G, c.B)
		}
	}
	return m
}

// What timm does with an image before this network: pretrained_cfg in the config.json of
// https://huggingface.co/timm/vit_small_patch16_224.dino (crop_pct 0.9, crop_mode center, interpolation bicubic,
// mean, std) and transforms_imagenet_eval in timm/data/transforms_factory.py.
const cropShare = 0.9

var (
	channelMean = [channels]float64{0.485, 0.456, 0.406}
	channelStd  = [channels]float64{0.229, 0.224, 0.225}
)

// Prepare turns an image into the network's input [3,size,size]: its shorter side is scaled to ⌊size/0.9⌋ pixels (248
// for 224) by bicubic interpolation with antialiasing, the size×size pixels in the middle are kept, and each channel
// is divided by 255 and standardized with ImageNet's mean and standard deviation.
func Prepare(img image.Image, size int) []float32 {
	crop := toRGB(img).scaledCrop(size)
	values := make([]float32, channels*size*size)
	for i, v := range crop.pix {
		pixel, c := i/channels, i%channels
		values[c*size*size+pixel] = float32((float64(v)/255 - channelMean[c]) / channelStd[c])
	}
	return values
}

func (m rgb) scaledCrop(size int) rgb {
	width, height := scaledSize(m.width, m.height, int(math.Floor(float64(size)/cropShare)))
	return m.resize(width, height, window{middle(width, size), middle(height, size), size, size})
}

// scaledSize scales a size so that its shorter side becomes short; the longer side is rounded down (torchvision's
// Resize).
func scaledSize(width, height, short int) (int, int) {
	if width <= height {
		return short, short * height / width
	}
	return short * width / height, short
}

// middle is where the size pixels in the middle of length begin; a half is rounded to even (torchvision's CenterCrop).
func middle(length, size int) int { return int(math.RoundToEven(float64(length-size) / 2)) }

// rgb is an image of 8-bit red, green and blue, row by row: [height,width,3].
type rgb struct {
	width, height int
	pix           []uint8
}

// coefficientBits are the binary places of Pillow's fixed-point weights for images of 8 bits.
const coefficientBits = 22

// taps are the source pixels of one pixel of the result along an axis, with their weights in fixed point.
type taps struct {
	from    int
	weights []int
}

// cubic is the cubic convolution kernel (Keys 1981) with a = −1/2.
func cubic(x float64) float64 {
	x = math.Abs(x)
	switch {
	case x < 1:
		return (1.5*x-2.5)*x*x + 1
	case x < 2:
		return ((-0.5*x+2.5)*x-4)*x + 2
	}
	return 0
}

// tapsOf returns the taps of the pixels first..first+count-1 of an axis that goes from in to out pixels. Where it
// shrinks, the kernel is stretched, so that no source pixel is skipped (antialiasing).
func tapsOf(in, out, first, count int) []taps {
	scale := float64(in) / float64(out)
	stretch := max(scale, 1)
	reach := 2 * stretch
	all := make([]taps, count)
	for i := range all {
		centre := (float64(first+i) + 0.5) * scale
		from, to := max(int(centre-reach+0.5), 0), min(int(centre+reach+0.5), in)
		weights, sum := make([]float64, to-from), 0.0
		for k := range weights {
			weights[k] = cubic((float64(from+k) - centre + 0.5) / stretch)
			sum += weights[k]
		}
		all[i] = taps{from: from, weights: make([]int, len(weights))}
		for k, w := range weights {
			all[i].weights[k] = int(math.Round(w / sum * (1 << coefficientBits)))
		}
	}
	return all
}

func clip(sum int) uint8 {
	return uint8(min(max((sum+1<<(coefficientBits-1))>>coefficientBits, 0), 255))
}

// window is the part of a resized image that is wanted.
type window struct{ left, top, width, height int }

// resize scales an image to width×height by bicubic interpolation with antialiasing and returns a window of the
// result. It does what Pillow's Image.resize(BICUBIC) does, bit for bit: first along the rows, then along the
// columns, weights in fixed point, 8 bits a value in between.
func (m rgb) resize(width, height int, w window) rgb {
	across, down := tapsOf(m.width, width, w.left, w.width), tapsOf(m.height, height, w.top, w.height)
	last, top := down[len(down)-1], down[0].from
	stride := channels * m.width
	rows := rgb{m.width, last.from + len(last.weights) - top, m.pix[stride*top : stride*(last.from+len(last.weights))]}
	for i := range down {
		down[i].from -= top
	}
	return rows.alongRows(across).alongRows(down)
}

// alongRows scales an image along its rows. In the result rows and columns change places.
func (m rgb) alongRows(across []taps) rgb {
	turned := rgb{width: m.height, height: len(across), pix: make([]uint8, channels*m.height*len(across))}
	for y := range m.height {
		from := m.pix[channels*m.width*y:][:channels*m.width]
		for x, t := range across {
			var r, g, b int
			at := from[channels*t.from:]
			for k, weight := range t.weights {
				r += weight * int(at[channels*k])
				g += weight * int(at[channels*k+1])
				b += weight * int(at[channels*k+2])
			}
			to := turned.pix[channels*(x*m.height+y):]
			to[0], to[1], to[2] = clip(r), clip(g), clip(b)
		}
	}
	return turned
}

// fromYCbCr decodes a JPEG's colours. Where colour is stored at half resolution it is interpolated linearly, as
// libjpeg does (its "fancy upsampling", on which Pillow relies); package image would repeat each value, which shows
// at coloured edges.
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

// halved is a plane of colour differences of width×height pixels with half as many columns, and rows if rows says so.
type halved struct {
	plane         []uint8
	stride        int
	width, height int
	rows          bool
}

// row writes row y at full resolution to out, which has room for an even number of values. Each value is ¾ of the
// nearest stored one and ¼ of the next, along each halved axis; at the border a value stands for the one that is
// missing. The roundings, by turns down and up, are libjpeg's.
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
