// Package sheet shows a clustering of images, to be looked at: as one PNG or one HTML page.
package sheet

import (
	"fmt"
	"math"
	"slices"

	"github.com/gfncp/gfncp/internal/report/canvas"
)

// Sheet is the result of clustering N images, to be looked at: the point estimate as one block of images a cluster,
// the uncertain images marked, the distribution of the number of clusters, and the most probable clusterings with the
// images that they group differently. A cluster keeps its number and its colour (Okabe & Ito's eight, repeated)
// everywhere. What does not fit is counted, never left out silently; see the limits in plan.go.
type Sheet struct {
	Title         string        // empty: "Clustering of N images"
	Subtitle      string        // model, seed and the like; one line
	Notes         []string      // what was done to the images; warnings
	Pixels        []float32     // [N,Height·Width] row-major, 0 black to 1 white; other values are cut off
	Height, Width int           // of one image, in pixels
	Names         []string      // [N] file names or indices; nil: indices
	Labels        []int32       // [N] point estimate, each in 0 … N-1
	Probability   []float64     // [N] probability of the image's own cluster, in 0 … 1
	Truth         []string      // [N] known classes, or nil
	KPosterior    []KProb       // distribution of the number of clusters; nil: not shown
	Alternatives  []Alternative // the most probable clusterings, best first; three are drawn
}

// KProb is the posterior probability P, in 0 … 1, of K clusters, K ≥ 1.
type KProb struct {
	K int
	P float64
}

// Alternative is one clustering of the same images.
type Alternative struct {
	Labels  []int32 // [N], each in 0 … N-1
	LogProb float64 // natural logarithm of its probability under the model; NaN: not known
	Count   int     // how often it was drawn; 0: not known
	Share   float64 // its probability among the drawn clusterings, in 0 … 1
}

// Save writes the sheet to path, in the format of its extension: .png, or .html as one page that needs no other file
// and no network. A file is replaced as a whole. It fails on an unknown extension (*usererr.Error), on no images, on
// lengths that do not fit and on values out of their range.
func (s *Sheet) Save(path string) error {
	if err := s.check(); err != nil {
		return err
	}
	return canvas.Save(path, "sheet", []string{"png", "html"}, func(extension string) ([]byte, error) {
		if extension == "png" {
			return s.png()
		}
		return s.html()
	})
}

func (s *Sheet) check() error {
	f, n := canvas.Faults{Kind: "sheet of a clustering:"}, len(s.Labels)
	f.Demand(n > 0, "no images")
	if !f.Demand(s.Height > 0 && s.Width > 0, "images of %d × %d pixels", s.Height, s.Width) {
		return f.First
	}
	// By division, so that no product can overflow.
	size := len(s.Pixels) / n
	f.Demand(len(s.Pixels)%n == 0 && size%s.Height == 0 && size/s.Height == s.Width,
		"%d pixels for %d images of %d × %d", len(s.Pixels), n, s.Height, s.Width)
	f.Demand(len(s.Probability) == n, "%d probabilities for %d images", len(s.Probability), n)
	f.Demand(s.Names == nil || len(s.Names) == n, "%d names for %d images", len(s.Names), n)
	f.Demand(s.Truth == nil || len(s.Truth) == n, "%d known classes for %d images", len(s.Truth), n)
	nan := slices.IndexFunc(s.Pixels, func(v float32) bool { return math.IsNaN(float64(v)) })
	f.Demand(nan < 0, "image %d has a pixel that is NaN", nan/max(1, size))
	for i, p := range s.Probability {
		f.Demand(isProbability(p), "image %d has the probability %v", i, p)
	}
	checkLabels(&f, s.Labels, n)
	for _, q := range s.KPosterior {
		f.Demand(q.K >= 1 && isProbability(q.P), "the probability of %d clusters is %v", q.K, q.P)
	}
	for j, a := range s.Alternatives {
		f.Kind = fmt.Sprintf("sheet of a clustering: alternative %d:", j)
		checkLabels(&f, a.Labels, n)
		f.Demand(isProbability(a.Share) && a.Count >= 0, "share %v, drawn %d times", a.Share, a.Count)
	}
	return f.First
}

func isProbability(p float64) bool { return p >= 0 && p <= 1+1e-9 } // NaN is not; a sum may round to a little over 1

func checkLabels(f *canvas.Faults, labels []int32, n int) {
	f.Demand(len(labels) == n, "%d labels for %d images", len(labels), n)
	for i, k := range labels {
		f.Demand(k >= 0 && int(k) < n, "image %d has the label %d, want 0 to %d", i, k, n-1)
	}
}
