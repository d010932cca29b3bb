package plot

import (
	"bytes"
	"image/png"
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/gfncp/gfncp/internal/report/canvas"
)

// threeStates is a graph of two decisions on two points.
func threeStates() *DAG {
	return &DAG{
		Title: "t", Notes: []string{"a note"}, Points: []float32{0, 0, 2, 1},
		States: []DAGState{
			{
				Column: 0, Row: 0.5, Labels: []int32{0, -1}, Name: "{1}",
				Title: "{1}", Text: []string{"in 0.9", "out 1"},
				In: 0.9, Out: 1,
			},
			{Column: 1, Row: 0, Labels: []int32{0, 0}, Name: "{1,2}", Title: "{1,2}", In: 0.75, Out: math.NaN()},
			{Column: 1, Row: 1, Labels: []int32{0, 1}, Name: "{1}{2}", Title: "{1}{2}", In: 0.25, Out: math.NaN()},
		},
		Edges: []DAGEdge{
			{From: 0, To: 1, Flow: 0.75, P: 0.8, Weight: 0.6, Text: []string{"F = 0.75", "P = 0.8"}},
			{From: 0, To: 2, Flow: 0.25, P: 0.2, Weight: 0.4},
		},
	}
}

// Every state shows every point, in the colour of its cluster or hollow; the records are the edges that are drawn.
func TestDAGDrawsItsData(t *testing.T) {
	d := threeStates()
	svg := mustRender(t, d, "svg")
	count := fills(t, svg)
	if blue, orange := count[hex(canvas.Color(0))], count[hex(canvas.Color(1))]; blue != 4 || orange != 1 {
		t.Errorf("%d points in the first cluster's colour and %d in the second's, want 4 and 1", blue, orange)
	}
	for _, text := range []string{"{1}{2}", "out 1", "F = 0.75", "P = 0.8", "a note"} {
		if !bytes.Contains(svg, []byte(">"+text+"</text>")) {
			t.Errorf("the picture lacks %q", text)
		}
	}
	want := [][]any{
		{"{1}", "{1,2}", 0.75, 0.8, 0.6, 0.9, 1.0},
		{"{1}", "{1}{2}", 0.25, 0.2, 0.4, 0.9, 1.0},
	}
	if r := d.Records(); !reflect.DeepEqual(r.Rows, want) || len(r.Columns) != len(want[0]) {
		t.Errorf("records %v %v, want %v", r.Columns, r.Rows, want)
	}
	config, err := png.DecodeConfig(bytes.NewReader(mustRender(t, d, "png")))
	if err != nil || config.Width != 1200 || config.Height < 300 || config.Height > 900 {
		t.Errorf("PNG of %d × %d (%v)", config.Width, config.Height, err)
	}
}

// States of a column, with the words below or beside them, do not overlap, and all lie on the page.
func TestDAGLeavesRoom(t *testing.T) {
	d := &DAG{Title: "t", Points: []float32{0, 0, 2, 1}}
	for column, count := range []int{1, 6, 12, 5} {
		for i := range count {
			s := DAGState{
				Column: column, Row: (float64(i) + 0.5) * 12 / float64(count), Labels: []int32{0, 1}, Title: "name",
				Text: []string{"a", "b", "c", "d"},
			}
			d.States = append(d.States, s)
		}
	}
	l := newDAGLayout(d)
	for column, states := range l.byColumn() {
		end := vg.Length(0)
		for i, s := range states {
			if top := l.rowTop(s); top < end {
				t.Errorf("column %d: state %d begins at %v, above %v where the one before it ends", column, i, top, end)
			}
			end = l.rowTop(s) + l.room(column, s)
		}
		if end > l.height {
			t.Errorf("column %d ends at %v, below the page of %v", column, end, l.height)
		}
	}
	last := len(l.columns) - 1
	if right := l.columns[last] + l.glyph + 8 + l.wordsWidth(d.States[len(d.States)-1]); right > canvas.Room+1e-6 {
		t.Errorf("words end at %v, right of the page of %v", right, canvas.Room)
	}
}

// What cannot be drawn is an error.
func TestDAGRefuses(t *testing.T) {
	for name, spoil := range map[string]func(d *DAG){
		"no states": func(d *DAG) { d.States, d.Edges = nil, nil },
		"no points": func(d *DAG) { d.Points = nil },
		"infinite":  func(d *DAG) { d.Points[1] = float32(math.Inf(1)) },
		"labels":    func(d *DAG) { d.States[1].Labels = []int32{0} },
		"row":       func(d *DAG) { d.States[1].Row = math.NaN() },
		"backwards": func(d *DAG) { d.Edges[0].From, d.Edges[0].To = 1, 0 },
		"nowhere":   func(d *DAG) { d.Edges[0].To = 3 },
		"weight":    func(d *DAG) { d.Edges[0].Weight = math.NaN() },
	} {
		d := threeStates()
		spoil(d)
		if _, err := Render(d, "svg"); err == nil {
			t.Errorf("%s was drawn", name)
		}
	}
}
