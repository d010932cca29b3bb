package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/usererr"
)

// gaussians draws n points from k unit Gaussians whose centres lie on a circle; the confidence falls with the distance
// from the centre, which is enough to have sure and unsure points.
func gaussians(seed uint64, n, k int) *Clustering {
	rng := rand.New(rand.NewPCG(seed, 0))
	p := &Clustering{Title: fmt.Sprintf("%d points, %d Gaussians", n, k), XLabel: "x₁", YLabel: "x₂"}
	for i := range n {
		c := i % k
		sin, cos := math.Sincos(2 * math.Pi * float64(c) / float64(k))
		dx, dy := rng.NormFloat64(), rng.NormFloat64()
		p.X = append(p.X, float32(9*cos+dx), float32(6*sin+dy))
		p.Labels = append(p.Labels, int32(c))
		p.Confidence = append(p.Confidence, math.Exp(-0.03*(dx*dx+dy*dy)))
	}
	return p
}

func lossCurve(logY bool) *Curve {
	rng := rand.New(rand.NewPCG(5, 0))
	c := &Curve{Title: "Training", XLabel: "step", YLabel: "loss", LogY: logY}
	for j, name := range []string{"total", "marginal consistency", "contrastive divergence"} {
		s := Series{Name: name}
		for i := range 200 {
			s.Steps = append(s.Steps, i*10)
			s.Values = append(s.Values, 50/float64(j+1)*math.Exp(-float64(i)/30)*(1+0.2*rng.NormFloat64())+0.1)
		}
		c.Series = append(c.Series, s)
	}
	return c
}

func mustRender(t *testing.T, s sketch, format string) []byte {
	t.Helper()
	data, err := Render(s, format)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fills counts the filled shapes of an SVG by colour and fails when it is not well-formed XML.
func fills(t *testing.T, svg []byte) map[string]int {
	t.Helper()
	count := map[string]int{}
	dec := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		if err != nil {
			t.Fatalf("SVG is not XML: %v", err)
		}
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "path" {
			continue
		}
		for _, a := range e.Attr {
			if m := fillColor.FindStringSubmatch(a.Value); a.Name.Local == "style" && m != nil {
				count[m[1]]++
			}
		}
	}
}

var fillColor = regexp.MustCompile(`(?:^|;)fill:(#[0-9A-Fa-f]{6})`)

func TestClusteringSVGHoldsEveryPoint(t *testing.T) {
	p := gaussians(1, 120, 6)
	unsure := 0
	for i := range p.Labels {
		if p.uncertain(i) {
			unsure++
		}
	}
	if unsure < 10 || unsure > 110 {
		t.Fatalf("%d unsure points: the example does not test both kinds", unsure)
	}
	count := fills(t, mustRender(t, p, "svg"))
	full, hollow := 0, 0
	for k := range 6 {
		full += count[hex(canvas.Color(k))]
		hollow += count[hex(canvas.Lighten(canvas.Color(k), 0.8))]
	}
	if want := 120 - unsure + 6; full != want { // 6 samples in the legend
		t.Errorf("%d full glyphs, want %d", full, want)
	}
	if hollow != unsure {
		t.Errorf("%d hollow glyphs, want %d", hollow, unsure)
	}
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

func TestPicturesDecodeAndRepeat(t *testing.T) {
	for name, s := range map[string]sketch{
		"six": gaussians(1, 120, 6), "many": gaussians(2, 300, 30), "big": gaussians(3, 10000, 6),
		"one":    gaussians(4, 1, 1),
		"far":    &Clustering{X: []float32{1e9, 1e9}, Labels: []int32{0}},
		"linear": lossCurve(false), "log": lossCurve(true),
		"flat": &Curve{LogY: true, Series: []Series{{Name: "a", Steps: []int{1, 2}, Values: []float64{1, 1}}}},
	} {
		img := mustRender(t, s, "png")
		config, err := png.DecodeConfig(bytes.NewReader(img))
		if err != nil || config.Width != 1200 || config.Height != 900 {
			t.Errorf("%s: PNG of %d × %d (%v), want 1200 × 900", name, config.Width, config.Height, err)
		}
		svg := mustRender(t, s, "svg")
		fills(t, svg)
		if name != "big" && (!bytes.Equal(svg, mustRender(t, s, "svg")) || !bytes.Equal(img, mustRender(t, s, "png"))) {
			t.Errorf("%s: drawing twice gives different bytes", name)
		}
	}
}

func TestEqualAspect(t *testing.T) {
	p := &Clustering{X: []float32{0, 0, 100, 1, 50, 0.5}, Labels: []int32{0, 1, 0}}
	c := draw.NewCanvas(vgsvg.New(canvas.Width, canvas.Height), canvas.Width, canvas.Height)
	pl := newPlot(p.Title, p.XLabel, p.YLabel)
	pl.Add(p)
	equalAspect(pl, c)
	size := pl.DataCanvas(c).Size()
	perX, perY := (pl.X.Max-pl.X.Min)/float64(size.X), (pl.Y.Max-pl.Y.Min)/float64(size.Y)
	if math.Abs(perX/perY-1) > 0.01 { // tick labels may still move the border by a point or two
		t.Errorf("units a point: %v and %v", perX, perY)
	}
	if pl.X.Min >= 0 || pl.X.Max <= 100 || pl.Y.Min >= 0 || pl.Y.Max <= 1 {
		t.Errorf("axes [%v, %v] × [%v, %v] do not hold the points", pl.X.Min, pl.X.Max, pl.Y.Min, pl.Y.Max)
	}
}

func TestClusteringLegend(t *testing.T) {
	p := gaussians(2, 305, 15) // 305 = 15·20 + 5: clusters 0–4 have 21 points, the others 20
	p.Labels[0] = 99
	p.Confidence = nil
	var got []string
	for _, e := range p.legend() {
		got = append(got, e.text)
	}
	want := []string{"305 points, 16 clusters"}
	for k, n := range []int{20, 21, 21, 21, 21, 20, 20, 20, 20, 20, 20, 20} {
		want = append(want, fmt.Sprintf("cluster %d: %d", k, n))
	}
	want = append(want, "and 4 more")
	if !slices.Equal(got, want) {
		t.Errorf("legend %q, want %q", got, want)
	}
}

func TestShapesExtendThePalette(t *testing.T) {
	seen := map[string]int{}
	for k := range 40 {
		key := fmt.Sprint(canvas.Color(k), canvas.ShapePath(k, 1, vg.Point{}))
		if other, ok := seen[key]; ok {
			t.Errorf("clusters %d and %d look alike", other, k)
		}
		seen[key] = k
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	p := gaussians(1, 20, 2)
	for name, s := range map[string]interface {
		sketch
		Save(string) error
	}{"clustering": p, "curve": lossCurve(true)} {
		for ext, format := range map[string]string{".SVG": "svg", ".png": "png"} {
			path := filepath.Join(dir, name+ext)
			if err := s.Save(path); err != nil {
				t.Fatal(err)
			}
			if got, _ := os.ReadFile(path); !bytes.Equal(got, mustRender(t, s, format)) {
				t.Errorf("%s: Save and Render differ", path)
			}
		}
		if err := s.Save(filepath.Join(dir, "x.gif")); !usererr.Is(err) ||
			!strings.Contains(err.Error(), ".svg or .png") {
			t.Errorf("unknown format: %v", err)
		}
	}
}

func TestPictureFaults(t *testing.T) {
	nan := math.NaN()
	x := []float32{1, 2}
	for want, s := range map[string]sketch{
		"no points":      &Clustering{},
		"3 coordinates":  &Clustering{X: make([]float32, 3), Labels: []int32{0}},
		"2 confidences":  &Clustering{X: x, Labels: []int32{0}, Confidence: []float64{1, 1}},
		"coordinate NaN": &Clustering{X: []float32{1, float32(nan)}, Labels: []int32{0}},
		"label -1":       &Clustering{X: x, Labels: []int32{-1}},
		"confidence NaN": &Clustering{X: x, Labels: []int32{0}, Confidence: []float64{nan}},
		"no values":      &Curve{},
		"no values to":   &Curve{LogY: true, Series: []Series{{Steps: []int{1}, Values: []float64{-1}}}},
		"2 steps":        &Curve{Series: []Series{{Name: "a", Steps: []int{1, 2}, Values: []float64{1}}}},
	} {
		if _, err := Render(s, "svg"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

func TestCurveBreaksAtGaps(t *testing.T) {
	s := Series{Steps: []int{1, 2, 3, 4, 5, 6}, Values: []float64{1, 2, math.NaN(), 4, -5, 6}}
	for logY, want := range map[bool]string{
		false: "[[{1 1} {2 2}] [{4 4} {5 -5} {6 6}]]", true: "[[{1 1} {2 2}] [{4 4}] [{6 6}]]",
	} {
		if got := fmt.Sprint((&Curve{LogY: logY}).pieces(s)); got != want {
			t.Errorf("log %v: %s, want %s", logY, got, want)
		}
	}
}
