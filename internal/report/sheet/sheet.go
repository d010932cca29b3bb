// Package sheet shows a clustering of images, to be looked at: as one PNG or one HTML page.
package sheet

import (
	"errors"
	"fmt"
	"math"

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
		return fmt.Errorf("sheet of a clustering: %w", err)
	}
	return canvas.Save(path, "sheet", []string{"png", "html"}, func(extension string) ([]byte, error) {
		if extension == "png" {
			return s.png()
		}
		return s.html()
	})
}

func (s *Sheet) check() error {
	n := len(s.Labels)
	if n == 0 {
		return errors.New("no images")
	}
	if s.Height < 1 || s.Width < 1 {
		return fmt.Errorf("images of %d × %d pixels", s.Height, s.Width)
	}
	// By division, so that no product can overflow.
	if size := len(s.Pixels) / n; len(s.Pixels)%n != 0 || size%s.Height != 0 || size/s.Height != s.Width {
		return fmt.Errorf("%d pixels for %d images of %d × %d", len(s.Pixels), n, s.Height, s.Width)
	}
	for _, f := range []struct {
		what     string
		got      int
		optional bool
	}{
		{"probabilities", len(s.Probability), false},
		{"names", len(s.Names), s.Names == nil},
		{"known classes", len(s.Truth), s.Truth == nil},
	} {
		if f.got != n && !f.optional {
			return fmt.Errorf("%d %s for %d images", f.got, f.what, n)
		}
	}
	return errors.Join(s.checkImages(), s.checkPosterior())
}

// checkImages looks at what is given for each image.
func (s *Sheet) checkImages() error {
	for j, v := range s.Pixels {
		if math.IsNaN(float64(v)) {
			return fmt.Errorf("image %d has a pixel that is NaN", j/(s.Height*s.Width))
		}
	}
	for i, p := range s.Probability {
		if !isProbability(p) {
			return fmt.Errorf("image %d has the probability %v", i, p)
		}
	}
	return checkLabels(s.Labels, len(s.Labels))
}

// checkPosterior looks at the distribution of K and at the alternatives.
func (s *Sheet) checkPosterior() error {
	for _, q := range s.KPosterior {
		if q.K < 1 || !isProbability(q.P) {
			return fmt.Errorf("the probability of %d clusters is %v", q.K, q.P)
		}
	}
	for j, a := range s.Alternatives {
		if err := checkLabels(a.Labels, len(s.Labels)); err != nil {
			return fmt.Errorf("alternative %d: %w", j, err)
		}
		if !isProbability(a.Share) || a.Count < 0 {
			return fmt.Errorf("alternative %d: share %v, drawn %d times", j, a.Share, a.Count)
		}
	}
	return nil
}

func isProbability(p float64) bool { return p >= 0 && p <= 1+1e-9 } // NaN is not; a sum may round to a little over 1

func checkLabels(labels []int32, n int) error {
	if len(labels) != n {
		return fmt.Errorf("%d labels for %d images", len(labels), n)
	}
	for i, k := range labels {
		if k < 0 || int(k) >= n {
			return fmt.Errorf("image %d has the label %d, want 0 to %d", i, k, n-1)
		}
	}
	return nil
}
