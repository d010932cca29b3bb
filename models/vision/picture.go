package vision

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // the formats that picture files may have
	_ "image/png"
	"io/fs"
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

// toRGB returns an image's colours in 8 bits. Greys and CMYK become RGB; transparency is dropped and the colour beneath it
// stays, as in Pillow's convert("RGB").
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
