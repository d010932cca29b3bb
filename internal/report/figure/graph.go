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

// Check returns a reason if an edge does not lead from a state to one farther right.
func (g *Graph) Check() error {
	f, states := Faults{Kind: "decision graph:"}, len(g.States)
	f.Demand(states > 0, "nothing to draw")
	for i, s := range g.States {
		f.Demand(s.Column >= 0 && s.Row >= 0 && Finite(s.Row), "state %d (%s) stands in column %d and row %v",
			i, s.Name, s.Column, s.Row)
	}
	for i, e := range g.Edges {
		there := e.From >= 0 && e.To >= 0 && e.From < states && e.To < states
		f.Demand(there, "edge %d joins states %d and %d of %d", i, e.From, e.To, states)
		f.Demand(!there || g.States[e.From].Column < g.States[e.To].Column, "edge %d does not point to the right", i)
		f.Demand(e.Weight >= 0 && e.Weight <= 1+1e-9, "edge %d has weight %v", i, e.Weight)
	}
	return f.First
}
