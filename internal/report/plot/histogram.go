package plot

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
)

// HistogramSeries is one sample in a Histogram: its Values, or, where those are not known, the Counts [M] of values in
// bins with rising Edges [M+1].
type HistogramSeries struct {
	Name   string
	Values []float64 // finite
	Edges  []float64 // with Counts, instead of Values
	Counts []float64 // 0 or more each
	Color  int       // place in the palette; what belongs together shares it
	Behind bool      // drawn as a pale outline, behind the others
}

// Histogram is a picture of how values are distributed: above, histograms as densities, so that samples of different
// sizes and bins compare; below, the empirical distribution functions. Values are binned alike for all series
// (binEdges). Of a series with Counts the distribution function is a line from edge to edge.
type Histogram struct {
	Title, XLabel string
	XMax          float64 // where the axis ends, whatever lies beyond; 0: at the largest value
	Series        []HistogramSeries
}

// Save writes the picture to path, in the format of its extension: see Curve.Save. It fails when there is nothing to
// draw, and on values or bins that are no distribution.
func (p *Histogram) Save(path string) error { return save(p, path) }

// Records has one row a bin and one a value: series, kind ("bin" or "value"), number, from, to, and the share of the
// series that lies there. A value lies at from = to. Values keep the order in which they were given.
func (p *Histogram) Records() *table.Records {
	r := &table.Records{Columns: []string{"series", "kind", "number", "from", "to", "share"}}
	for _, b := range p.bins() {
		for i, share := range b.share {
			r.Rows = append(r.Rows, []any{b.Name, "bin", i, b.edges[i], b.edges[i+1], share})
		}
	}
	for _, s := range p.Series {
		for i, v := range s.Values {
			r.Rows = append(r.Rows, []any{s.Name, "value", i, v, v, 1 / float64(len(s.Values))})
		}
	}
	return r
}

func (p *Histogram) check() error {
	f := canvas.Faults{Kind: "histogram:"}
	f.Demand(len(p.Series) > 0, "nothing to draw")
	f.Demand(p.XMax >= 0 && finite(p.XMax), "the axis cannot end at %v", p.XMax)
	for i, s := range p.Series {
		f.Kind = fmt.Sprintf("histogram: series %d (%s)", i, s.Name)
		s.check(&f)
	}
	return f.First
}

func (s HistogramSeries) check(f *canvas.Faults) {
	f.Demand(s.Color >= 0, "has colour %d", s.Color)
	f.Demand((len(s.Values) > 0) != (len(s.Counts) > 0), "has %d values and %d counts: give one of the two",
		len(s.Values), len(s.Counts))
	for _, v := range slices.Concat(s.Values, s.Edges) {
		f.Demand(finite(v), "has the value %v", v)
	}
	bins := len(s.Counts)
	if bins == 0 || !f.Demand(len(s.Edges) == bins+1, "has %d edges for %d bins", len(s.Edges), bins) {
		return
	}
	total := 0.0
	for i, count := range s.Counts {
		f.Demand(s.Edges[i+1] > s.Edges[i], "has a bin from %v to %v", s.Edges[i], s.Edges[i+1])
		f.Demand(count >= 0 && finite(count), "has the count %v", count)
		total += count
	}
	f.Demand(total > 0, "has no counts above 0")
}

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

// Looks of a Histogram.
const (
	histogramPale           = 0.5  // share of white in a series behind
	histogramFill           = 0x48 // opacity of what is filled, of 255
	histogramGap  vg.Length = 8    // points between the panels
)

func (p *Histogram) draw(c draw.Canvas) {
	entries := p.legend()
	width := legendWidth(entries)
	area := draw.Crop(c, 0, -width, 0, 0)
	upper := newPlot(p.Title, "", "density")
	upper.Title.Text = titleLines(p.Title, area, upper.Title.TextStyle)
	lower := newPlot("", p.XLabel, "cumulative share")
	panels := [][]*plot.Plot{{upper}, {lower}}
	all := p.bins()
	low, high := p.limits(all)
	for _, row := range panels {
		addGrid(row[0], true)
	}
	for _, behind := range []bool{true, false} {
		for _, b := range all {
			if b.Behind == behind {
				b.addTo(upper, lower, high)
			}
		}
	}
	for _, row := range panels { // after Add, which widens axes
		row[0].X.Min, row[0].X.Max, row[0].Y.Min = low, high, 0
	}
	upper.Y.Max *= 1.05
	lower.Y.Max = 1.02
	tiles := plot.Align(panels, draw.Tiles{Rows: 2, Cols: 1, PadY: histogramGap}, area)
	upper.Draw(tiles[0][0])
	lower.Draw(tiles[1][0])
	drawLegend(besideArea(c, upper, tiles[0][0]), entries)
}

// limits are the ends of the value axis: 0 if all values are near it, and XMax if it is given and some value is below
// it.
func (p *Histogram) limits(all []binned) (low, high float64) {
	low, high = all[0].edges[0], all[0].edges[len(all[0].share)]
	for _, b := range all {
		low, high = min(low, b.edges[0]), max(high, b.edges[len(b.share)])
	}
	if p.XMax > low {
		high = p.XMax
	}
	if low > 0 && low < high/4 {
		low = 0
	}
	return low, high
}

// addTo adds a series to both panels.
func (b binned) addTo(upper, lower *plot.Plot, end float64) {
	density := &plotter.Line{XYs: b.density(), LineStyle: b.style()}
	if !b.Behind {
		density.FillColor = b.fill()
	}
	upper.Add(density)
	lower.Add(&plotter.Line{XYs: b.ecdf(end), LineStyle: b.style()})
}

func (s HistogramSeries) style() draw.LineStyle {
	style := seriesStyle(s.Color)
	if s.Behind {
		style.Color = canvas.Lighten(canvas.Color(s.Color), histogramPale)
	}
	return style
}

// fill is the series' colour, through which others are seen.
func (s HistogramSeries) fill() color.Color {
	c := canvas.Color(s.Color)
	return color.NRGBA{c.R, c.G, c.B, histogramFill}
}

// legend has the series in their order, those behind at the end.
func (p *Histogram) legend() (entries []legendEntry) {
	for _, behind := range []bool{false, true} {
		for _, s := range p.Series {
			if s.Behind == behind {
				entries = append(entries, legendEntry{text.Clean(s.Name), s.sample})
			}
		}
	}
	return entries
}

// sample draws what stands beside a series' name.
func (s HistogramSeries) sample(c *draw.Canvas, at vg.Point) {
	if !s.Behind {
		c.SetColor(s.fill())
		c.Fill(boxOf(at))
	}
	c.SetLineStyle(s.style())
	c.Stroke(boxOf(at))
}
