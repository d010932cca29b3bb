package plot

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/report/table"
)

// Parallel is a picture in parallel coordinates: a vertical axis for each thing that varies and for each metric, and a
// line across them for each setting, coloured by one of the metrics.
type Parallel struct {
	Title   string
	Axes    []ParallelAxis
	Metrics []string // at least one; their axes stand to the right
	Colour  int      // index of the metric that colours the lines
	Lines   []ParallelLine
}

// ParallelAxis is an axis with named places, drawn upward.
type ParallelAxis struct {
	Name   string
	Places []string
}

// ParallelLine is one setting: its place on each axis, and its value of each metric; a line with a NaN or an infinity
// is left out.
type ParallelLine struct {
	At     []int
	Values []float64
}

// Save writes the picture to path, in the format of its extension: see Curve.Save.
func (p *Parallel) Save(path string) error { return save(p, path) }

// Records has one row a line: its place on each axis, and its metrics.
func (p *Parallel) Records() *table.Records {
	r := &table.Records{}
	for _, a := range p.Axes {
		r.Columns = append(r.Columns, a.Name)
	}
	r.Columns = append(r.Columns, p.Metrics...)
	for _, line := range p.Lines {
		var row []any
		for i, at := range line.At {
			row = append(row, p.Axes[i].Places[at])
		}
		for _, v := range line.Values {
			row = append(row, v)
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

func (p *Parallel) check() error {
	f := canvas.Faults{Kind: "parallel coordinates:"}
	f.Demand(len(p.Axes) > 0 && p.Colour >= 0 && p.Colour < len(p.Metrics), "no axes, no metrics, or none to colour by")
	for i, line := range p.Lines {
		if !f.Demand(len(line.At) == len(p.Axes) && len(line.Values) == len(p.Metrics),
			"line %d has %d places and %d values", i, len(line.At), len(line.Values)) {
			break
		}
		for k, at := range line.At {
			f.Demand(at >= 0 && at < len(p.Axes[k].Places), "line %d is at place %d of %s", i, at, p.Axes[k].Name)
		}
	}
	f.Demand(slices.ContainsFunc(p.Lines, ParallelLine.drawable), "nothing to draw")
	return f.First
}

func (l ParallelLine) drawable() bool {
	return !slices.ContainsFunc(l.Values, func(v float64) bool { return !finite(v) })
}

// column is an axis as it is drawn: its marks, and where a line meets it, as shares of its height.
type column struct {
	name  string
	marks []plot.Tick
	at    func(ParallelLine) float64
}

func (p *Parallel) columns() []column {
	var all []column
	for k, a := range p.Axes {
		c := column{name: a.Name, at: func(l ParallelLine) float64 { return placeShare(l.At[k], len(a.Places)) }}
		for i, word := range a.Places {
			c.marks = append(c.marks, plot.Tick{Value: placeShare(i, len(a.Places)), Label: word})
		}
		all = append(all, c)
	}
	for k, name := range p.Metrics {
		all = append(all, p.metric(k, name))
	}
	return all
}

// metric is the column of metric k, from its smallest to its largest value.
func (p *Parallel) metric(k int, name string) column {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, line := range p.Lines {
		if line.drawable() {
			lo, hi = min(lo, line.Values[k]), max(hi, line.Values[k])
		}
	}
	if lo == hi {
		half := max(math.Abs(lo), 1) / 2
		lo, hi = lo-half, hi+half
	}
	share := func(v float64) float64 { return (v - lo) / (hi - lo) }
	c := column{name: name, marks: evenTicks{}.Ticks(lo, hi)}
	c.at = func(l ParallelLine) float64 { return share(l.Values[k]) }
	for i, mark := range c.marks {
		c.marks[i].Value = share(mark.Value)
	}
	return c
}

func (p *Parallel) draw(c draw.Canvas) {
	c = drawTitle(c, p.Title)
	columns := p.columns()
	step := (c.Max.X - c.Min.X) / vg.Length(len(columns))
	bottom, top := c.Min.Y+24, c.Max.Y-24
	place := func(column int, share float64) vg.Point {
		return vg.Point{X: c.Min.X + step*(vg.Length(column)+0.5), Y: bottom + (top-bottom)*vg.Length(share)}
	}
	lines := p.inOrder()
	for i, line := range lines {
		beside := besideShare * (evenShare(i, len(lines)) - 0.5) // lines through one place stay apart
		points := make([]vg.Point, len(columns))
		for k, column := range columns {
			if k >= len(p.Axes) {
				beside = 0
			}
			points[k] = place(k, column.at(line)+beside)
		}
		tint := ramp(columns[len(p.Axes)+p.Colour].at(line))
		c.StrokeLines(draw.LineStyle{Color: tint, Width: vg.Points(1.6)}, points)
	}
	for k, column := range columns {
		column.draw(c, func(share float64) vg.Point { return place(k, share) }, step)
	}
}

// besideShare is how much of an axis the lines through one of its places spread over.
const besideShare = 0.05

// inOrder returns the lines to draw, those with the larger values of the colouring metric last, on top.
func (p *Parallel) inOrder() []ParallelLine {
	var lines []ParallelLine
	for _, line := range p.Lines {
		if line.drawable() {
			lines = append(lines, line)
		}
	}
	slices.SortStableFunc(lines, func(a, b ParallelLine) int {
		return cmp.Compare(a.Values[p.Colour], b.Values[p.Colour])
	})
	return lines
}

// placeShare is where a place of an axis stands, with room for the lines at both ends.
func placeShare(i, n int) float64 { return besideShare/2 + (1-besideShare)*evenShare(i, n) }

// evenShare spreads n things from 0 to 1; a single one stands in the middle.
func evenShare(i, n int) float64 {
	if n == 1 {
		return 0.5
	}
	return float64(i) / float64(n-1)
}

// draw draws a vertical axis with its name on top and its marks on white to the right.
func (a column) draw(c draw.Canvas, at func(share float64) vg.Point, room vg.Length) {
	low, high := at(0), at(1)
	c.StrokeLine2(draw.LineStyle{Color: canvas.AxisGrey, Width: vg.Points(1)}, low.X, low.Y, high.X, high.Y)
	head, mark := canvas.Style(11, false, color.Black), canvas.Style(9.5, false, color.Black)
	head.XAlign, mark.YAlign = draw.XCenter, draw.YCenter
	c.FillText(head, vg.Point{X: high.X, Y: high.Y + 8}, canvas.Fitting(head, a.name, room-4))
	for _, t := range a.marks {
		word := canvas.Fitting(mark, t.Label, room*0.6)
		pt := at(t.Value)
		c.StrokeLine2(draw.LineStyle{Color: canvas.AxisGrey, Width: vg.Points(1)}, pt.X-3, pt.Y, pt.X+3, pt.Y)
		width := mark.Width(word)
		c.SetColor(color.NRGBA{0xFF, 0xFF, 0xFF, 0xC8})
		c.Fill(vg.Rectangle{
			Min: vg.Point{X: pt.X + 4, Y: pt.Y - 6}, Max: vg.Point{X: pt.X + 8 + width, Y: pt.Y + 6},
		}.Path())
		c.FillText(mark, vg.Point{X: pt.X + 6, Y: pt.Y}, word)
	}
}

// ramp is a colour between light yellow (0) and dark blue (1), in even steps of lightness.
func ramp(share float64) color.RGBA {
	stops := []color.RGBA{
		{0xF0, 0xC8, 0x4C, 0xFF},
		{0x5B, 0xB0, 0x8B, 0xFF},
		{0x1F, 0x6F, 0x9F, 0xFF},
		{0x2B, 0x1B, 0x60, 0xFF},
	}
	x := min(max(share, 0), 1) * float64(len(stops)-1)
	i := min(int(x), len(stops)-2)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*(x-float64(i)))) }
	a, b := stops[i], stops[i+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xFF}
}
