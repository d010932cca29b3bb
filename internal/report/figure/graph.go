package figure

// Graph is a picture of sequential decisions: states in columns from left to right, and an edge for each decision.
type Graph struct {
	Title  string
	Notes  []string // below the drawing
	States []State
	Edges  []Edge
}

// State is a partial clustering.
type State struct {
	Column  int      // 0 is the leftmost
	Row     float64  // 0 is the topmost; between two rows is allowed
	Name    string   // for Records
	Lines   []string // what is written there
	In, Out float64  // the flow into the state and out of it, for Records; NaN where there is none
}

// Edge is a decision.
type Edge struct {
	From, To int     // places in Graph.States
	Flow     float64 // for Records
	P        float64 // probability of the decision in its state, for Records
	Weight   float64 // 0 … 1: how thick it is drawn
}

// Records has one row an edge: the two states, flow and probability of the decision, weight, and the flow into and out
// of the first state.
func (g *Graph) Records() *Records {
	r := &Records{Columns: []string{"from", "to", "flow", "p", "weight", "from_in", "from_out"}}
	for _, e := range g.Edges {
		from, to := g.States[e.From], g.States[e.To]
		r.Rows = append(r.Rows, []any{from.Name, to.Name, e.Flow, e.P, e.Weight, from.In, from.Out})
	}
	return r
}
