// Package explorer writes a clustering as one HTML page to look around in: points with their probabilities, the most
// probable clusterings, P(K), how often two points are together. It computes nothing. The page's own files are in
// page/; the charts are Chart.js's (internal/web).
package explorer

import (
	"fmt"
	"io"
	"math"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/text"
)

// Page is a clustering of N points, to be looked at. Labels number clusters from 0; K stands for "another cluster".
type Page struct {
	Title, Subtitle string
	Noun            string   // of a point: "point" or "image"
	Place           string   // of what Places counts: "line", "point" or "image"
	Estimate        string   // how the labels were chosen
	LogName         string   // what the log-probabilities of clusterings are of
	Notes           []string // what was done, what is left out, and what may make the result unreliable

	Places []int      // [N] where each point stands in the input
	Names  []string   // [N] what each is called, or nil
	Known  []string   // [N] the known class of each, or nil
	Heads  []string   // [C] names of the columns, nil for images
	Cells  [][]string // [C][N] the columns' cells as they stand in the input
	Plane  []float32  // [N,2] principal components, or nil: the first two columns are the plane
	Images *Images    // nil for points

	Labels      []int32   // [N] the point estimate
	K           int       // its number of clusters
	Probability []float64 // [N] of each point's own cluster, in 0 … 1
	Rivals      [][]Rival // [N] the other clusters of each point, the most probable first; nil: not known
	Uncertain   float64   // probability below which a point is drawn hollow

	Posterior, Prior []KProb      // P(K), K rising; no prior: nil
	Drawn            int          // samples behind the probabilities; 0: none
	Clusterings      []Clustering // the most probable ones, best first
	Members          []int        // [M] the points that Clusterings and Together are of, rising; nil: all
	Together         *Together    // nil: not known
}

// Rival is a cluster that a point may belong to instead, and the probability of that.
type Rival struct {
	Cluster int
	P       float64
}

// KProb is the probability P of K clusters.
type KProb struct {
	K int     `json:"k"`
	P float64 `json:"p"`
}

// Clustering is a sampled clustering, labelled as the estimate's clusters that match; from K on they match none.
type Clustering struct {
	Labels  []int32 // [M], or [N] without Members
	K       int
	LogProb float64
	Count   int // how often it was drawn
}

// Together is how often two points share a cluster.
type Together struct {
	Points []int     // [H] in the order of the rows
	Share  []float64 // [H,H] in 0 … 1
}

// Images are the pictures of the points.
type Images struct {
	Pixels        []float32 // [N,Height·Width] row-major, 0 black to 1 white
	Height, Width int
}

// Save writes the page to path; the file is replaced as a whole. Errors as for HTML.
func (p *Page) Save(path string) error { return atomicfile.Write(path, p.HTML) }

// HTML writes the page. The same page gives the same bytes. It fails on more clusters than 16 bits can number.
func (p *Page) HTML(w io.Writer) error {
	if p.K > math.MaxUint16 {
		return fmt.Errorf("explorer: %d clusters, at most %d can be shown", p.K, math.MaxUint16)
	}
	view, err := p.view()
	if err != nil {
		return err
	}
	if err := pageTemplate.Execute(w, view); err != nil {
		return fmt.Errorf("write the explorer: %w", err)
	}
	return nil
}

// summary is the page in one sentence.
func (p *Page) summary() string {
	return fmt.Sprintf("%s in %s (%s)", text.Count(len(p.Labels), p.Noun), text.Count(p.K, "cluster"), p.Estimate)
}
