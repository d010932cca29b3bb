package plot

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
)

// BarSeries is one bar in each group. A value of 0 is a bar that is not there.
type BarSeries struct {
	Name   string
	Values []float64
}

// Bars is a picture of values by group: Groups name what stands along the axis, and each series has one bar in each.
type Bars struct {
	Title, YLabel string
	Groups        []string
	Series        []BarSeries
}

// Save writes the picture to path, in the format of its extension: see Curve.Save.
func (p *Bars) Save(path string) error { return save(p, path) }

// Records has one row a bar: series, group, value.
func (p *Bars) Records() *table.Records {
	r := &table.Records{Columns: []string{"series", "group", "value"}}
	for _, s := range p.Series {
		for i, v := range s.Values {
			r.Rows = append(r.Rows, []any{s.Name, p.Groups[i], v})
		}
	}
	return r
}

func (p *Bars) check() error {
	f := canvas.Faults{Kind: "bars:"}
	f.Demand(len(p.Groups) > 0 && len(p.Series) > 0, "nothing to draw")
	for i, s := range p.Series {
		f.Demand(len(s.Values) == len(p.Groups), "series %d (%s) has %d values for %d groups",
			i, s.Name, len(s.Values), len(p.Groups))
		for _, v := range s.Values {
			f.Demand(v >= 0 && finite(v), "series %d (%s) has the value %v", i, s.Name, v)
		}
	}
	return f.First
}

// barShare is how much of a group's width its bars take.
const barShare = 0.75

func (p *Bars) draw(c draw.Canvas) {
	pl := newPlot(p.Title, "", p.YLabel)
	chart(c, pl, p.legend(), func(area draw.Canvas) {
		addGrid(pl, false)
		room := pl.DataCanvas(area).Size().X / vg.Length(len(p.Groups))
		bar := room * barShare / vg.Length(len(p.Series))
		for i, s := range p.Series {
			offset := bar * (vg.Length(i) - vg.Length(len(p.Series)-1)/2)
			pl.Add(&plotter.BarChart{Values: s.Values, Width: bar, Color: canvas.Color(i), Offset: offset},
				barLabels(s.Values, offset))
		}
		pl.NominalX(p.Groups...)
		pl.X.Tick.Label.Font, pl.X.Tick.Length = canvas.Font(10), 0
		pl.X.Min, pl.X.Max = -0.5, float64(len(p.Groups))-0.5
		pl.Y.Min, pl.Y.Max = 0, pl.Y.Max*1.08
		if pl.Y.Max == 0 {
			pl.Y.Max = 1
		}
	})
}

// barLabels writes each value above its bar, which stands an offset beside the middle of its group.
func barLabels(values []float64, offset vg.Length) *plotter.Labels {
	labels := &plotter.Labels{Offset: vg.Point{X: offset, Y: 3}}
	style := canvas.Style(9, false, color.Black)
	style.XAlign = draw.XCenter
	for group, v := range values {
		if v > 0 {
			labels.XYs = append(labels.XYs, plotter.XY{X: float64(group), Y: v})
			labels.Labels, labels.TextStyle = append(labels.Labels, threeDigits(v)), append(labels.TextStyle, style)
		}
	}
	return labels
}

// threeDigits rounds v to three digits, without an exponent.
func threeDigits(v float64) string {
	decimals := max(0, 2-int(math.Floor(math.Log10(v))))
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

func (p *Bars) legend() []legendEntry {
	entries := make([]legendEntry, len(p.Series))
	for i, s := range p.Series {
		entries[i] = legendEntry{text: text.Clean(s.Name), sample: func(c *draw.Canvas, at vg.Point) {
			c.SetColor(canvas.Color(i))
			c.Fill(boxOf(at))
		}}
	}
	return entries
}
