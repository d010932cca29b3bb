package plot

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
)

// DAG is a picture of sequential decisions: states in columns from left to right, and a directed edge for each
// decision. A state is drawn as its points in the plane, those of one cluster in one colour and joined, those not
// assigned yet grey and hollow.
type DAG struct {
	Title, Subtitle string
	Notes           []string  // below the drawing
	Points          []float32 // [N,2], row-major
	States          []DAGState
	Edges           []DAGEdge
}

// DAGState is a partial clustering.
type DAGState struct {
	Column int     // 0 is the leftmost
	Row    float64 // 0 is the topmost; between two rows is allowed
	// [N] cluster of each point, -1 where it has none yet; nil: the state before the first point, a disc
	Labels []int32
	Name   string   // for Records
	Title  string   // beside it, in bold; may be empty
	Text   []string // further lines
	// In and Out are the flow into the state and out of it, for Records; NaN where there is none.
	In, Out float64
}

// DAGEdge is a decision.
type DAGEdge struct {
	From, To int      // places in DAG.States
	Text     []string // at most two lines, above and below the edge
	Flow     float64  // for Records
	P        float64  // probability of the decision in its state, 0 … 1, for Records
	Weight   float64  // 0 … 1: how thick it is drawn
}

// Save writes the picture to path: see Curve.Save. It fails on no states, and on labels and values that do not fit.
func (d *DAG) Save(path string) error { return save(d, path) }

// Records has one row an edge: the two states, flow and probability of the decision, weight, and the flow into and out
// of the first state.
func (d *DAG) Records() *table.Records {
	r := &table.Records{Columns: []string{"from", "to", "flow", "p", "weight", "from_in", "from_out"}}
	for _, e := range d.Edges {
		from, to := d.States[e.From], d.States[e.To]
		r.Rows = append(r.Rows, []any{from.Name, to.Name, e.Flow, e.P, e.Weight, from.In, from.Out})
	}
	return r
}

func (d *DAG) check() error {
	f, n := canvas.Faults{Kind: "decision graph:"}, len(d.Points)/2
	f.Demand(n > 0 && len(d.Points)%2 == 0 && len(d.States) > 0, "nothing to draw")
	for i, v := range d.Points {
		f.Demand(finite(float64(v)), "point %d has the coordinate %v", i/2, v)
	}
	for i, s := range d.States {
		f.Demand(s.Labels == nil || len(s.Labels) == n, "state %d (%s) has %d labels for %d points",
			i, s.Name, len(s.Labels), n)
		f.Demand(s.Column >= 0 && s.Row >= 0 && finite(s.Row), "state %d (%s) stands in column %d and row %v",
			i, s.Name, s.Column, s.Row)
	}
	states := len(d.States)
	for i, e := range d.Edges {
		there := e.From >= 0 && e.To >= 0 && e.From < states && e.To < states
		f.Demand(there, "edge %d joins states %d and %d of %d", i, e.From, e.To, states)
		f.Demand(!there || d.States[e.From].Column < d.States[e.To].Column, "edge %d does not point to the right", i)
		f.Demand(e.Weight >= 0 && e.Weight <= 1+1e-9 && len(e.Text) <= 2, "edge %d has weight %v and %d lines of text",
			i, e.Weight, len(e.Text))
	}
	return f.First
}

// height makes a graph tall.
func (d *DAG) height() vg.Length { return newDAGLayout(d).height }

func (d *DAG) draw(c draw.Canvas) { newDAGLayout(d).draw(canvas.Board{C: c, Pixel: canvas.Pixel}) }

// Measures of a decision graph, in points.
const (
	dagGlyph      = 64 * vg.Length(1)
	dagSmallGlyph = 38 * vg.Length(1) // where a column has more than dagFew states
	dagFew        = 6
	dagRowGap     = 6 * vg.Length(1)
	dagStub       = 9 * vg.Length(1) // level end of an edge without words
	dagArrow      = 5 * vg.Length(1)
)

// dagLayout places states and edges. The last column has its words to the right, the others below.
type dagLayout struct {
	dag     *DAG
	heading []canvas.Strip
	name    draw.TextStyle
	text    draw.TextStyle
	glyph   vg.Length
	columns []vg.Length // left edges
	top     vg.Length
	pitch   vg.Length // from row to row
	notes   []string  // in lines
	notesAt vg.Length
	height  vg.Length
}

func newDAGLayout(d *DAG) *dagLayout {
	l := &dagLayout{dag: d, heading: canvas.Heading(d.Title, d.Subtitle), glyph: dagGlyph}
	byColumn := l.byColumn()
	size := vg.Length(10)
	for _, states := range byColumn {
		if len(states) > dagFew {
			l.glyph, size = dagSmallGlyph, 8.5
		}
	}
	l.name, l.text = canvas.Style(size, true, canvas.Ink), canvas.Style(size, false, canvas.Ink)
	last := len(byColumn) - 1
	right := vg.Length(0)
	for _, s := range byColumn[last] {
		right = max(right, l.wordsWidth(s))
	}
	step := canvas.Room - right - 8 - l.glyph
	for i := range byColumn {
		l.columns = append(l.columns, step*vg.Length(i)/vg.Length(max(1, last)))
	}
	l.place(byColumn)
	for _, note := range d.Notes {
		l.notes = append(l.notes, canvas.Wrapped(canvas.Dim, note, canvas.Room)...)
	}
	l.height = l.notesAt + vg.Length(len(l.notes))*canvas.LineOf(canvas.Dim)
	return l
}

// byColumn lists the states of each column from top to bottom.
func (l *dagLayout) byColumn() [][]DAGState {
	var columns [][]DAGState
	for _, s := range l.dag.States {
		for len(columns) <= s.Column {
			columns = append(columns, nil)
		}
		columns[s.Column] = append(columns[s.Column], s)
	}
	for _, states := range columns {
		slices.SortStableFunc(states, func(a, b DAGState) int { return cmp.Compare(a.Row, b.Row) })
	}
	return columns
}

// place finds the distance of rows at which nothing overlaps, and where the drawing ends.
func (l *dagLayout) place(byColumn [][]DAGState) {
	l.top = canvas.HeightOf(l.heading) + 6
	l.pitch = l.glyph / 2
	for column, states := range byColumn {
		for i := 1; i < len(states); i++ {
			if rows := states[i].Row - states[i-1].Row; rows > 0 {
				l.pitch = max(l.pitch, (l.room(column, states[i-1])+dagRowGap)/vg.Length(rows))
			}
		}
	}
	for column, states := range byColumn {
		for _, s := range states {
			l.notesAt = max(l.notesAt, l.rowTop(s)+l.room(column, s)+12)
		}
	}
}

// room is the height of a state with its words.
func (l *dagLayout) room(column int, s DAGState) vg.Length {
	words := vg.Length(len(s.words())) * canvas.LineOf(l.text)
	switch {
	case s.Labels == nil: // inside of the disc
		return l.glyph
	case column == len(l.columns)-1:
		return max(l.glyph, words)
	}
	return l.glyph + 2 + words
}

func (l *dagLayout) wordsWidth(s DAGState) vg.Length {
	width := vg.Length(0)
	for _, line := range s.words() {
		width = max(width, l.name.Width(line))
	}
	return width
}

func (l *dagLayout) rowTop(s DAGState) vg.Length { return l.top + vg.Length(s.Row)*l.pitch }
func (l *dagLayout) middle(s DAGState) vg.Length { return l.rowTop(s) + l.glyph/2 }

func (l *dagLayout) draw(b canvas.Board) {
	b.Stack(0, l.heading)
	edges := slices.Clone(l.dag.Edges)
	// the thickest on top
	slices.SortStableFunc(edges, func(a, b DAGEdge) int { return cmp.Compare(a.Weight, b.Weight) })
	for _, e := range edges {
		l.drawEdge(b, e)
	}
	for _, s := range l.dag.States {
		l.drawState(b, s)
	}
	b.Text(canvas.Dim, 0, l.notesAt, l.notes...)
}

// drawEdge draws a straight line that ends level, with its words on the level part.
func (l *dagLayout) drawEdge(b canvas.Board, e DAGEdge) {
	from, to := l.dag.States[e.From], l.dag.States[e.To]
	stub := dagStub
	for _, line := range e.Text {
		stub = max(stub, l.text.Width(line)+dagArrow+8)
	}
	end := l.columns[to.Column]
	ink := canvas.Lighten(canvas.Ink, 0.65*(1-e.Weight))
	style := draw.LineStyle{Color: ink, Width: 0.6 + 3*vg.Length(e.Weight)}
	start, level := b.At(l.columns[from.Column]+l.glyph, l.middle(from)), l.middle(to)
	b.C.StrokeLines(style, []vg.Point{start, b.At(end-stub, level), b.At(end-dagArrow, level)})
	half, back := dagArrow/2+style.Width/2, end-dagArrow-style.Width/2
	b.C.FillPolygon(ink, []vg.Point{b.At(end, level), b.At(back, level-half), b.At(back, level+half)})
	for i, words := range e.Text {
		y := level - style.Width/2 - canvas.LineOf(l.text) - 1
		if i == 1 {
			y = level + style.Width/2 + 2
		}
		b.Text(l.text, end-stub+4, y, text.Clean(words))
	}
}

// words are the lines beside a state.
func (s DAGState) words() []string { return text.CleanAll(append([]string{s.Title}, s.Text...)) }

func (l *dagLayout) drawState(b canvas.Board, s DAGState) {
	x, y := l.columns[s.Column], l.rowTop(s)
	height := vg.Length(len(s.words())) * canvas.LineOf(l.text)
	switch {
	case s.Labels == nil:
		middle := b.At(x+l.glyph/2, y+l.glyph/2)
		b.Fill(canvas.ShapePath(0, l.glyph/2, middle), canvas.Lighten(canvas.AxisGrey, 0.8))
		b.Stroke(canvas.ShapePath(0, l.glyph/2, middle), draw.LineStyle{Color: canvas.AxisGrey, Width: 0.8})
		x, y = x+l.glyph/2, y+(l.glyph-height)/2
	case s.Column == len(l.columns)-1:
		l.drawPoints(b, x, y, s.Labels)
		x, y = x+l.glyph+8, y+max(0, (l.glyph-height)/2)
	default:
		l.drawPoints(b, x, y, s.Labels)
		y += l.glyph + 2
	}
	for i, line := range s.words() {
		style := l.text
		if i == 0 && text.Clean(s.Title) != "" {
			style = l.name
		}
		if s.Labels == nil {
			style.XAlign = draw.XCenter
		}
		y = b.Text(style, x, y, line)
	}
}

// drawPoints draws a partial clustering in a box: numbered points, those of a cluster joined through their mean.
func (l *dagLayout) drawPoints(b canvas.Board, x, y vg.Length, labels []int32) {
	b.Fill(b.Rectangle(x, y, l.glyph, l.glyph), color.White)
	b.Stroke(b.Rectangle(x, y, l.glyph, l.glyph), draw.LineStyle{Color: canvas.AxisGrey, Width: 0.8})
	radius := l.glyph * 0.115
	at := l.pointsIn(x, y, radius)
	for i, label := range labels {
		if label < 0 {
			continue
		}
		mean := clusterMean(at, labels, label)
		tint := canvas.Lighten(canvas.Color(int(label)), 0.35)
		line := draw.LineStyle{Color: tint, Width: radius * 0.7}
		b.C.StrokeLines(line, []vg.Point{b.At(mean.X, mean.Y), b.At(at[i].X, at[i].Y)})
	}
	digit := canvas.Style(radius*1.35, true, color.White)
	digit.XAlign = draw.XCenter
	for i, label := range labels {
		ink := color.Color(canvas.AxisGrey)
		circle := canvas.ShapePath(0, radius, b.At(at[i].X, at[i].Y))
		if label < 0 {
			b.Fill(circle, color.White)
			b.Stroke(circle, draw.LineStyle{Color: canvas.AxisGrey, Width: 0.8})
		} else {
			b.Fill(circle, canvas.Color(int(label)))
			ink = inkOn(canvas.Color(int(label)))
		}
		digit.Color = ink
		b.Text(digit, at[i].X, at[i].Y-digit.Font.Size*0.64, strconv.Itoa(i+1))
	}
}

// pointsIn places the points in a glyph's box, with one scale for both axes and the second axis upward.
func (l *dagLayout) pointsIn(x, y, radius vg.Length) []vg.Point {
	p := l.dag.Points
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i, v := range p {
		low[i%2], high[i%2] = min(low[i%2], float64(v)), max(high[i%2], float64(v))
	}
	span := max(high[0]-low[0], high[1]-low[1])
	if span == 0 {
		span = 1
	}
	scale := (l.glyph - 2*radius - 6) / vg.Length(span)
	var at []vg.Point
	for i := range len(p) / 2 {
		at = append(at, vg.Point{
			X: x + l.glyph/2 + scale*vg.Length(float64(p[2*i])-(low[0]+high[0])/2),
			Y: y + l.glyph/2 - scale*vg.Length(float64(p[2*i+1])-(low[1]+high[1])/2),
		})
	}
	return at
}

// clusterMean is the mean of the places of a cluster that has some.
func clusterMean(at []vg.Point, labels []int32, cluster int32) (mean vg.Point) {
	count := vg.Length(0)
	for i, k := range labels {
		if k == cluster {
			mean.X, mean.Y = mean.X+at[i].X, mean.Y+at[i].Y
			count++
		}
	}
	return vg.Point{X: mean.X / count, Y: mean.Y / count}
}

// inkOn is black or white, whichever can be read on a colour.
func inkOn(c color.RGBA) color.Color {
	if 0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B) > 140 {
		return color.Black
	}
	return color.White
}
