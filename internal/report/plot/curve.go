package plot

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
)

// Series is one line of a Curve. Steps and Values have the same length; a value that is not finite breaks the line, as
// does one that is not positive on a logarithmic axis.
type Series struct {
	Name   string
	Steps  []int
	Values []float64
}

// Curve is a picture of values over training steps, or over sizes: with LogX a power law is a straight line, and each
// value has a dot.
type Curve struct {
	Title, XLabel, YLabel string
	LogX, LogY            bool // logarithmic axes
	Series                []Series
}

// Save writes the picture to path, in the format of its extension: .svg or .png (1200 × 900 pixels). A file is replaced
// as a whole. It fails on an unknown extension, on series of uneven length, on a size that is not positive and when
// there is nothing to draw.
func (p *Curve) Save(path string) error { return save(p, path) }

// Records has one row a value: series, step (with LogX size), value.
func (p *Curve) Records() *table.Records {
	r := &table.Records{Columns: []string{"series", "step", "value"}}
	if p.LogX {
		r.Columns[1] = "size"
	}
	for _, s := range p.Series {
		for i, v := range s.Values {
			r.Rows = append(r.Rows, []any{s.Name, s.Steps[i], v})
		}
	}
	return r
}

func (p *Curve) check() error {
	f, drawn := canvas.Faults{Kind: "curve:"}, 0
	for i, s := range p.Series {
		if !f.Demand(len(s.Steps) == len(s.Values), "series %d (%s) has %d steps and %d values",
			i, s.Name, len(s.Steps), len(s.Values)) {
			break
		}
		for _, step := range s.Steps {
			f.Demand(!p.LogX || step > 0, "series %d (%s) has size %d, and a logarithmic axis has only positive ones",
				i, s.Name, step)
		}
		for _, piece := range p.pieces(s) {
			drawn += len(piece)
		}
	}
	f.Demand(drawn > 0, "no values to draw")
	return f.First
}

// pieces cuts a series where its values cannot be drawn.
func (p *Curve) pieces(s Series) []plotter.XYs {
	var pieces []plotter.XYs
	open := false
	for i, v := range s.Values {
		if !finite(v) || p.LogY && v <= 0 {
			open = false
			continue
		}
		if !open {
			pieces, open = append(pieces, nil), true
		}
		last := len(pieces) - 1
		pieces[last] = append(pieces[last], plotter.XY{X: float64(s.Steps[i]), Y: v})
	}
	return pieces
}

func (p *Curve) draw(c draw.Canvas) {
	pl := newPlot(p.Title, p.XLabel, p.YLabel)
	chart(c, pl, p.legend(), func(draw.Canvas) {
		addGrid(pl, true)
		for i, s := range p.Series {
			p.addSeries(pl, i, s)
		}
		p.setAxes(pl)
	})
}

func (p *Curve) setAxes(pl *plot.Plot) {
	room := 1.1
	if p.LogX {
		room = 1.3
		logarithmic(&pl.X, room)
		pl.X.Tick.Marker = sizeTicks{}
	}
	if p.LogY {
		logarithmic(&pl.Y, room)
	} else {
		roomForValues(&pl.Y)
	}
	widenFlat(&pl.X)
	widenFlat(&pl.Y)
}

// widenFlat gives an axis on which all values are one some room.
func widenFlat(a *plot.Axis) {
	if a.Min == a.Max {
		widen(a, max(math.Abs(a.Min), 1)/2)
	}
}

// logarithmic makes an axis logarithmic and longer at both ends.
func logarithmic(a *plot.Axis, room float64) {
	a.Scale, a.Tick.Marker = plot.LogScale{}, logTicks{}
	a.Min, a.Max = a.Min/room, a.Max*room
}

// roomForValues lets a linear value axis start at 0 when the values come near it, and leaves some room at its ends.
func roomForValues(a *plot.Axis) {
	span := a.Max - a.Min
	a.Max += span / 20
	if a.Min >= 0 && a.Min < a.Max/4 {
		a.Min = 0
	} else {
		a.Min -= span / 20
	}
}

// addSeries draws the pieces of series i; a piece of one point becomes a dot.
func (p *Curve) addSeries(pl *plot.Plot, i int, s Series) {
	for _, piece := range p.pieces(s) {
		dots := &plotter.Scatter{XYs: piece, GlyphStyle: dotOf(i)}
		if len(piece) > 1 {
			pl.Add(&plotter.Line{XYs: piece, LineStyle: seriesStyle(i)})
		} else {
			dots.Radius = vg.Points(2)
		}
		if p.LogX || len(piece) == 1 {
			pl.Add(dots)
		}
	}
}

// dashes tell series apart beyond the eight colours.
var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}}

func seriesStyle(i int) draw.LineStyle {
	return draw.LineStyle{
		Color: canvas.Color(i), Width: vg.Points(1.5), Dashes: dashes[i/len(canvas.Palette)%len(dashes)],
	}
}

func (p *Curve) legend() []legendEntry {
	entries := make([]legendEntry, len(p.Series))
	for i, s := range p.Series {
		entries[i] = legendEntry{text.Clean(s.Name), lineSample(i)}
	}
	return entries
}
