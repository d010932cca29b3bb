package sheet

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/usererr"
)

// noiseSheet has n images of h × w random pixels in k clusters of nearly the same size; every seventh is uncertain and
// is moved to the next cluster in the second alternative.
func noiseSheet(n, h, w, k int) *Sheet {
	rng := rand.New(rand.NewPCG(11, 0))
	s := &Sheet{Title: "noise", Subtitle: "seed 11", Notes: []string{"a note"}, Height: h, Width: w}
	for range n * h * w {
		s.Pixels = append(s.Pixels, rng.Float32())
	}
	moved := make([]int32, n)
	for i := range n {
		s.Labels = append(s.Labels, int32(i%k))
		moved[i] = int32(i % k)
		p := 0.95
		if i%7 == 0 {
			p = 0.5
			moved[i] = int32((i + 1) % k)
		}
		s.Probability = append(s.Probability, p)
		s.Names = append(s.Names, fmt.Sprintf("img%d.png", i))
		s.Truth = append(s.Truth, fmt.Sprint("class", i%3))
	}
	s.KPosterior = []KProb{{k, 0.75}, {k + 1, 0.25}}
	s.Alternatives = []Alternative{{slices.Clone(s.Labels), -3.5, 7, 0.7}, {moved, -4.25, 3, 0.3}}
	return s
}

func TestSheetOrdersUncertainLast(t *testing.T) {
	s := noiseSheet(60, 2, 2, 3)
	for _, limit := range []int{1, 5, 120} {
		p := s.plan()
		p.cut(limit)
		for _, b := range p.Point.Blocks {
			if len(b.Tiles) != min(limit, 20) || b.images != 20 {
				t.Errorf("limit %d: %d of %d images", limit, len(b.Tiles), b.images)
			}
			marked := 0
			for j, tile := range b.Tiles {
				if tile.Marked {
					marked++
				} else if marked > 0 {
					t.Errorf("limit %d: image %d at place %d comes after an uncertain one", limit, tile.Image, j)
				}
			}
			// Each cluster has 3 of the 9 uncertain images 0, 7, …, 56: they fill half of the room when it is short.
			if total := marked + b.moreMarked; total != 3 || limit > 1 && marked != 3 {
				t.Errorf("limit %d: %d uncertain shown, %d counted", limit, marked, b.moreMarked)
			}
		}
	}
}

func TestSheetOrdersByProbability(t *testing.T) {
	s := noiseSheet(8, 1, 1, 1)
	s.Probability = []float64{0.92, 0.5, 0.99, 0.3, 0.95, 0.6, 0.8, 0.97}
	p := s.plan()
	for _, c := range []struct {
		limit int
		want  string
	}{{8, "[2 7 4 0 6 5 1 3]"}, {5, "[2 7 5 1 3]"}, {4, "[2 7 1 3]"}, {1, "[3]"}} {
		p.cut(c.limit)
		var got []int
		for _, tile := range p.Point.Blocks[0].Tiles {
			got = append(got, tile.Image)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("limit %d: images %v, want %s", c.limit, got, c.want)
		}
	}
}

func TestSheetMarksWhatIsGroupedDifferently(t *testing.T) {
	s := noiseSheet(60, 2, 2, 3)
	for i := range s.Alternatives[1].Labels { // names of clusters do not matter
		s.Alternatives[1].Labels[i] = 9 - s.Alternatives[1].Labels[i]
	}
	p := s.plan()
	if same := p.Others[0]; same.moved != 0 {
		t.Errorf("the same clustering differs in %d images", same.moved)
	}
	other := p.Others[1]
	if other.moved != 9 { // 0, 7, …, 56
		t.Errorf("%d images grouped differently, want 9", other.moved)
	}
	for i, b := range other.Blocks {
		if b.label != p.Point.Blocks[i].label {
			t.Errorf("row %d is cluster %d, want %d as above", i, b.label, p.Point.Blocks[i].label)
		}
		for _, tile := range b.Tiles {
			if tile.Marked != (tile.Image%7 == 0) {
				t.Errorf("image %d is marked: %v", tile.Image, tile.Marked)
			}
		}
	}
}

func TestMatchClusters(t *testing.T) {
	// Shared images: a0–b0 3, a1–b0 2, a1–b1 1, a2–b1 1. Greedy: a0–b0, then a1–b1 before a2–b1 (smaller label); a2 is
	// left.
	a := []int32{0, 0, 0, 1, 1, 1, 2}
	b := []int32{0, 0, 0, 0, 0, 1, 1}
	if got := fmt.Sprint(matchClusters(a, b)); got != "map[0:0 1:1 2:-1]" {
		t.Errorf("matched %s", got)
	}
}

func TestSheetBytesRepeat(t *testing.T) {
	for _, format := range []func(*Sheet) ([]byte, error){(*Sheet).png, (*Sheet).html} {
		first, err := format(noiseSheet(50, 6, 4, 12))
		if err != nil {
			t.Fatal(err)
		}
		second, err := format(noiseSheet(50, 6, 4, 12))
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("drawing twice gives different bytes (%v)", err)
		}
	}
}

func TestSheetSmallest(t *testing.T) {
	for name, s := range map[string]*Sheet{
		"one image": noiseSheet(1, 1, 1, 1), "two images": noiseSheet(2, 28, 28, 2),
		"one cluster": noiseSheet(30, 28, 28, 1),
		"thin":        noiseSheet(3, 1, 900, 2), "large": noiseSheet(3, 300, 200, 2),
		"bare": {Pixels: []float32{-1, 2}, Height: 1, Width: 1, Labels: []int32{0, 0}, Probability: []float64{1, 0}},
	} {
		data, err := s.png()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if size := img.Bounds().Size(); size.X != sheetWidth || size.Y < 150 || size.Y > 1500 {
			t.Errorf("%s: picture of %v", name, size)
		}
		page(t, s)
	}
}

// painted is what is drawn on a page as wide as a sheet.
func painted(t *testing.T, height vg.Length, paint func(b canvas.Board)) image.Image {
	t.Helper()
	page := canvas.Sketch{Width: sheetWidth, Height: height, DPI: sheetDPI, Draw: func(c draw.Canvas) {
		paint(canvas.Board{C: c, Pixel: 1})
	}}
	return must.M1(png.Decode(bytes.NewReader(must.M1(page.Render("png")))))
}

func TestSheetDrawsThePixels(t *testing.T) {
	s := &Sheet{
		Pixels: []float32{0, 1, 0.5, 0}, Height: 2, Width: 2, Labels: []int32{0}, Probability: []float64{0.2},
	}
	size := canvas.BlockTile(s.Height, s.Width)
	if size.X != 64 || size.Y != 64 {
		t.Fatalf("2 × 2 pixels are shown as %v, want 64 × 64", size)
	}
	img := painted(t, 200, func(b canvas.Board) { s.drawTiles(b, gridFrom(100, size), 100, 100, []tile{{0, true}}) })
	// Corners of the image (64/2 = 32 pixels each), then the frame around it and the page beyond.
	for at, want := range map[[2]int]string{
		{100, 100}: "#000000", {163, 100}: "#FFFFFF", {131, 132}: "#808080", {163, 163}: "#000000",
		{99, 99}: "#D55E00", {166, 120}: "#D55E00", {167, 120}: "#FFFFFF",
	} {
		r, g, b, _ := img.At(at[0], at[1]).RGBA()
		if got := fmt.Sprintf("#%02X%02X%02X", r>>8, g>>8, b>>8); got != want {
			t.Errorf("pixel %v is %s, want %s", at, got, want)
		}
	}
}

// TestSheetCaps: 10,000 images of any size, in few clusters or in very many, stay within the limits.
func TestSheetCaps(t *testing.T) {
	for _, c := range []struct{ k, side int }{{10, 28}, {300, 160}, {10000, 4000}} {
		s := noiseSheet(10000, 1, 1, c.k)
		s.Notes = slices.Repeat([]string{strings.Repeat("a long note ", 30)}, 50)
		s.Title, s.Subtitle = strings.Repeat("title ", 200), strings.Repeat("subtitle ", 200)
		s.Alternatives = append(s.Alternatives, s.Alternatives...)
		s.Height, s.Width = c.side, c.side // the layout looks at the size alone and needs no pixels
		p := s.fittingPlan()
		if height := heightOf(s.strips(p)); height >= 20000 {
			t.Errorf("%+v: %v pixels high", c, height)
		}
		if len(p.Others) != 3 || p.Point.K != c.k {
			t.Errorf("%+v: %d alternatives, %d clusters", c, len(p.Others), p.Point.K)
		}
		for _, g := range append(p.Others, p.Point) {
			total := g.moreImages
			for _, b := range g.Blocks {
				total += len(b.Tiles) + b.more()
			}
			if total != 10000 || len(g.Blocks) != min(c.k, maxSheetClusters) {
				t.Errorf("%+v: %d images, %d clusters shown", c, total, len(g.Blocks))
			}
		}
	}
	// Each cluster has 1000 images, 142 or 143 of them uncertain (10000/70 = 142.9); 60 + 60 are shown.
	p := noiseSheet(10000, 1, 1, 10).plan()
	for _, b := range p.Point.Blocks {
		if got := b.More(); got != "and 880 more (82 uncertain)" && got != "and 880 more (83 uncertain)" {
			t.Errorf("cluster %d: %q", b.label, got)
		}
	}
}

func TestSheetFaults(t *testing.T) {
	nan := math.NaN()
	for want, spoil := range map[string]func(*Sheet){
		"no images":                     func(s *Sheet) { s.Labels = nil },
		"images of 0 × 2":               func(s *Sheet) { s.Height = 0 },
		"31 pixels for 8 images":        func(s *Sheet) { s.Pixels = s.Pixels[:31] },
		"32 pixels for 8 images":        func(s *Sheet) { s.Width = math.MaxInt },
		"image 2 has a pixel":           func(s *Sheet) { s.Pixels[11] = float32(nan) },
		"7 probabilities":               func(s *Sheet) { s.Probability = s.Probability[:7] },
		"0 probabilities":               func(s *Sheet) { s.Probability = nil },
		"7 names":                       func(s *Sheet) { s.Names = s.Names[:7] },
		"0 known classes":               func(s *Sheet) { s.Truth = []string{} },
		"image 1 has the probability N": func(s *Sheet) { s.Probability[1] = nan },
		"image 1 has the probability 2": func(s *Sheet) { s.Probability[1] = 2 },
		"image 3 has the label -1":      func(s *Sheet) { s.Labels[3] = -1 },
		"image 3 has the label 8":       func(s *Sheet) { s.Labels[3] = 8 },
		"probability of 0 clusters":     func(s *Sheet) { s.KPosterior[0].K = 0 },
		"of 3 clusters is NaN":          func(s *Sheet) { s.KPosterior[1].P = nan },
		"alternative 1: 7 labels":       func(s *Sheet) { s.Alternatives[1].Labels = s.Labels[:7] },
		"alternative 0: share -1":       func(s *Sheet) { s.Alternatives[0].Share = -1 },
	} {
		s := noiseSheet(8, 2, 2, 2)
		spoil(s)
		path := filepath.Join(t.TempDir(), "x.html")
		if err := s.Save(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: a file was written", want)
		}
	}
}

func TestSheetSave(t *testing.T) {
	dir, s := t.TempDir(), noiseSheet(8, 2, 2, 2)
	for name, start := range map[string]string{"a.PNG": "\x89PNG", "a.html": "<!DOCTYPE html>"} {
		path := filepath.Join(dir, name)
		if err := s.Save(path); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(data), start) {
			t.Errorf("%s starts with %q (%v)", name, data[:min(20, len(data))], err)
		}
	}
	if err := s.Save(filepath.Join(dir, "x.svg")); !usererr.Is(err) || !strings.Contains(err.Error(), ".png or .html") {
		t.Errorf("unknown format: %v", err)
	}
}

func TestFormatProbability(t *testing.T) {
	for p, want := range map[float64]string{
		0: "0.00", 0.004: "< 0.01", 0.5: "0.50", 0.995: "0.99", 0.9951: "> 0.99", 1: "1.00",
	} {
		if got := formatProbability(p); got != want {
			t.Errorf("%v is written %q, want %q", p, got, want)
		}
	}
}

// TestClusterBarsDiffer: colour and line tell 32 clusters apart.
func TestClusterBarsDiffer(t *testing.T) {
	img := painted(t, 33*40, func(b canvas.Board) {
		for label := -1; label < 32; label++ {
			clusterBar(b, int32(label), 40*vg.Length(label+1), 30)
		}
	})
	seen := map[string]int{}
	for label := -1; label < 32; label++ {
		y := 40 * (label + 1)
		var key []byte
		for j := range barWidth * 30 {
			r, g, b, _ := img.At(sheetMargin+j%barWidth, y+j/barWidth).RGBA()
			key = append(key, byte(r>>8), byte(g>>8), byte(b>>8))
		}
		if other, ok := seen[string(key)]; ok {
			t.Errorf("clusters %d and %d have the same bar", other, label)
		}
		seen[string(key)] = label
	}
}
