package plot

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/text"
)

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
	slices.SortStableFunc(edges, func(a, b DAGEdge) int { return cmp.Compare(a.Weight, b.Weight) }) // the thickest on top
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
