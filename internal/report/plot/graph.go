package plot

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/figure"
)

// graph draws a figure.Graph: states as words at (column, −row), edges as lines between them.
type graph struct {
	*figure.Graph
	rows, columns float64 // the largest row and column
}

// rowHeight is the distance of rows, in which a state has up to five lines.
const rowHeight = vg.Length(56)

func newGraph(g *figure.Graph) graph {
	d := graph{Graph: g}
	for _, s := range g.States {
		d.rows, d.columns = max(d.rows, s.Row), max(d.columns, float64(s.Column))
	}
	return d
}

func (g graph) height() vg.Length {
	return frameHeight(g.Title, g.Notes) + vg.Length(g.rows+1)*rowHeight
}

func (g graph) draw(c draw.Canvas) {
	pl := newPlot("", "")
	pl.HideAxes()
	edges := slices.Clone(g.Edges)
	slices.SortStableFunc(edges, func(a, b figure.Edge) int { return cmp.Compare(a.Weight, b.Weight) })
	for _, e := range edges {
		g.addEdge(pl, e)
	}
	words := &plotter.Labels{}
	for _, s := range g.States {
		look := style(8.5)
		look.XAlign, look.YAlign = draw.XCenter, draw.YCenter
		words.XYs = append(words.XYs, plotter.XY{X: float64(s.Column), Y: -s.Row})
		words.Labels = append(words.Labels, strings.Join(s.Lines, "\n"))
		words.TextStyle = append(words.TextStyle, look)
	}
	pl.Add(words)
	pl.X.Min, pl.X.Max = -sideRoom, g.columns+sideRoom
	pl.Y.Min, pl.Y.Max = -g.rows-0.5, 0.5
	pl.Draw(framed(c, g.Title, g.Notes))
}

// sideRoom is the room beside the middle of the first and the last column, in columns.
const sideRoom = 0.3

// half is half the width of a state's words with a gap, in columns.
func (g graph) half(s figure.State) float64 {
	look, widest := style(8.5), vg.Length(0)
	for _, line := range s.Lines {
		widest = max(widest, look.Width(line))
	}
	return float64((widest/2+5)/(width-2*margin)) * (g.columns + 2*sideRoom)
}

// addEdge draws an edge between the words of its states, darker and thicker the more it weighs.
func (g graph) addEdge(pl *plot.Plot, e figure.Edge) {
	from, to := g.States[e.From], g.States[e.To]
	start := plotter.XY{X: float64(from.Column) + g.half(from), Y: -from.Row}
	end := plotter.XY{X: float64(to.Column) - g.half(to), Y: -to.Row}
	weight := math.Min(1, e.Weight)
	pl.Add(&plotter.Line{XYs: plotter.XYs{start, end}, LineStyle: draw.LineStyle{
		Color: lighten(colorOf(6), 0.75*(1-weight)), Width: vg.Length(0.5 + 2.5*weight),
	}})
}
