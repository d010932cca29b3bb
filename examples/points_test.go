// Package examples_test makes the example files points.csv and labelled.csv: 140 points of six Gaussian clusters in
// the plane, the same points in both files, the second with the cluster each came from.
//
//	go test ./examples -update          write the files anew
package examples_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

var update = flag.Bool("update", false, "write the example files")

// seed names the example's only random stream.
const seed = 20250101

// spread is the standard deviation of a cluster in each coordinate. The models were trained with 1: --scale auto
// makes up for the difference.
const spread = 0.22

// mixture lists the clusters by center and size. The first two lie 3.5 standard deviations apart: their border is
// ambiguous on purpose.
var mixture = []struct {
	name   string
	x, y   float64
	points int
}{
	{"a", 3.20, 41.00, 36},
	{"b", 3.90, 41.33, 24},
	{"c", 5.60, 42.90, 28},
	{"d", 1.10, 43.40, 22},
	{"e", 4.90, 39.10, 18},
	{"f", 1.90, 39.40, 12},
}

// The committed files are what the mixture gives.
func TestFilesAreCurrent(t *testing.T) {
	points, labels := draw()
	files := map[string][]string{
		"points.csv":   {"x,y"},
		"labelled.csv": {"x,y,label"},
	}
	for i, p := range points {
		files["points.csv"] = append(files["points.csv"], p)
		files["labelled.csv"] = append(files["labelled.csv"], p+","+labels[i])
	}
	for name, lines := range files {
		text := strings.Join(lines, "\n") + "\n"
		if *update {
			must.M(os.WriteFile(name, []byte(text), 0o644))
		}
		if string(must.M1(os.ReadFile(name))) != text {
			t.Errorf("examples/%s differs from the mixture; run go test ./examples -update", name)
		}
	}
}

// draw returns the points as CSV records in random order, and the name of each one's cluster.
func draw() (points, labels []string) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, c := range mixture {
		for range c.points {
			x, y := c.x+spread*rng.NormFloat64(), c.y+spread*rng.NormFloat64()
			points = append(points, fmt.Sprintf("%.3f,%.3f", x, y))
			labels = append(labels, c.name)
		}
	}
	rng.Shuffle(len(points), func(i, j int) {
		points[i], points[j] = points[j], points[i]
		labels[i], labels[j] = labels[j], labels[i]
	})
	return points, labels
}
