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
	"github.com/gfncp/gfncp/internal/text"
)

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
