package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/usererr"
)

// pictures has one of each kind, with every mark, gaps and logarithmic axes.
func pictures() map[string]*figure.Chart {
	nan := math.NaN()
	lines := figure.NewChart("A long title, "+strings.Repeat("as it goes on ", 9), "step", "loss",
		figure.Series{Name: "a <b>", X: []float64{1, 2, 3, 10}, Y: []float64{1, nan, 100, 10}, Mark: figure.Dotted},
		figure.Series{Name: "c", X: []float64{1, 2, 3}, Y: []float64{5, 6, 7}, Mark: figure.Dots})
	lines.Panels[0].LogY = true
	single := figure.NewChart("One small value", "step", "ratio",
		figure.Series{Name: "a", X: []float64{0.2, 0.2}, Y: []float64{0.3, 0.3}, Mark: figure.Line})
	single.Panels[0].LogY = true
	panels := &figure.Chart{Columns: 2}
	for range 3 {
		panels.Panels = append(panels.Panels, figure.Panel{
			YLabel: "NMI",
			Series: []figure.Series{{Name: "s", X: []float64{0, 1}, Y: []float64{0.5, 0.5}, Mark: figure.Circles}},
		})
	}
	return map[string]*figure.Chart{
		"empty": figure.NewChart("t", "x", "y", figure.Series{X: []float64{1}, Y: []float64{nan}}),
		"lines": lines, "single": single, "panels": panels,
		"distributions": figure.Distributions("SDPP", "SDPP of a set", 3, []figure.Sample{
			{Name: "ours", Values: []float64{0.1, 0.4, 0.4, 2}},
			{Name: "paper", Edges: []float64{0, 1, 3}, Counts: []float64{3, 1}, Color: 1, Pale: true},
		}),
		"clusters": figure.Clusters("points", "x", "y", []float32{0, 0, 1, 1, 5, 5, 6, 6}, []int32{0, 0, 9, -1},
			[]float64{1, 0.5, 1, 1}),
		"drawing": {Title: "Images", Columns: 2, Height: 3, Panels: []figure.Panel{{
			Title: "moved", Bounds: &figure.Bounds{Right: 4, Bottom: -2, Top: 1},
			Series: []figure.Series{
				{
					Mark: figure.Images, X: []float64{2}, Y: []float64{0},
					Images: []image.Image{image.NewGray(image.Rect(0, 0, 4, 4))},
				},
				{Mark: figure.Words, X: []float64{1}, Y: []float64{0}, Words: []string{"cluster 1\n2 images"}},
				{X: []float64{0, 4}, Y: []float64{0, -2}, Width: 3},
			},
		}}},
	}
}

// reference is what an SVG refers to.
var reference = regexp.MustCompile(`(?:href|src)="([^"]{0,40})|url\(([^)]{0,40})`)

// Every picture is well-formed as SVG, in which its words stand, and refers to nothing but what it holds, decodes as
// PNG with 1200 pixels across, and has the same bytes each time.
func TestRender(t *testing.T) {
	words := map[string][]string{
		"lines": {"step", "loss", "a &lt;b&gt;"}, "panels": {"NMI"}, "distributions": {"density", "paper"},
		"clusters": {"cluster 0: 2", "no cluster: 1", "unsure (p &lt; 0.9): 1"},
		"drawing":  {"cluster 1", "2 images", "moved"},
	}
	for name, p := range pictures() {
		for _, extension := range Extensions {
			data := must.M1(Render(p, extension))
			if !bytes.Equal(data, must.M1(Render(p, extension))) {
				t.Errorf("%s.%s differs the second time", name, extension)
			}
			if extension == "png" {
				if size := must.M1(png.DecodeConfig(bytes.NewReader(data))); size.Width != 1200 || size.Height < 200 {
					t.Errorf("%s has %d × %d pixels", name, size.Width, size.Height)
				}
				continue
			}
			for _, w := range words[name] {
				if !bytes.Contains(data, []byte(w)) {
					t.Errorf("%s has no %q", name, w)
				}
			}
			for _, m := range reference.FindAllSubmatch(data, -1) {
				if to := slices.Concat(m[1], m[2]); !bytes.HasPrefix(to, []byte("data:image/png;base64,")) {
					t.Errorf("%s refers to %s", name, to)
				}
			}
			decoder := xml.NewDecoder(bytes.NewReader(data))
			for {
				if _, err := decoder.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s is not XML: %v", name, err)
				}
			}
		}
	}
}

// A picture that cannot be drawn, and a format that is not known, are errors.
func TestSaveRefuses(t *testing.T) {
	if err := Save(&figure.Chart{}, filepath.Join(t.TempDir(), "a.svg")); err == nil {
		t.Error("a chart without panels was drawn")
	}
	if err := Save(pictures()["lines"], "a.gif"); !usererr.Is(err) || !strings.Contains(err.Error(), ".svg or .png") {
		t.Errorf("an unknown format: %v", err)
	}
}
