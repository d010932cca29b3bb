package page

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"
	"golang.org/x/image/draw"
)

var update = flag.Bool("update-pictures", false,
	"write the pictures that tests compare with; look at them before a commit")

// Pictures are kept at half their size and compared in blocks, so that letters may be drawn a little differently by
// another version of Chromium; colours, and where things are, may not.
const (
	keptShare = 2
	block     = 12   // pixels of what is kept
	mostOff   = 26   // of 255, for a block to count as the same
	mostWrong = 0.02 // share of blocks that may differ
)

// Compare holds a picture of the page against testdata/NAME-SCREEN.png, which a person has looked at.
func (b *Tab) Compare(name string, s Screen) {
	b.t.Helper()
	got := halved(b.t, b.Picture())
	path := filepath.Join("testdata", name+"-"+s.Name()+".png")
	if *update {
		var out bytes.Buffer
		must.M((&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, got))
		must.M(os.MkdirAll("testdata", 0o755))
		must.M(os.WriteFile(path, out.Bytes(), 0o644))
		return
	}
	kept, err := png.Decode(bytes.NewReader(must.M1(os.ReadFile(path))))
	must.M(err)
	if wrong := differ(got, kept); wrong > mostWrong {
		now := filepath.Join(os.TempDir(), filepath.Base(path))
		var out bytes.Buffer
		must.M(png.Encode(&out, got))
		must.M(os.WriteFile(now, out.Bytes(), 0o644))
		b.t.Errorf("%s: %.1f %% of the page looks different, see %s; if that is meant, -update-pictures", path,
			100*wrong, now)
	}
}

// halved decodes a PNG file and halves its size.
func halved(t *testing.T, file []byte) *image.RGBA {
	t.Helper()
	whole := must.M1(png.Decode(bytes.NewReader(file)))
	size := whole.Bounds().Size().Div(keptShare)
	half := image.NewRGBA(image.Rectangle{Max: size})
	draw.ApproxBiLinear.Scale(half, half.Bounds(), whole, whole.Bounds(), draw.Src, nil)
	return half
}

// differ is the share of blocks whose mean colours are apart, 1 for pictures of two sizes.
func differ(a, b image.Image) float64 {
	if a.Bounds() != b.Bounds() {
		return 1
	}
	size := a.Bounds().Size()
	wrong, all := 0, 0
	for y := 0; y < size.Y; y += block {
		for x := 0; x < size.X; x += block {
			box := image.Rect(x, y, min(x+block, size.X), min(y+block, size.Y))
			p, q := mean(a, box), mean(b, box)
			all++
			for i := range p {
				if d := p[i] - q[i]; d > mostOff || d < -mostOff {
					wrong++
					break
				}
			}
		}
	}
	return float64(wrong) / float64(all)
}

// mean is the mean colour of a box: red, green and blue in 0 … 255.
func mean(m image.Image, box image.Rectangle) (sum [3]float64) {
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			r, g, b, _ := m.At(x, y).RGBA()
			for i, v := range [3]uint32{r, g, b} {
				sum[i] += float64(v>>8) / float64(box.Dx()*box.Dy())
			}
		}
	}
	return sum
}
