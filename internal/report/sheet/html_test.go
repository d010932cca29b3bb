package sheet

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"math"
	"regexp"
	"strings"
	"testing"
)

func page(t *testing.T, s *Sheet) string {
	t.Helper()
	data, err := s.html()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// section cuts one part of the page out by its id.
func section(t *testing.T, html, id string) string {
	t.Helper()
	_, rest, ok := strings.Cut(html, `<section id="`+id+`">`)
	if !ok {
		t.Fatalf("the page has no section %q", id)
	}
	part, _, _ := strings.Cut(rest, "<section id=")
	return part
}

var tileTag = regexp.MustCompile(`<i class="t( m)?" role="img" style="--x:(\d+);--y:(\d+)" title="([^"]*)"></i>`)

func TestSheetShowsEachImageOnce(t *testing.T) {
	s := noiseSheet(60, 4, 5, 3)
	html := page(t, s)
	seen := map[string]int{}
	places := map[string]bool{}
	for _, m := range tileTag.FindAllStringSubmatch(section(t, html, "clusters"), -1) {
		var i int
		name, _, _ := strings.Cut(m[4], " ")
		if _, err := fmt.Sscanf(name, "img%d.png", &i); err != nil {
			t.Fatalf("tooltip %q: %v", m[4], err)
		}
		seen[name]++
		places[m[2]+","+m[3]] = true
		if marked := m[1] != ""; marked != (i%7 == 0) {
			t.Errorf("image %d is marked: %v", i, marked)
		}
		p := "0.95"
		if i%7 == 0 {
			p = "0.50"
		}
		want := fmt.Sprintf("img%d.png · cluster %d · probability %s · known: class%d", i, i%3, p, i%3)
		if m[4] != want {
			t.Errorf("tooltip %q, want %q", m[4], want)
		}
	}
	for i := range 60 {
		if name := s.Names[i]; seen[name] != 1 {
			t.Errorf("image %s is shown %d times", name, seen[name])
		}
	}
	if len(seen) != 60 || len(places) != 60 {
		t.Errorf("%d images at %d places of the sprite, want 60 at 60", len(seen), len(places))
	}
}

func TestSheetSpriteHoldsThePixels(t *testing.T) {
	s := noiseSheet(10, 4, 5, 2)
	html := page(t, s)
	m := regexp.MustCompile(`url\(data:image/png;base64,([A-Za-z0-9+/=]+)\)`).FindStringSubmatch(html)
	data, err := base64.StdEncoding.DecodeString(m[1])
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range tileTag.FindAllStringSubmatch(section(t, html, "clusters"), -1) {
		var i, x, y int
		if _, err := fmt.Sscan(m[2]+" "+m[3]+" "+strings.Trim(m[4][:5], "img.p"), &x, &y, &i); err != nil {
			t.Fatal(err)
		}
		for j, v := range s.Pixels[i*20 : (i+1)*20] {
			got, _, _, _ := img.At(5*x+j%5, 4*y+j/5).RGBA()
			if want := math.Round(255 * float64(v)); float64(got>>8) != want {
				t.Fatalf("image %d, pixel %d: %d, want %v", i, j, got>>8, want)
			}
		}
	}
}

func TestSheetEscapes(t *testing.T) {
	const evil = `"><script>alert(1)</script>&'` + "\x1b[31m"
	s := noiseSheet(8, 2, 2, 2)
	s.Title, s.Subtitle, s.Notes = evil, evil, []string{evil}
	for i := range s.Names {
		s.Names[i], s.Truth[i] = evil, evil
	}
	html := page(t, s)
	if strings.Contains(html, "<script") || strings.Contains(html, "\x1b") {
		t.Error("hostile text reaches the page")
	}
	// title, h1, subtitle, note; 8 + 2·8 tooltips with name and class; 2 headings; 2 doubtful with tooltip, name,
	// class.
	if got, want := strings.Count(html, "&lt;script&gt;alert(1)"), 4+2*24+2+2*4; got != want {
		t.Errorf("%d escaped texts, want %d", got, want)
	}
	for _, bad := range []string{"http:", "https:", "<link", "<script", "@import", "src="} {
		if strings.Contains(html, bad) {
			t.Errorf("the page holds %q: it must need no other file", bad)
		}
	}
	if _, err := s.png(); err != nil {
		t.Error(err)
	}
}

func TestSheetHTMLParts(t *testing.T) {
	html := page(t, noiseSheet(60, 2, 2, 3))
	for id, want := range map[string]string{
		"k": `<li class="estimate" title="the clustering below"><span class="well">0.75<b style="height: ` +
			`64px"></b></span>3</li>`,
		"clusters":     "20 images · mean probability 0.88 · known: class0 (20)", // (17·0.95 + 3·0.5) / 20 = 0.8825
		"alternatives": "2 · log p −4.25 · share 0.30 · drawn 3 times · 3 clusters · 9 images grouped differently",
		"doubtful":     "<strong>0.50</strong> cluster 0<br>img0.png",
	} {
		if part := section(t, html, id); !strings.Contains(part, want) {
			t.Errorf("section %s lacks %q:\n%s", id, want, part)
		}
	}
	for _, want := range []string{
		"60 images in 3 clusters, 9 uncertain", "The two most probable", "prefers-color-scheme: dark",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(html, "ZgotmplZ") {
		t.Error("the template engine rejected a value")
	}
}

func TestSheetOfThousandImagesIsSmall(t *testing.T) {
	// Random pixels cannot be compressed: the worst case for the sprite.
	if size := len(page(t, noiseSheet(1000, 28, 28, 10))); size > 1_500_000 {
		t.Errorf("the page has %d bytes, want at most 1.5 MB", size)
	}
}
