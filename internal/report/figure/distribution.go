package figure

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Sample is the values of a distribution or Counts [M] of values in bins with rising Edges [M+1].
type Sample struct {
	Name   string
	Values []float64
	Edges  []float64
	Counts []float64
	Color  int
	Pale   bool
}

// Distributions is a chart of how samples are distributed. The upper panel has histograms as densities, so that samples
// of different sizes and bins compare. The lower one has the cumulative shares: steps at the values, or lines from edge
// to edge. All samples with values share their bins. The axis ends at xMax.
func Distributions(title, xLabel string, xMax float64, samples []Sample) *Chart {
	density := Panel{YLabel: "density", XMax: xMax}
	cumulative := Panel{XLabel: xLabel, YLabel: "cumulative share", XMax: xMax}
	common := commonEdges(samples, xMax)
	for _, s := range samples {
		edges, counts := s.Edges, s.Counts
		look := Series{Name: s.Name, Color: s.Color, Pale: s.Pale, Mark: Steps}
		below := look
		if sorted := slices.Sorted(slices.Values(s.Values)); len(sorted) > 0 {
			edges, counts = common, stat.Histogram(nil, common, sorted, nil)
			below.X, below.Y = []float64{common[0]}, []float64{0}
			for i, v := range sorted {
				below.X, below.Y = append(below.X, v), append(below.Y, float64(i+1)/float64(len(sorted)))
			}
			below.X, below.Y = append(below.X, max(xMax, common[len(common)-1])), append(below.Y, 1)
		} else {
			below.Mark, below.X = Line, edges
			total, sum := floats.Sum(counts), 0.0
			below.Y = []float64{0}
			for _, c := range counts {
				sum += c
				below.Y = append(below.Y, sum/total)
			}
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

// mostBins is the number of bins up to the end of the axis.
const mostBins = 60

// commonEdges are the bins of all samples with values. Their width is the smallest that a sample asks for by the rule
// of Freedman and Diaconis (1981), 2·IQR/n^⅓, but no smaller than a mostBins-th of the axis.
func commonEdges(samples []Sample, xMax float64) []float64 {
	low, high, width := math.Inf(1), math.Inf(-1), math.Inf(1)
	for _, s := range samples {
		if len(s.Values) == 0 {
			continue
		}
		sorted := slices.Sorted(slices.Values(s.Values))
		low, high = min(low, sorted[0]), max(high, sorted[len(sorted)-1])
		spread := stat.Quantile(0.75, stat.Empirical, sorted, nil) - stat.Quantile(0.25, stat.Empirical, sorted, nil)
		if spread > 0 {
			width = min(width, 2*spread/math.Cbrt(float64(len(sorted))))
		}
	}
	if low > high {
		return nil // no sample has values
	}
	span := high - low
	if xMax > low {
		span = min(span, xMax-low)
	}
	if width = max(width, span/mostBins); math.IsInf(width, 1) || width == 0 {
		width = max(math.Abs(high), 1) / 10
	}
	edges := []float64{math.Floor(low/width) * width}
	for edges[len(edges)-1] <= high {
		edges = append(edges, edges[len(edges)-1]+width)
	}
	return edges
}
