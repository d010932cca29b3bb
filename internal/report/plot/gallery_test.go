package plot

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"math"
	"reflect"
	"regexp"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/plot/vg"

	"github.com/gfncp/gfncp/internal/report/canvas"
)

// fourImages are two panels of four images of 4 × 4 pixels, each of which is unlike the others.
func fourImages() *Gallery {
	g := &Gallery{
		Title: "t", Subtitle: "s", Height: 4, Width: 4, Columns: 2, Names: []string{"a", "b", "c", "d"},
		Marks: []GalleryMark{
			{Name: "same", Text: "same", Color: 2},
			{Name: "moved", Text: "moved", Color: 5, Line: MarkThick},
		},
	}
	for i := range 4 * 16 {
		g.Pixels = append(g.Pixels, float32((i*7+i/16*3)%16)/15)
	}
	g.Panels = []GalleryPanel{
		{Title: "one", Order: []int{2, 0, 1, 3}, OrderName: "order", Rows: []GalleryRow{
			{Name: "cluster 1", Tiles: []GalleryTile{{2, 1}, {0, 2}}}, {
				Name: "cluster 2", Color: 1,
				Tiles: []GalleryTile{{1, 0}, {3, 0}},
			},
		}},
		{Title: "two", Rows: []GalleryRow{{Name: "cluster 1", Tiles: []GalleryTile{{0, 2}, {1, 0}, {2, 1}, {3, 0}}}}},
	}
	return g
}

var href = regexp.MustCompile(`href="([^"]*)"`)

// An SVG holds every image itself, as often as it is shown and pixel for pixel, and refers to nothing outside.
func TestGallerySVGHoldsItsImages(t *testing.T) {
	g := fourImages()
	svg := mustRender(t, g, "svg")
	fills(t, svg) // well-formed
	shown := map[int]int{}
	for _, m := range href.FindAllSubmatch(svg, -1) {
		text, ok := bytes.CutPrefix(m[1], []byte("data:image/png;base64,"))
		if !ok {
			t.Fatalf("the picture refers to %.60s", m[1])
		}
		img := must.M1(
			png.Decode(bytes.NewReader(must.M1(base64.StdEncoding.DecodeString(string(text))))),
		).(*image.Gray)
		for i := range 4 {
			if bytes.Equal(img.Pix, canvas.TilePicture(g.Pixels[i*16:(i+1)*16], 4, 4, img.Rect.Size()).Pix) {
				shown[i]++
			}
		}
	}
	if want := map[int]int{0: 3, 1: 3, 2: 3, 3: 3}; !reflect.DeepEqual(shown, want) {
		t.Errorf("images shown %v, want each in both panels and in the order", shown)
	}
	for color, want := range map[int]int{2: 2 + 1, 5: 2 + 1} { // one in the legend
		if got := bytes.Count(svg, []byte("stroke:"+hex(canvas.Color(color)))); got != want {
			t.Errorf("%d frames in colour %d, want %d", got, color, want)
		}
	}
}

// A PNG shows images sharp: their pixels are those given, enlarged by a whole factor.
func TestGalleryPNGIsSharp(t *testing.T) {
	g := fourImages()
	img := must.M1(png.Decode(bytes.NewReader(mustRender(t, g, "png"))))
	l := newGalleryLayout(g)
	y := l.tops[0] + canvas.HeightOf(l.head(g.Panels[0], 0))
	corner := image.Pt(int(math.Round(float64((canvas.Margin+galleryLabel)/canvas.Pixel))),
		int(math.Round(float64((canvas.Margin+y)/canvas.Pixel))))
	want := canvas.TilePicture(g.Pixels[2*16:3*16], 4, 4, l.tiles.Size)
	best := math.Inf(1)
	for dy := -1; dy <= 1; dy++ { // the box is rounded to whole pixels
		for dx := -1; dx <= 1; dx++ {
			worst := 0.0
			for py := range l.tiles.Size.Y {
				for px := range l.tiles.Size.X {
					r, _, _, _ := img.At(corner.X+px+dx, corner.Y+py+dy).RGBA()
					worst = max(worst, math.Abs(float64(r>>8)-float64(want.GrayAt(px, py).Y)))
				}
			}
			best = min(best, worst)
		}
	}
	if best > 1 {
		t.Errorf("a pixel of the first image is off by %v of 255", best)
	}
}

// The records are what is drawn: panel, cluster, image, name, place in the order, mark.
func TestGalleryRecords(t *testing.T) {
	want := [][]any{
		{"one", "cluster 1", 2, "c", 1, "same"},
		{"one", "cluster 1", 0, "a", 2, "moved"},
		{"one", "cluster 2", 1, "b", 3, ""},
		{"one", "cluster 2", 3, "d", 4, ""},
		{"two", "cluster 1", 0, "a", 0, "moved"},
		{"two", "cluster 1", 1, "b", 0, ""},
		{"two", "cluster 1", 2, "c", 0, "same"},
		{"two", "cluster 1", 3, "d", 0, ""},
	}
	if r := fourImages().Records(); !reflect.DeepEqual(r.Rows, want) || len(r.Columns) != len(want[0]) {
		t.Errorf("records %v %v", r.Columns, r.Rows)
	}
}

// Panels beside and below each other do not overlap, whatever they hold, and fit on the page.
func TestGalleryLeavesRoom(t *testing.T) {
	g := fourImages()
	var many []GalleryTile
	for i := range 50 {
		many = append(many, GalleryTile{Image: i % 4})
	}
	g.Panels = append(g.Panels, GalleryPanel{
		Title: "three", Text: "some words",
		Rows: []GalleryRow{{Name: "x", Tiles: many}},
	}, g.Panels[1])
	l := newGalleryLayout(g)
	if n := l.tiles.PerLine; n < 2 || galleryLabel+vg.Length(n)*(l.tiles.W+galleryGap)-galleryGap > l.panel {
		t.Errorf("%d images a line are wider than a panel", n)
	}
	for i := range g.Panels {
		end := l.tops[i] + canvas.HeightOf(l.strips[i])
		if below := i + g.Columns; below < len(l.tops) && end > l.tops[below] || end > l.height+1e-6 {
			t.Errorf("panel %d ends at %v, tops are %v, the page ends at %v", i, end, l.tops, l.height)
		}
	}
}

// What cannot be drawn is an error.
func TestGalleryRefuses(t *testing.T) {
	for name, spoil := range map[string]func(g *Gallery){
		"no panels":  func(g *Gallery) { g.Panels = nil },
		"no columns": func(g *Gallery) { g.Columns = 0 },
		"pixels":     func(g *Gallery) { g.Pixels = g.Pixels[1:] },
		"NaN":        func(g *Gallery) { g.Pixels[3] = float32(math.NaN()) },
		"names":      func(g *Gallery) { g.Names = g.Names[1:] },
		"image":      func(g *Gallery) { g.Panels[1].Rows[0].Tiles[0].Image = 4 },
		"mark":       func(g *Gallery) { g.Panels[1].Rows[0].Tiles[0].Mark = 3 },
		"order":      func(g *Gallery) { g.Panels[0].Order[0] = -1 },
		"colour":     func(g *Gallery) { g.Panels[0].Rows[0].Color = -1 },
	} {
		g := fourImages()
		spoil(g)
		if _, err := Render(g, "png"); err == nil {
			t.Errorf("%s was drawn", name)
		}
	}
}
