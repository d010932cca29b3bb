package vision

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// decoded reads a picture's colours.
func decoded(path string) rgb {
	img, _ := must.M2(image.Decode(bytes.NewReader(must.M1(os.ReadFile(path)))))
	return toRGB(img)
}

// JPEGs that store colour at half resolution have the colours that Pillow sees, up to the rounding of the cosine
// transform and of the colour conversion. testdata has files of Pillow 9.4.0 (libjpeg-turbo 2.1.5), as JPEG and as it
// decodes them. Repeating each colour value instead gives differences of 85 and 81.
func TestChromaEqualsPillow(t *testing.T) {
	for _, name := range []string{"colour420", "colour422"} {
		got, want := decoded("testdata/"+name+".jpg"), decoded("testdata/"+name+".png")
		if got.width != want.width || got.height != want.height || len(got.pix) != len(want.pix) {
			t.Fatalf("%s: %d×%d pixels, want %d×%d", name, got.width, got.height, want.width, want.height)
		}
		largest := 0
		for i, v := range got.pix {
			largest = max(largest, int(v)-int(want.pix[i]), int(want.pix[i])-int(v))
		}
		t.Logf("%s: largest difference %d", name, largest)
		if largest > 3 {
			t.Errorf("%s: a value differs by %d", name, largest)
		}
	}
}

// The colours of a part of a photo are those of the whole there.
func TestChromaOfAPart(t *testing.T) {
	img, _ := must.M2(image.Decode(bytes.NewReader(must.M1(os.ReadFile("testdata/colour420.jpg")))))
	photo := img.(*image.YCbCr)
	whole := toRGB(photo)
	for _, at := range []image.Rectangle{image.Rect(4, 6, 30, 27), image.Rect(3, 5, 30, 27)} {
		part := toRGB(photo.SubImage(at))
		if part.width != at.Dx() || part.height != at.Dy() {
			t.Fatalf("%v has %d×%d pixels", at, part.width, part.height)
		}
		// In the middle, where no border counts; a part that begins between two stored colours is not interpolated.
		x, y := 10, 11
		got := part.pix[3*(y*part.width+x):][:3]
		want := whole.pix[3*((at.Min.Y+y)*whole.width+at.Min.X+x):][:3]
		if at.Min.X%2 == 0 && !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", at, got, want)
		}
	}
}

// A picture is decoded by its content, and gives what Prepare makes of it. What cannot be decoded names the file and is
// ErrBroken; a file that is not there is not.
func TestReadPicture(t *testing.T) {
	dir := t.TempDir()
	m := pattern(50, 40)
	img := image.NewNRGBA(image.Rect(0, 0, m.width, m.height))
	for i := range m.width * m.height {
		copy(img.Pix[4*i:], append(slices.Clone(m.pix[3*i:3*i+3]), 255))
	}
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		must.M(os.WriteFile(path, content, 0o644))
		return path
	}
	var asPNG, asJPEG bytes.Buffer
	must.M(png.Encode(&asPNG, img))
	must.M(jpeg.Encode(&asJPEG, img, nil))

	got := must.M1(ReadPicture(write("photo.JPEG", asPNG.Bytes()), 16)) // as one of ImageNet's files
	if !slices.Equal(got, Prepare(img, 16)) {
		t.Error("a PNG gives other values than its image")
	}
	if got := must.M1(ReadPicture(write("b.jpg", asJPEG.Bytes()), 16)); len(got) != 3*16*16 {
		t.Errorf("a JPEG gives %d values", len(got))
	}
	for name, content := range map[string][]byte{
		"empty.jpg": nil, "text.jpg": []byte("<html>"), "half.jpg": asJPEG.Bytes()[:asJPEG.Len()/2],
		"half.png": asPNG.Bytes()[:asPNG.Len()/2],
		// 65536×65536, the checksum no longer fits
		"huge.png": slices.Replace(slices.Clone(asPNG.Bytes()), 16, 24, 0, 1, 0, 0, 0, 1, 0, 0),
	} {
		path := write(name, content)
		_, err := ReadPicture(path, 16)
		wantUserError(t, err, path)
		if !errors.Is(err, ErrBroken) {
			t.Errorf("%s: %v is not ErrBroken", name, err)
		}
	}
	if _, err := ReadPicture(filepath.Join(dir, "none.jpg"), 16); !errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, ErrBroken) {
		t.Errorf("no file: %v", err)
	}
}
