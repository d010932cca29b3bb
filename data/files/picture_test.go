package files

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

func pngBytes(img image.Image) []byte {
	var b bytes.Buffer
	must.M(png.Encode(&b, img))
	return b.Bytes()
}

// greyImage is a grey 8-bit image, row by row.
func greyImage(h, w int, values ...byte) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, w, h))
	copy(img.Pix, values)
	return img
}

// picture is a grey picture of shares of white, row by row.
func picture(w int, pix ...float32) *image.Gray16 {
	img := image.NewGray16(image.Rect(0, 0, w, len(pix)/w))
	for i, v := range pix {
		img.SetGray16(i%w, i/w, color.Gray16{Y: uint16(math.Round(float64(v) * 0xffff))})
	}
	return img
}

// pixels are the shares of white in a picture, row by row.
func pixels(img *image.Gray16) (pix []float32) {
	for i := range img.Rect.Dx() * img.Rect.Dy() {
		pix = append(pix, share(img.Gray16At(i%img.Rect.Dx(), i/img.Rect.Dx()).Y))
	}
	return pix
}

func wantPixels(t *testing.T, got, want []float32, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d pixels %v, want %v", len(got), got, want)
	}
	for i := range want {
		if math.Abs(float64(got[i]-want[i])) > tolerance {
			t.Errorf("pixel %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestReadPicture(t *testing.T) {
	dir := t.TempDir()
	grey := write(t, pngBytes(greyImage(1, 3, 0, 77, 255)), dir, "grey.png")
	p, turns, err := readPicture(grey)
	if err != nil || turns || p.Rect.Max != image.Pt(3, 1) || !slices.Equal(pixels(p), []float32{0, 77.0 / 255, 1}) {
		t.Errorf("%+v %v", p, err)
	}

	img := image.NewNRGBA(image.Rect(0, 0, 6, 1))
	for x, c := range []color.NRGBA{
		{255, 0, 0, 255},
		{0, 255, 0, 255},
		{0, 0, 255, 255},
		{51, 51, 51, 255}, // 51/255 = 0.2
		{0, 0, 0, 102},    // black, 40 % opaque, over white: 1 − 0.4
		{9, 9, 9, 0},      // not to be seen: white
	} {
		img.SetNRGBA(x, 0, c)
	}
	p, _, err = readPicture(write(t, pngBytes(img), dir, "colour.png"))
	must.M(err)
	// BT.601 weights of red, green and blue
	wantPixels(t, pixels(p), []float32{0.299, 0.587, 0.114, 0.2, 0.6, 1}, 2.0/65535)

	var b bytes.Buffer
	must.M(jpeg.Encode(&b, greyImage(8, 8, slices.Repeat([]byte{51}, 64)...), nil))
	p, _, err = readPicture(write(t, b.Bytes(), dir, "flat.png")) // a JPEG, whatever its name
	must.M(err)
	wantPixels(t, pixels(p), slices.Repeat([]float32{0.2}, 64), 2.0/255) // JPEG quantises
}

func TestPictureFaults(t *testing.T) {
	dir := t.TempDir()
	good := pngBytes(greyImage(20, 20))
	bomb := bytes.Clone(good)
	// 8192×8192 = 67 million pixels in the IHDR chunk, with its CRC mended
	copy(bomb[16:], []byte{0, 0, 0x20, 0, 0, 0, 0x20, 0})
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	for name, test := range map[string]struct {
		raw  []byte
		want string
	}{
		"empty.png": {nil, "cannot be decoded"},
		"text.png":  {[]byte("hello, world"), "unknown format"},
		"cut.png":   {good[:len(good)/2], "cannot be decoded"},
		"bomb.png":  {bomb, "has 8192×8192 pixels, more than 64 million"},
	} {
		path := write(t, test.raw, dir, name)
		_, _, err := readPicture(path)
		wantUserError(t, err, path, test.want)
	}
	_, _, err := readPicture(dir + "/none.png")
	wantUserError(t, err, "no such file")
}

func TestFit(t *testing.T) {
	same := picture(2, 0.123456, 1)
	if got := fit(same, image.Pt(2, 1)); got != same {
		t.Error("a picture of the right size was changed")
	}
	const bit = 1.0 / 65535

	// A constant stays constant, at any shape.
	flat := picture(5, slices.Repeat([]float32{0.25}, 15)...)
	for _, size := range []image.Point{{4, 4}, {28, 28}, {1, 1}, {9, 2}} {
		got := fit(flat, size)
		if got.Rect.Max != size {
			t.Errorf("size %v, want %v", got.Rect.Max, size)
		}
		wantPixels(t, pixels(got), slices.Repeat([]float32{0.25}, size.X*size.Y), 2*bit)
	}

	// A wide picture keeps its shape: 2×4 in 4×4 is neither scaled nor blurred, but centred on its background, the
	// median of the border 0.2 0.2 0.2 0.2 0.2 1 1 0.2.
	wide := picture(4, 0.2, 0.2, 0.2, 0.2, 0.2, 1, 1, 0.2)
	want := slices.Concat(slices.Repeat([]float32{0.2}, 4), pixels(wide), slices.Repeat([]float32{0.2}, 4))
	wantPixels(t, pixels(fit(wide, image.Pt(4, 4))), want, 2*bit)

	// Catmull-Rom interpolation is exact for straight lines (Keys 1981), away from the border: pixel j of 16 lies at
	// (j + ½)/2 − ½ of 8, where the ramp has the value (that)/10.
	var ramp []float32
	for i := range 64 {
		ramp = append(ramp, float32(i%8)/10)
	}
	got := pixels(fit(picture(8, ramp...), image.Pt(16, 16)))
	for j := 4; j < 12; j++ {
		if v, want := float64(got[8*16+j]), ((float64(j)+0.5)/2-0.5)/10; math.Abs(v-want) > 1e-4 {
			t.Errorf("pixel %d is %v, want %v", j, v, want)
		}
	}

	// Scaled down by 2, a pattern of single pixels becomes its mean.
	var checks []float32
	for i := range 256 {
		checks = append(checks, float32((i+i/16)%2))
	}
	small := pixels(fit(picture(16, checks...), image.Pt(8, 8)))
	for y := 2; y < 6; y++ {
		wantPixels(t, small[y*8+2:y*8+6], slices.Repeat([]float32{0.5}, 4), 1e-3)
	}
}
