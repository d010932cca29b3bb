// Package explorer writes a clustering as one HTML page to look around in: every point with its probabilities, the most
// probable clusterings, P(K), how often two points are together. It renders and computes nothing; all numbers arrive
// finished.
//
// The page's own files are in page/, small and without a build step; the charts are Chart.js's (internal/web).
package explorer

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/text"
)

// Page is a clustering of N points, to be looked at. It needs no network and no other file. Labels number clusters from
// 0; K is the place of "another cluster".
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

// Clustering is a sampled clustering. Its labels are those of the clusters of the estimate that its own are matched
// with; from K on they are clusters that the estimate does not have.
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

// check returns the first reason for which p cannot be shown.
func (p *Page) check() error {
	n := len(p.Labels)
	f := figure.Faults{Kind: "explorer of a clustering:"}
	f.Demand(n > 0 && p.K > 0 && p.K <= math.MaxUint16, "%d points in %d clusters", n, p.K)
	f.Demand(len(p.Places) == n && len(p.Probability) == n, "%d places, %d probabilities for %d points",
		len(p.Places), len(p.Probability), n)
	f.Demand(p.Plane == nil && len(p.Cells) == 2 || len(p.Plane) == 2*n, "%d coordinates for %d points",
		len(p.Plane), n)
	f.Demand(!slices.ContainsFunc(p.Plane, func(v float32) bool { return math.IsNaN(float64(v)) }), "a place is NaN")
	f.Demand(p.Rivals == nil || len(p.Rivals) == n, "rivals of %d points for %d", len(p.Rivals), n)
	f.Demand(p.Names == nil || len(p.Names) == n, "%d names for %d points", len(p.Names), n)
	f.Demand(p.Known == nil || len(p.Known) == n, "%d known classes for %d points", len(p.Known), n)
	f.Demand(len(p.Cells) == len(p.Heads), "%d columns with %d names", len(p.Cells), len(p.Heads))
	for j, column := range p.Cells {
		f.Demand(len(column) == n, "column %d has %d cells for %d points", j, len(column), n)
	}
	for i, label := range p.Labels {
		f.Demand(label >= 0 && int(label) < p.K, "point %d is in cluster %d of %d", i, label, p.K)
	}
	members := n
	if p.Members != nil {
		members = len(p.Members)
	}
	for i, c := range p.Clusterings {
		f.Demand(len(c.Labels) == members, "clustering %d has %d labels for %d points", i, len(c.Labels), members)
	}
	if t := p.Together; t != nil {
		f.Demand(len(t.Share) == len(t.Points)*len(t.Points), "%d shares for %d points", len(t.Share), len(t.Points))
	}
	if m := p.Images; m != nil {
		f.Demand(len(m.Pixels) == n*m.Height*m.Width, "%d pixels for %d images", len(m.Pixels), n)
	}
	return f.First
}

// HTML writes the page. The same page gives the same bytes. It fails on lengths that do not fit, and on labels out of
// their range.
func (p *Page) HTML(w io.Writer) error {
	if err := p.check(); err != nil {
		return err
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
