package plot

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
)

// Multiples is a picture of small panels over one axis, such as a swept setting: one panel a metric, one line a series,
// with bars for the deviation over seeds.
type Multiples struct {
	Title  string
	XLabel string
	Places []string // along the axis, at least one
	// the places' values, which lines join; empty for names, which are spaced evenly and have dots alone
	X      []float64
	Panels []Panel
}

// Panel is one part of Multiples.
type Panel struct {
	YLabel string
	Series []SpreadSeries
}

// SpreadSeries is a line of means with their deviations, one at each place; a mean of NaN breaks it.
type SpreadSeries struct {
	Name   string
	Values []table.Value
}

// Save writes the picture to path, in the format of its extension: see Curve.Save.
func (p *Multiples) Save(path string) error { return save(p, path) }

// Records has one row a value: panel, series, place, mean, std (NaN if unknown) and the number of seeds.
func (p *Multiples) Records() *table.Records {
	r := &table.Records{Columns: []string{"metric", "series", "place", "mean", "std", "seeds"}}
	for _, panel := range p.Panels {
		for _, s := range panel.Series {
			for i, v := range s.Values {
				r.Rows = append(r.Rows, []any{panel.YLabel, s.Name, p.Places[i], v.Mean, v.Spread(), v.N})
			}
		}
	}
	return r
}

func (p *Multiples) check() error {
	f := canvas.Faults{Kind: "small multiples:"}
	f.Demand(len(p.Places) > 0 && len(p.Panels) > 0, "nothing to draw")
	f.Demand(len(p.X) == 0 || len(p.X) == len(p.Places), "%d values for %d places", len(p.X), len(p.Places))
	for _, panel := range p.Panels {
		drawn := false
		for _, s := range panel.Series {
			f.Demand(len(s.Values) == len(p.Places), "%s of %s has %d values for %d places",
				panel.YLabel, s.Name, len(s.Values), len(p.Places))
			drawn = drawn || slices.ContainsFunc(s.Values, func(v table.Value) bool { return finite(v.Mean) })
		}
		f.Demand(drawn, "%s has no values", panel.YLabel)
	}
	return f.First
}

// closest is the smallest gap between neighbours, as a share of the one that even spacing gives, at which places may
// stand by their values.
const closest = 0.3

// spacing places the values along the axis: by themselves if none come too close, else by their logarithms, else
// evenly. The word says which, for the axis.
func spacing(x []float64, n int) (at []float64, word string) {
	even := make([]float64, n)
	logs := make([]float64, len(x))
	for i := range even {
		even[i] = float64(i)
	}
	for i, v := range x {
		logs[i] = math.Log10(v)
	}
	switch {
	case apart(x):
		return x, ""
	case apart(logs):
		return logs, " (log)"
	case len(x) > 0:
		return even, " (evenly spaced)"
	default:
		return even, ""
	}
}

// apart reports whether values rise, or fall, with no gap much smaller than the mean one.
func apart(x []float64) bool {
	if len(x) < 2 {
		return false
	}
	mean := (x[len(x)-1] - x[0]) / float64(len(x)-1)
	for i := 1; i < len(x); i++ {
		if gap := (x[i] - x[i-1]) / mean; !(gap >= closest) || math.IsInf(gap, 0) {
			return false
		}
	}
	return true
}

// Measures of the grid of panels, in points.
const (
	panelGap     vg.Length = 12
	multipleHead vg.Length = 30 // for a line of the title
	keyLine      vg.Length = 18 // of the series' names below it
)

func (p *Multiples) draw(c draw.Canvas) {
	at, word := spacing(p.X, len(p.Places))
	c = p.head(c)
	tiles := draw.Tiles{Cols: 2, PadX: panelGap, PadY: panelGap}
	switch n := len(p.Panels); {
	case n == 1:
		tiles.Cols = 1
	case n > 4:
		tiles.Cols = 3
	}
	tiles.Rows = (len(p.Panels) + tiles.Cols - 1) / tiles.Cols
	for i, panel := range p.Panels {
		tile := tiles.At(c, i%tiles.Cols, i/tiles.Cols)
		p.panel(panel, at, p.XLabel+word, tile.Size().X).Draw(tile)
	}
}

// head writes the title and, for several series, their names, and returns the room below.
func (p *Multiples) head(c draw.Canvas) draw.Canvas {
	c = drawTitle(c, p.Title)
	series := p.Panels[0].Series
	if len(series) < 2 {
		return c
	}
	x, y := c.Min.X, c.Max.Y-keyLine/2
	for i, s := range series {
		entry := legendEntry{text: text.Clean(s.Name)}
		need := legendSample + legendStyle.Width(entry.text) + legendGap
		if x > c.Min.X && x+need > c.Max.X {
			x, y = c.Min.X, y-keyLine
		}
		entry.sample = func(c *draw.Canvas, at vg.Point) {
			if len(p.X) > 0 {
				lineSample(i)(c, at)
			}
			c.DrawGlyph(dotOf(i), at)
		}
		entry.draw(c, x, y, 0)
		x += need
	}
	return draw.Crop(c, 0, 0, 0, y-keyLine-c.Max.Y)
}

// panel draws the series of one panel; each stands a little beside the others, so that its bars can be seen.
func (p *Multiples) panel(panel Panel, at []float64, xLabel string, width vg.Length) *plot.Plot {
	pl := newPlot("", xLabel, panel.YLabel)
	addGrid(pl, false)
	span := math.Abs(at[len(at)-1] - at[0])
	if span == 0 {
		span = 1
	}
	beside := min(0.012, 0.1/float64(len(p.Places)*len(panel.Series))) * span
	log := panel.wide()
	for i, s := range panel.Series {
		shift := (float64(i) - float64(len(panel.Series)-1)/2) * beside
		p.addSpread(pl, s, at, shift, i, log)
	}
	pl.X.Tick.Marker = plot.ConstantTicks(p.ticks(at, pl, width))
	pl.X.Min, pl.X.Max = slices.Min(at)-span*0.06, slices.Max(at)+span*0.06
	if log {
		logarithmic(&pl.Y, 1.3)
		pl.Y.Label.Text += " (log)"
		return pl
	}
	roomForValues(&pl.Y)
	widenFlat(&pl.Y)
	return pl
}

// ticks marks every place. Long names are broken into lines; where that is not enough, only as many as fit have one,
// the first among them.
func (p *Multiples) ticks(at []float64, pl *plot.Plot, width vg.Length) []plot.Tick {
	const usable = 0.85 // of the width, beside the value axis
	style := pl.X.Tick.Label
	fits := func(words []string, every int) bool {
		room := width*usable*vg.Length(every)/vg.Length(len(words)) - 4
		return !slices.ContainsFunc(words, func(w string) bool { return style.Width(w) > room })
	}
	words := text.CleanAll(p.Places)
	if len(words) < len(p.Places) {
		words = slices.Clone(p.Places) // one is blank
	}
	if !fits(words, 1) {
		room := width*usable/vg.Length(len(words)) - 4
		for i, w := range words {
			words[i] = strings.Join(text.Wrap(w, room, style.Width), "\n")
		}
	}
	every := 1
	for every < len(words) && !fits(words, every) {
		every++
	}
	var ticks []plot.Tick
	for i, word := range words {
		if i%every != 0 {
			word = ""
		}
		ticks = append(ticks, plot.Tick{Value: at[i], Label: word})
	}
	return ticks
}

// wide reports whether the panel's values, all positive, span more than a linear axis shows. Scores, at most 1, keep a
// linear one.
func (panel Panel) wide() bool {
	lo, hi := math.Inf(1), 0.0
	for _, s := range panel.Series {
		for _, v := range s.Values {
			if finite(v.Mean) {
				lo, hi = min(lo, v.Mean), max(hi, v.Mean)
			}
		}
	}
	return lo > 0 && hi > 1 && hi/lo > 50
}

// dotOf marks a value of series i.
func dotOf(i int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: canvas.Color(i), Radius: vg.Points(3), Shape: draw.CircleGlyph{}}
}

// addSpread draws series i: a line with dots, or dots alone between names, and a bar of one deviation to either side.
// On a logarithmic axis a bar ends above 0.
func (p *Multiples) addSpread(pl *plot.Plot, s SpreadSeries, at []float64, shift float64, i int, log bool) {
	var points plotter.XYs
	var errors plotter.YErrors
	flush := func() {
		if len(points) == 0 {
			return
		}
		style := draw.LineStyle{Color: canvas.Color(i), Width: vg.Points(1)}
		pl.Add(&plotter.YErrorBars{XYs: points, YErrors: errors, LineStyle: style, CapWidth: vg.Points(5)},
			&plotter.Scatter{XYs: points, GlyphStyle: dotOf(i)})
		if len(p.X) > 0 {
			pl.Add(&plotter.Line{XYs: points, LineStyle: seriesStyle(i)})
		}
		points, errors = nil, nil
	}
	for k, v := range s.Values {
		if !finite(v.Mean) || log && v.Mean <= 0 {
			flush()
			continue
		}
		std := v.Spread()
		if math.IsNaN(std) {
			std = 0
		}
		low := std
		if log {
			low = min(std, v.Mean*0.9)
		}
		points = append(points, plotter.XY{X: at[k] + shift, Y: v.Mean})
		errors = append(errors, struct{ Low, High float64 }{low, std})
	}
	flush()
}
