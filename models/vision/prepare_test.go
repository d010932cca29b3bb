package vision

import (
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"math"
	"testing"
)

// pattern has edges, ramps and noise in all channels, and the darkest and brightest values side by side.
func pattern(width, height int) rgb {
	m := rgb{width: width, height: height}
	for y := range height {
		for x := range width {
			r, g, b := (x*x+7*y)%256, 255, (x*y)%97
			if (x/9+y/7)%2 == 1 {
				g = (x*13 + y*y*3) % 256
			}
			if (x/5)%2 == 1 {
				b = 255
			}
			m.pix = append(m.pix, uint8(r), uint8(g), uint8(b))
		}
	}
	return m
}

// Scaled and cropped images equal those of Pillow and torchvision bit for bit. The checksums are of Pillow 9.4.0 on
// the same pattern: im.resize((w, h), Image.BICUBIC).crop(…).tobytes(), with torchvision's sizes, (248, int(248·h/w))
// for a portrait, and its corner, int(round((w-224)/2.0)).
func TestScaledCropEqualsPillow(t *testing.T) {
	for _, test := range []struct {
		width, height, size int
		sum                 string
		at00                [3]uint8 // the first pixel, to see what is wrong
	}{
		{97, 61, 32, "bc978c4b1dd9824c", [3]uint8{136, 255, 61}},
		{61, 97, 32, "f1fd64b7685146b8", [3]uint8{166, 156, 107}},
		{35, 35, 32, "5e126a45909cbfe4", [3]uint8{18, 255, 4}},      // only cropped
		{20, 31, 32, "0340a54fee88f7d5", [3]uint8{44, 249, 6}},      // enlarged
		{331, 500, 224, "05e6f4afbd7986b1", [3]uint8{213, 30, 255}}, // sizes as ImageNet has them
		{500, 375, 224, "a84eb6383b9084a7", [3]uint8{79, 214, 49}},
		{3, 200, 32, "16ed258f6131261a", [3]uint8{175, 255, 0}}, // 35 by 2333; the corner is at 1150.5, rounded to even
		{1, 1, 16, "0dbbbdfb52d3ca28", [3]uint8{0, 255, 0}},
		{640, 35, 32, "05935e74244f5259", [3]uint8{14, 124, 26}},
	} {
		got := pattern(test.width, test.height).scaledCrop(test.size)
		sum := fmt.Sprintf("%x", sha256.Sum256(got.pix))[:16]
		if first := [3]uint8(got.pix); sum != test.sum || first != test.at00 || len(got.pix) != 3*test.size*test.size {
			t.Errorf("%d×%d to %d: checksum %s, first pixel %v; Pillow has %s, %v",
				test.width, test.height, test.size, sum, first, test.sum, test.at00)
		}
	}
}

// The input is planar [3,S,S], and each channel has ImageNet's mean and standard deviation taken out: worked out by
// hand, (255/255 − 0.485)/0.229 = 2.24891, (0 − 0.456)/0.224 = −2.03571, (51/255 − 0.406)/0.225 = −0.91556.
func TestPrepareStandardizes(t *testing.T) {
	img := image.NewRGBA(image.Rect(10, 20, 10+50, 20+40)) // bounds that do not begin at 0
	for i := range img.Pix {
		img.Pix[i] = []uint8{255, 0, 51, 255}[i%4]
	}
	const size = 16
	got := Prepare(img, size)
	if len(got) != 3*size*size {
		t.Fatalf("%d values", len(got))
	}
	for i, v := range got {
		want := []float64{2.248908, -2.035714, -0.915556}[i/(size*size)]
		if math.Abs(float64(v)-want) > 1e-6 {
			t.Fatalf("value %d is %g, want %g", i, v, want)
		}
	}
}

// What images can be becomes RGB: greys, CMYK, 16 bits, palettes. Transparency is dropped, the colour beneath it stays.
func TestToRGB(t *testing.T) {
	one := image.Rect(0, 0, 1, 1)
	grey := &image.Gray{Pix: []uint8{77}, Stride: 1, Rect: one}
	for _, test := range []struct {
		name string
		img  image.Image
		want [3]uint8
	}{
		{"grey", grey, [3]uint8{77, 77, 77}},
		{"grey, 16 bits", &image.Gray16{Pix: []uint8{77, 200}, Stride: 2, Rect: one}, [3]uint8{77, 77, 77}},
		{"CMYK", &image.CMYK{Pix: []uint8{255, 51, 0, 0}, Stride: 4, Rect: one}, [3]uint8{0, 204, 255}},
		{"CMYK, black", &image.CMYK{Pix: []uint8{9, 9, 9, 255}, Stride: 4, Rect: one}, [3]uint8{0, 0, 0}},
		{
			"RGB, 16 bits", &image.RGBA64{Pix: []uint8{1, 0, 2, 0, 3, 0, 255, 255}, Stride: 8, Rect: one},
			[3]uint8{1, 2, 3},
		},
		{"alpha", &image.NRGBA{Pix: []uint8{10, 20, 30, 0}, Stride: 4, Rect: one}, [3]uint8{10, 20, 30}},
		{
			"alpha in a palette",
			&image.Paletted{Pix: []uint8{1}, Stride: 1, Rect: one, Palette: color.Palette{
				color.Black, color.NRGBA{4, 5, 6, 0},
			}},
			[3]uint8{4, 5, 6},
		},
		// JPEG's red
		{
			"YCbCr", &image.YCbCr{Y: []uint8{76}, Cb: []uint8{85}, Cr: []uint8{255}, YStride: 1, CStride: 1, Rect: one},
			[3]uint8{254, 0, 0},
		},
		{"a part of an image", grey.SubImage(one), [3]uint8{77, 77, 77}},
	} {
		if got := toRGB(test.img); got.width != 1 || got.height != 1 || [3]uint8(got.pix) != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
