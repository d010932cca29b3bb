package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/cmd/internal/answer"
)

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
	r := result[clustering.Result](t, clusters(filepath.Join("..", "..", "examples", "points.csv"),
		"--model", defaultModel, "--samples", "30", "--html", out)...)
	e := readExplorer(t, out)
	if e.N != 140 || e.K != r.K || e.Drawn != 30 || e.Place != "line" || e.Places[0] != 2 || e.Plane != "" ||
		!slices.Equal(e.Heads, []string{"x", "y"}) || !slices.Equal(unpackLabels(e.Labels), r.Labels) {
		t.Errorf("the page's data are %+v", e)
	}
	if len(e.Clusterings) != len(r.Samples) || len(e.Posterior) != len(r.KPosterior) {
		t.Fatalf("%d clusterings, %d values of K", len(e.Clusterings), len(e.Posterior))
	}
	shared := make([]float64, e.N) // how often each point is in its cluster of the estimate
	for j, c := range e.Clusterings {
		labels := unpackLabels(c.Labels)
		if !samePartition(labels, r.Samples[j].Labels) {
			t.Errorf("clustering %d is another one", j)
		}
		for i := range labels {
			if labels[i] == r.Labels[i] {
				shared[i] += float64(r.Samples[j].Count) / 30
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

// samePartition reports whether two labellings are the same clustering.
func samePartition(a, b []int32) bool {
	there, back := map[int32]int32{}, map[int32]int32{}
	for i := range a {
		if there[a[i]] == 0 && back[b[i]] == 0 {
			there[a[i]], back[b[i]] = b[i]+1, a[i]+1
		}
		if there[a[i]] != b[i]+1 || back[b[i]] != a[i]+1 {
			return false
		}
	}
	return len(a) == len(b)
}

// Tables have principal components, images a picture of all.
func TestClusterHTMLKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("clusters by networks")
	}
	out := filepath.Join(t.TempDir(), "look.html")
	done(t, clusters(filepath.Join("..", "..", "examples", "penguins.csv"), "--samples", "20", "--html", out)...)
	if e := readExplorer(t, out); e.Plane == "" || len(e.Heads) != 4 || e.Cells[0][0] == "" {
		t.Errorf("%+v", e)
	}
	w := newImageWorkplace(t)
	done(t, clusters(w.points, "--model", w.model, "--samples", "5", "--html", out)...)
	if e := readExplorer(t, out); e.Noun != "image" || e.Sprite == nil || e.Sprite.Width != 28 {
		t.Errorf("%+v", e)
	}
}
