package plot

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/text"
)

// maxLegendClusters is how many clusters the legend names; the rest are counted.
const maxLegendClusters = 12

// Clustering is a picture of N labelled points in the plane. Clusters differ by colour (Okabe & Ito's eight), beyond
// eight by shape as well. Points whose Confidence is below UncertainBelow are drawn hollow, larger and on top.
// Both axes have the same scale.
type Clustering struct {
	X          []float32 // [N,2] row-major; PCA2 projects points of other dimensions
	Labels     []int32   // [N], each ≥ 0
	Confidence []float64 // [N], probability of the point's label; nil: all are sure
	Title      string
	XLabel     string
	YLabel     string

	shrunk bool // as a panel among many
}

// Save writes the picture to path: see Curve.Save. It fails on no points, on lengths that do not fit and on values that
// are not finite.
func (p *Clustering) Save(path string) error { return save(p, path) }

func (p *Clustering) check() error {
	f, n := canvas.Faults{Kind: "picture of a clustering:"}, len(p.Labels)
	f.Demand(n > 0, "no points")
	f.Demand(len(p.X) == 2*n, "%d coordinates for %d points, want %d", len(p.X), n, 2*n)
	f.Demand(p.Confidence == nil || len(p.Confidence) == n, "%d confidences for %d points", len(p.Confidence), n)
	for i, v := range p.X {
		f.Demand(finite(float64(v)), "point %d has the coordinate %v", i/2, v)
	}
	for i, k := range p.Labels {
		f.Demand(k >= 0, "point %d has the label %d", i, k)
	}
	for i, q := range p.Confidence {
		f.Demand(!math.IsNaN(q), "point %d has the confidence NaN", i)
	}
	return f.First
}

func (p *Clustering) uncertain(i int) bool {
	return p.Confidence != nil && p.Confidence[i] < canvas.UncertainBelow
}

func (p *Clustering) draw(c draw.Canvas) {
	pl := newPlot(p.Title, p.XLabel, p.YLabel)
	chart(c, pl, p.legend(), func(area draw.Canvas) {
		pl.Add(p)
		equalAspect(pl, area)
	})
}

// DataRange returns the extent of the points, so that the plot can fit its axes (plot.DataRanger).
func (p *Clustering) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i := range p.Labels {
		x, y := float64(p.X[2*i]), float64(p.X[2*i+1])
		xmin, xmax, ymin, ymax = min(xmin, x), max(xmax, x), min(ymin, y), max(ymax, y)
	}
	return xmin, xmax, ymin, ymax
}

// Plot draws the points on c (plot.Plotter): the sure ones in their order, then the uncertain ones above them.
func (p *Clustering) Plot(c draw.Canvas, pl *plot.Plot) {
	toX, toY := pl.Transforms(&c)
	r := pointRadius(len(p.Labels))
	if p.shrunk {
		r /= 2
	}
	for _, hollow := range []bool{false, true} {
		for i, k := range p.Labels {
			if p.uncertain(i) == hollow {
				at := vg.Point{X: toX(float64(p.X[2*i])), Y: toY(float64(p.X[2*i+1]))}
				canvas.Glyph{Cluster: int(k), Hollow: hollow}.Draw(&c, r, at)
			}
		}
	}
}

// pointRadius shrinks points as there are more of them: 3.2 at up to 100, 1.3 at 10,000.
func pointRadius(n int) vg.Length {
	return vg.Points(max(1, 3.2*math.Pow(100/float64(max(n, 100)), 0.2)))
}

// equalAspect widens one axis so that a unit has the same length on both, with a twentieth of room around the points.
func equalAspect(pl *plot.Plot, area draw.Canvas) {
	span := max(pl.X.Max-pl.X.Min, pl.Y.Max-pl.Y.Min)
	if span == 0 { // all points are one
		span = max(1, math.Abs(pl.X.Min)/1000, math.Abs(pl.Y.Min)/1000)
	}
	for _, a := range []*plot.Axis{&pl.X, &pl.Y} {
		widen(a, max(a.Max-a.Min, span/1000)*1.1)
	}
	// Widening an axis can change its tick labels and with them the room of the data; a few rounds settle it.
	for range 4 {
		size := pl.DataCanvas(area).Size()
		perX, perY := (pl.X.Max-pl.X.Min)/float64(size.X), (pl.Y.Max-pl.Y.Min)/float64(size.Y)
		if perX < perY {
			widen(&pl.X, perY*float64(size.X))
		} else {
			widen(&pl.Y, perX*float64(size.Y))
		}
	}
}

// widen gives an axis the span around its present middle.
func widen(a *plot.Axis, span float64) {
	mid := a.Min + (a.Max-a.Min)/2
	a.Min, a.Max = mid-span/2, mid+span/2
}

// legend names the largest clusters with their sizes, in order of label, then how many more there are and what a
// hollow point means.
func (p *Clustering) legend() []legendEntry {
	counts := map[int32]int{}
	unsure := 0
	for i, k := range p.Labels {
		counts[k]++
		if p.uncertain(i) {
			unsure++
		}
	}
	shown := slices.SortedFunc(maps.Keys(counts), func(a, b int32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	shown = shown[:min(len(shown), maxLegendClusters)]
	slices.Sort(shown)

	entries := []legendEntry{{text: fmt.Sprintf("%s points, %s", text.Number(len(p.Labels)),
		text.Plural(len(counts), "cluster"))}}
	for _, k := range shown {
		entries = append(entries, legendEntry{
			text:   fmt.Sprintf("cluster %d: %s", k, text.Number(counts[k])),
			sample: sample(canvas.Glyph{Cluster: int(k)}),
		})
	}
	if more := len(counts) - len(shown); more > 0 {
		entries = append(entries, legendEntry{text: fmt.Sprintf("and %d more", more)})
	}
	if unsure > 0 {
		entries = append(entries, legendEntry{
			text:   fmt.Sprintf("unsure (p < %g): %s", canvas.UncertainBelow, text.Number(unsure)),
			sample: sample(canvas.Glyph{Cluster: canvas.Neutral, Hollow: true}),
		})
	}
	return entries
}

func sample(g canvas.Glyph) func(*draw.Canvas, vg.Point) {
	return func(c *draw.Canvas, at vg.Point) { g.Draw(c, vg.Points(3.2), at) }
}
