package plot

import (
	"errors"
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/report/table"
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
	Column int      // 0 is the leftmost
	Row    float64  // 0 is the topmost; between two rows is allowed
	Labels []int32  // [N] cluster of each point, -1 where it has none yet; nil: the state before the first point, a disc
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

// Save writes the picture to path, in the format of its extension: .svg or .png, 1200 pixels wide. It fails on an
// unknown extension, on no states, and on labels, edges and values that do not fit.
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
	n := len(d.Points) / 2
	if n == 0 || len(d.Points)%2 != 0 || len(d.States) == 0 {
		return errors.New("decision graph: nothing to draw")
	}
	for i, v := range d.Points {
		if !finite(float64(v)) {
			return fmt.Errorf("decision graph: point %d has the coordinate %v", i/2, v)
		}
	}
	for i, s := range d.States {
		if s.Labels != nil && len(s.Labels) != n {
			return fmt.Errorf("decision graph: state %d (%s) has %d labels for %d points", i, s.Name, len(s.Labels), n)
		}
		if s.Column < 0 || s.Row < 0 || !finite(s.Row) {
			return fmt.Errorf("decision graph: state %d (%s) stands in column %d and row %v", i, s.Name, s.Column, s.Row)
		}
	}
	for i, e := range d.Edges {
		switch {
		case e.From < 0 || e.To < 0 || e.From >= len(d.States) || e.To >= len(d.States):
			return fmt.Errorf("decision graph: edge %d joins states %d and %d of %d", i, e.From, e.To, len(d.States))
		case d.States[e.From].Column >= d.States[e.To].Column:
			return fmt.Errorf("decision graph: edge %d does not point to the right", i)
		case !(e.Weight >= 0 && e.Weight <= 1+1e-9) || len(e.Text) > 2:
			return fmt.Errorf("decision graph: edge %d has weight %v and %d lines of text", i, e.Weight, len(e.Text))
		}
	}
	return nil
}

// height makes a graph tall.
func (d *DAG) height() vg.Length { return canvas.WholePixels(newDAGLayout(d).height + 2*canvas.Margin) }

func (d *DAG) draw(c draw.Canvas) { newDAGLayout(d).draw(canvas.Board{C: c, Pixel: canvas.Pixel}) }
