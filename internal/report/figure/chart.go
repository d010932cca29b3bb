package figure

import (
	"cmp"
	"fmt"
	"image"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/internal/text"
)

// Chart is a picture of one or more panels.
type Chart struct {
	Title   string
	Columns int     // panels beside each other; 0 counts as 1
	Height  float64 // in inches, of a width of 8; 0 is 6
	Panels  []Panel
	Data    *Records // in place of the values that are drawn; nil: these
}

// Panel is a pair of axes with its series.
type Panel struct {
	Title, XLabel, YLabel string
	LogY                  bool    // a logarithmic axis, on which only positive values are drawn
	XMax                  float64 // where the x axis ends; 0: at the largest value
	EqualScale            bool    // a unit has the same length on both axes
	Bounds                *Bounds // of a drawing without axes; nil: axes around the values
	Series                []Series
}

// Bounds are the ends of a drawing's invisible axes.
type Bounds struct{ Left, Right, Bottom, Top float64 }

// Series is one line, or a cloud of points, words or images. X and Y have the same length. A value that is not finite
// is left out.
type Series struct {
	Name   string // in the legend; "" leaves it out
	X, Y   []float64
	Mark   Mark
	Color  int           // place in the palette
	Width  float64       // of a line, in points; 0 is 1.5
	Pale   bool          // drawn behind the others, in a lighter colour
	Fill   bool          // the area below is filled
	Words  []string      // of Words: a text around each point
	Images []image.Image // of Images: a unit square right of and below each point
}

// Mark is the way to draw a series.
type Mark int

// The marks.
const (
	Line   Mark = iota
	Dotted      // a line with a dot at each value
	Dots
	Circles // larger than dots, and hollow
	Steps   // a line that keeps each value until the next one
	Words
	Images
)

// NewChart returns a chart of one panel with lines, coloured in their order.
func NewChart(title, xLabel, yLabel string, series ...Series) *Chart {
	for i := range series {
		series[i].Color = i
	}
	return &Chart{Title: title, Panels: []Panel{{XLabel: xLabel, YLabel: yLabel, Series: series}}}
}

// Add adds a series to the first panel, in the next colour.
func (c *Chart) Add(s Series) {
	s.Color = len(c.Panels[0].Series)
	c.Panels[0].Series = append(c.Panels[0].Series, s)
}

// Records has one row a value: panel (its y label), series, x, y.
func (c *Chart) Records() *Records {
	if c.Data != nil {
		return c.Data
	}
	r := &Records{Columns: []string{"panel", "series", "x", "y"}}
	for _, p := range c.Panels {
		for _, s := range p.Series {
			for i, x := range s.X {
				r.Rows = append(r.Rows, []any{p.YLabel, s.Name, x, s.Y[i]})
			}
		}
	}
	return r
}

// Draws reports whether a value can be drawn on the panel's axes.
func (p *Panel) Draws(x, y float64) bool {
	finite := math.Abs(x) <= math.MaxFloat64 && math.Abs(y) <= math.MaxFloat64 // false for NaN, too
	return finite && (!p.LogY || y > 0)
}

// namedClusters is the number of clusters that the legend names; it counts the rest.
const namedClusters = 12

// Clusters is a chart of labelled points x [N,2]; a negative label is no cluster. Points with a confidence below
// UncertainBelow are hollow. The legend names the largest clusters with their sizes.
func Clusters(title, xLabel, yLabel string, x []float32, labels []int32, confidence []float64) *Chart {
	sure, unsure, sizes, hollow := map[int32]*Series{}, map[int32]*Series{}, map[int32]int{}, 0
	for i, k := range labels {
		group, mark := sure, Dots
		if sizes[k]++; confidence != nil && confidence[i] < UncertainBelow {
			group, mark = unsure, Circles
			hollow++
		}
		if group[k] == nil {
			group[k] = &Series{Mark: mark, Color: colorOf(k)}
		}
		s := group[k]
		s.X, s.Y = append(s.X, float64(x[2*i])), append(s.Y, float64(x[2*i+1]))
	}
	names := slices.SortedFunc(maps.Keys(sizes), func(a, b int32) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
	})
	panel := Panel{XLabel: xLabel, YLabel: yLabel, EqualScale: true}
	for i, k := range names {
		if i < namedClusters {
			if sure[k] == nil {
				sure[k] = &Series{Mark: Dots, Color: colorOf(k)} // for the legend
			}
			if sure[k].Name = fmt.Sprintf("cluster %d: %s", k, text.Number(sizes[k])); k < 0 {
				sure[k].Name = "no cluster: " + text.Number(sizes[k])
			}
		}
	}
	for _, group := range []map[int32]*Series{sure, unsure} { // the uncertain ones above the others
		for _, k := range slices.Sorted(maps.Keys(group)) {
			panel.Series = append(panel.Series, *group[k])
		}
	}
	if more := len(names) - namedClusters; more > 0 {
		panel.Series = append(panel.Series, Series{Name: fmt.Sprintf("and %d more", more), Mark: Dots, Color: neutral})
	}
	if hollow > 0 {
		panel.Series = append(panel.Series, Series{
			Name: fmt.Sprintf("unsure (p < %g): %s", UncertainBelow, text.Number(hollow)),
			Mark: Circles, Color: neutral,
		})
	}
	return &Chart{Title: title, Panels: []Panel{panel}}
}

// neutral is the place of black in the palette.
const neutral = 6

// colorOf is the colour of a cluster, black for points without a cluster.
func colorOf(label int32) int {
	if label < 0 {
		return neutral
	}
	return int(label)
}

// Sample is the values of a distribution or Counts [M] of values in bins with rising Edges [M+1].
type Sample struct {
	Name   string
	Values []float64
	Edges  []float64
	Counts []float64
	Color  int
	Pale   bool
}

// Distributions is a chart of the distributions of samples of numbers from 0 on. The upper panel has histograms as
// densities, so that samples of different sizes and bins compare. The lower one has the cumulative shares: steps at the
// values, or lines from edge to edge. The axis ends at xMax.
func Distributions(title, xLabel string, xMax float64, samples []Sample) *Chart {
	density := Panel{YLabel: "density", XMax: xMax}
	cumulative := Panel{XLabel: xLabel, YLabel: "cumulative share", XMax: xMax}
	for _, s := range samples {
		edges, counts := s.Edges, s.Counts
		look := Series{Name: s.Name, Color: s.Color, Pale: s.Pale, Mark: Steps}
		below := look
		if sorted := slices.Sorted(slices.Values(s.Values)); len(sorted) > 0 {
			edges = bins(sorted, xMax)
			counts = stat.Histogram(nil, edges, sorted, nil)
			below.X, below.Y = []float64{0}, []float64{0}
			for i, v := range sorted {
				below.X, below.Y = append(below.X, v), append(below.Y, float64(i+1)/float64(len(sorted)))
			}
			below.X, below.Y = append(below.X, edges[len(edges)-1]), append(below.Y, 1)
		} else {
			below.Mark, below.X = Line, edges
			shares := floats.CumSum(make([]float64, len(counts)), counts)
			floats.Scale(1/floats.Sum(counts), shares)
			below.Y = append([]float64{0}, shares...)
		}
		look.X, look.Y, look.Fill = edges, densities(edges, counts), !s.Pale
		density.Series, cumulative.Series = append(density.Series, look), append(cumulative.Series, below)
	}
	return &Chart{Title: title, Panels: []Panel{density, cumulative}}
}

// densities are the heights of a histogram of area 1 from each edge on; the last edge has 0.
func densities(edges, counts []float64) (heights []float64) {
	total := floats.Sum(counts)
	for i, c := range counts {
		heights = append(heights, c/total/(edges[i+1]-edges[i]))
	}
	return append(heights, 0)
}

// bins returns the edges of equal bins from 0 on that hold all values, 50 of them up to xMax.
func bins(sorted []float64, xMax float64) (edges []float64) {
	for i := 0; i <= 50 || edges[i-1] <= sorted[len(sorted)-1]; i++ {
		edges = append(edges, float64(i)*xMax/50)
	}
	return edges
}
