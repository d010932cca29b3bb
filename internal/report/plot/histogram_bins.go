package plot

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
)

// binned is a series as shares of bins.
type binned struct {
	HistogramSeries
	edges []float64 // [M+1], rising
	share []float64 // [M], together 1
}

// bins returns every series as shares, those with values in common bins.
func (p *Histogram) bins() []binned {
	var common []float64
	all := make([]binned, len(p.Series))
	for i, s := range p.Series {
		all[i] = binned{HistogramSeries: s, edges: s.Edges}
		counts := s.Counts
		if len(s.Values) > 0 {
			if common == nil {
				common = p.binEdges()
			}
			all[i].edges, counts = common, stat.Histogram(nil, common, slices.Sorted(slices.Values(s.Values)), nil)
		}
		total := 0.0
		for _, c := range counts {
			total += c
		}
		for _, c := range counts {
			all[i].share = append(all[i].share, c/total)
		}
	}
	return all
}

// Bins of values: about how many there may be up to the axis's end, and in all; how many if the values say nothing
// about a width.
const (
	mostBins  = 60
	allBins   = 1000
	plainBins = 10
)

// binEdges are the bins of all series with values: multiples of one width, from below the smallest value to above the
// largest. The width is the smallest that the series ask for by the rule of Freedman and Diaconis (1981), 2·IQR/n^⅓,
// rounded up to 1, 2 or 5 times a power of ten.
func (p *Histogram) binEdges() []float64 {
	low, high, width := math.Inf(1), math.Inf(-1), math.Inf(1)
	for _, s := range p.Series {
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
	span := high - low
	if p.XMax > low {
		span = min(span, p.XMax-low)
	}
	if math.IsInf(width, 1) {
		width = span / plainBins
	}
	if width = max(width, span/mostBins, (high-low)/allBins); width == 0 {
		width = max(math.Abs(high), 1) / plainBins
	}
	width = roundedUp(width, 1e-9)
	first := math.Floor(low / width)
	if first*width > low { // the quotient was rounded up
		first--
	}
	edges := []float64{first * width}
	for k := first + 1; edges[len(edges)-1] <= high; k++ {
		edges = append(edges, k*width)
	}
	return edges
}

// density is the outline of the histogram, which encloses an area of 1, from its first bin that is not empty to its
// last.
func (b binned) density() (line plotter.XYs) {
	first, last := 0, len(b.share)-1
	for b.share[first] == 0 {
		first++
	}
	for b.share[last] == 0 {
		last--
	}
	for i := first; i <= last; i++ {
		height := b.share[i] / (b.edges[i+1] - b.edges[i])
		line = append(line, plotter.XY{X: b.edges[i], Y: height}, plotter.XY{X: b.edges[i+1], Y: height})
	}
	return slices.Concat(plotter.XYs{{X: b.edges[first]}}, line, plotter.XYs{{X: b.edges[last+1]}})
}

// ecdf is the empirical distribution function: a step at every value, or a line from edge to edge where only bins are
// known. It goes on at 1 up to the given end.
func (b binned) ecdf(end float64) plotter.XYs {
	var line plotter.XYs
	below := 0.0
	if len(b.Values) == 0 {
		line = plotter.XYs{{X: b.edges[0]}}
		for i, share := range b.share {
			below += share
			line = append(line, plotter.XY{X: b.edges[i+1], Y: below})
		}
	}
	sorted := slices.Sorted(slices.Values(b.Values))
	for i, v := range sorted {
		next := float64(i+1) / float64(len(sorted))
		line = append(line, plotter.XY{X: v, Y: below}, plotter.XY{X: v, Y: next})
		below = next
	}
	line[len(line)-1].Y = 1 // not what rounding made of it
	return append(line, plotter.XY{X: max(end, line[len(line)-1].X), Y: 1})
}
