package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/cmd/internal/answer"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// newImageWorkplace is a folder with a small untrained model of images, and a folder "shots" of 12 images of two
// classes.
func newImageWorkplace(t *testing.T) workplace {
	t.Helper()
	w := workplace{dir: t.TempDir()}
	w.model, w.points = w.path("tiny.safetensors"), w.path("shots")
	c := train.DefaultOn(train.NCP, "mnist")
	c.Net = models.Config{Encoder: models.EncoderConv, Dim: 784, Hidden: 8, Embed: 4, Global: 8}
	c.Data.NMin, c.Data.NMax, c.Data.MinK = 10, 20, 1
	w.untrained(c)
	for i := range 12 {
		class := []string{"left", "right"}[i%2]
		writePicture(t, filepath.Join(w.points, class, fmt.Sprintf("%02d.png", i)), 20, 10, func(x, y int) uint8 {
			if inside := x/10 == i%2 && y > 1 && y < 8 && x%10 > 1 && x%10 < 8; inside {
				return uint8(150 + i)
			}
			return 0
		})
	}
	return w
}

// writePicture writes a grey image of width×height pixels, and the folders above it.
func writePicture(t *testing.T, path string, width, height int, grey func(x, y int) uint8) {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetGray(x, y, color.Gray{Y: grey(x, y)})
		}
	}
	must.M(os.MkdirAll(filepath.Dir(path), 0o755))
	var b bytes.Buffer
	must.M(png.Encode(&b, img))
	must.M(os.WriteFile(path, b.Bytes(), 0o600))
}

func TestClusterFolderOfImages(t *testing.T) {
	t.Parallel()
	w := newImageWorkplace(t)
	stdout := printed(t, w.line("cluster", w.points, "--samples", "20", "--quiet",
		"--out", w.path("o.csv"), "--html", w.path("p.html"), "--plot", w.path("p.svg"))...)
	contains(t, stdout, w.points+": 12 images, read as 28×28 pixels\n", "12 images of 10×20 pixels",
		"12 images scaled to 28×28 pixels", "model tiny, seed 1\n", "cluster    images",
		"the least certain is left/", "against the 2 labels from the names of 2 sub-folders: NMI")
	rows := readCSV(w.path("o.csv"))
	if len(rows) != 13 || !slices.Equal(rows[0][:4], []string{"image", "cluster", "probability", "p_0"}) ||
		rows[1][0] != "left/00.png" || rows[7][0] != "right/01.png" {
		t.Errorf("table of %d rows, head %v", len(rows), rows[0])
	}
	contains(t, string(must.M1(os.ReadFile(w.path("p.svg")))), "first principal component")
	contains(t, string(must.M1(os.ReadFile(w.path("p.html")))), "shots", "Model tiny, seed 1.",
		"the sample with the least expected VI", "12 images scaled to 28×28 pixels", "left/00.png")
}

func TestClusterImagesJSON(t *testing.T) {
	t.Parallel()
	w := newImageWorkplace(t)
	r := result[struct {
		clustering.Result
		Names, Notes []string
	}](t, w.line("cluster", "--samples", "5", w.points)...)
	few := "5 samples: the probabilities say little about how sure the model is"
	if len(r.Labels) != 12 || !slices.Equal(r.Warnings, []string{few}) || len(r.Center) != 0 || r.ScaleFactor != 1 {
		t.Errorf("%d labels, warnings %q, center %v", len(r.Labels), r.Warnings, r.Center)
	}
	if len(r.Names) != 12 || r.Names[11] != "right/11.png" || len(r.Notes) != 3 ||
		!strings.Contains(r.Notes[1], "scaled") {
		t.Errorf("names %q, notes %q", r.Names, r.Notes)
	}
}

func TestClusterImageFaults(t *testing.T) {
	w, points := newImageWorkplace(t), newWorkplace(t)
	for want, args := range map[string][]string{
		"--columns has no effect":             {"--columns", "x"},
		"--labels has no effect":              {"--labels", "x"},
		`invert "maybe"`:                      {"--invert", "maybe"},
		"--scale 3 has no meaning for images": {"--scale", "3"},
		"of the clusters; leave it out; it is for tables without a network\n": {"--k", "3"},
	} {
		refused(t, want, w.line("cluster", append(args, w.points, "--samples", "2")...)...)
	}
	refused(t, "is a single image", w.line("cluster", filepath.Join(w.points, "left", "00.png"))...)
	refused(t, "points.csv: the points have 2 coordinates, but this model reads images of 28×28 pixels",
		w.line("cluster", "--labels", "kind", points.points)...)
	refused(t, "holds images of 28×28 pixels, but model tiny takes points with 2 coordinates",
		points.line("cluster", w.points)...)
	refused(t, "--invert has no effect on a table",
		points.line("cluster", "--invert", "yes", "--labels", "kind", points.points)...)
	refused(t, "end the name in .svg or .png",
		points.line("cluster", "--labels", "kind", "--plot", w.path("p.html"), points.points)...)
}

// Without --model, images go to the model of digits with a warning, or to nobody as long as it is not built in.
func TestClusterImagesWithoutModel(t *testing.T) {
	w := newImageWorkplace(t)
	stdout, stderr, status := gfncp("cluster", w.points, "--samples", "2", "--backend", "go")
	advice := "train one on your images with gfncp train --data " + w.points
	if !strings.Contains(stderr, advice) {
		t.Errorf("stderr %q gives no advice", stderr)
	}
	if slices.Contains(root.Models(), root.ImageModel) {
		if status != exitDone || !strings.Contains(stdout, "model "+root.ImageModel) ||
			!strings.Contains(stderr, "handwritten digits") {
			t.Errorf("status %d, stderr %q", status, stderr)
		}
	} else if status != exitUsage || stdout != "" {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
}

// explored is what a test reads of an explorer's data.
type explored struct {
	N, K, Drawn int
	Noun, Place string
	Places      []int
	Heads       []string
	Cells       [][]string
	Plane       string
	Labels      string
	Rivals      [][]float64
	Posterior   []struct{ P float64 }
	Clusterings []struct {
		Labels string
		K      int
	}
	Members  []int
	Together struct {
		Points []int
		Share  string
	}
	Sprite *struct{ Width, Height int }
}

func readExplorer(t *testing.T, path string) (e explored) {
	t.Helper()
	page := string(must.M1(os.ReadFile(path)))
	data := regexp.MustCompile(`<script type="application/json" id="data">(.*)</script>`).FindStringSubmatch(page)
	if data == nil {
		t.Fatalf("%s holds no data", path)
	}
	must.M(json.Unmarshal([]byte(data[1]), &e))
	return e
}

// unpackLabels reads labels as the page has them.
func unpackLabels(packed string) (labels []int32) {
	raw := must.M1(base64.StdEncoding.DecodeString(packed))
	for i := 0; i < len(raw); i += 2 {
		labels = append(labels, int32(binary.LittleEndian.Uint16(raw[i:])))
	}
	return labels
}

// The explorer of points holds the numbers of --json, with the clusters of each sample named like the estimate's.
func TestClusterHTML(t *testing.T) {
	out := filepath.Join(t.TempDir(), "look.html")
	r := result[clustering.Result](t, clusters(example("points.csv"),
		"--model", defaultModel, "--samples", "10", "--html", out)...)
	e := readExplorer(t, out)
	if e.N != 140 || e.K != r.K || e.Drawn != 10 || e.Place != "line" || e.Places[0] != 2 || e.Plane != "" ||
		!slices.Equal(e.Heads, []string{"x", "y"}) || !slices.Equal(unpackLabels(e.Labels), r.Labels) {
		t.Errorf("the page's data are %+v", e)
	}
	if len(e.Clusterings) != len(r.Samples) || len(e.Posterior) != len(r.KPosterior) {
		t.Fatalf("%d clusterings, %d values of K", len(e.Clusterings), len(e.Posterior))
	}
	shared := make([]float64, e.N) // how often each point is in its cluster of the estimate
	for j, c := range e.Clusterings {
		labels := unpackLabels(c.Labels)
		shown, _ := metrics.Canonical(labels)
		if drawn, _ := metrics.Canonical(r.Samples[j].Labels); !slices.Equal(shown, drawn) {
			t.Errorf("clustering %d is another one", j)
		}
		for i := range labels {
			if labels[i] == r.Labels[i] {
				shared[i] += float64(r.Samples[j].Count) / 10
			}
		}
	}
	for i, p := range answer.OwnProbabilities(&r) {
		if !(math.Abs(shared[i]-p) < 1e-9) {
			t.Errorf("point %d keeps its cluster with %v, want %v", i, shared[i], p)
		}
	}
	if share := must.M1(base64.StdEncoding.DecodeString(e.Together.Share)); len(share) != 140*140 || share[0] != 255 ||
		share[1] != share[140] {
		t.Errorf("the heat map has %d entries, %v", len(share), share[:3])
	}
}

// Tables have principal components, images a picture of all.
func TestClusterHTMLKinds(t *testing.T) {
	short.Skip(t, "clusters by networks")
	out := filepath.Join(t.TempDir(), "look.html")
	done(t, clusters(example("penguins.csv"), "--samples", "20", "--html", out)...)
	if e := readExplorer(t, out); e.Plane == "" || len(e.Heads) != 4 || e.Cells[0][0] == "" {
		t.Errorf("%+v", e)
	}
	w := newImageWorkplace(t)
	done(t, clusters(w.points, "--model", w.model, "--samples", "5", "--html", out)...)
	if e := readExplorer(t, out); e.Noun != "image" || e.Sprite == nil || e.Sprite.Width != 28 {
		t.Errorf("%+v", e)
	}
}
