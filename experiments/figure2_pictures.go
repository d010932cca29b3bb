package experiments

import (
	"fmt"
	"math"
	"strings"

	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/report/table"
)

// flowFigures are the tree of the first order and the graph of all orders.
func flowFigures(x []float32, flows []orderFlows, where string) []table.Figure {
	return []table.Figure{
		{
			Name: "order", Picture: orderTree(x, flows[0], where),
			Caption: "All decisions on three points that are met in the order 1, 2, 3, with the flows of " +
				where + ".",
		},
		{
			Name: "orders", Picture: orderGraph(x, flows, where),
			Caption: "The decision graph of three points (paper, figure 2) with the probabilities of " +
				where + ": six orders meet in five clusterings.",
		},
	}
}

const flowWords = "F = exp(−Ê): flow of a state and of the edge into it. P: probability of the decision. in, out: " +
	"the state's F, and the sum of F over its children. Gap: (out − in)/in, where it is large out/in, written ×; " +
	"flows match where it is 0."

// gapText writes a relative gap as a percentage, or as a ratio where it is large.
func gapText(n flowState) string {
	if g := n.gap(); math.Abs(g) < 9.995 {
		return "gap " + strings.Replace(fmt.Sprintf("%+.0f %%", 100*g), "-", "−", 1)
	}
	return fmt.Sprintf("gap ×%.0f", n.out/n.in)
}

// pText writes a probability with two digits, but never a false 0 or 1.
func pText(p float64) string {
	switch {
	case p < 0.005:
		return "P < 0.01"
	case p > 0.995:
		return "P > 0.99"
	}
	return fmt.Sprintf("P = %.2f", p)
}

// partitionNames are the names of the partitions of three points, in the order of partitionsOfThree.
func partitionNames() (names [5]string) {
	for i, c := range partitionsOfThree {
		names[i] = partitionName([]int32{0, int32(c[0]), int32(c[1])})
	}
	return names
}

// draw draws a state at a place.
func (n flowState) draw(name string, column int, row float64) plot.DAGState {
	return plot.DAGState{Column: column, Row: row, Labels: n.labels, Name: name, In: n.in, Out: n.out}
}

// orderTree is the tree of one order: every state and decision with its flow.
func orderTree(x []float32, f orderFlows, where string) *plot.DAG {
	d := &plot.DAG{
		Title: "Three points in the order " + f.String() + ": all decisions and their flows",
		Subtitle: "Model " + where + ". Blue: the first cluster, orange: the second, green: the third; grey: not " +
			"assigned yet. The thicker an edge, the more probable the way along it.",
		Notes:  []string{flowWords},
		Points: x,
	}
	for i, n := range f.states() {
		row := [8]float64{1.75, 0.5, 3, 0, 1, 2, 3, 4}[i]
		s := n.draw(f.String()+": "+n.name, min(i, 1), row)
		s.Text = []string{fmt.Sprintf("in %.3f", n.in), fmt.Sprintf("out %.3f", n.out), gapText(n)}
		if i >= 3 {
			s = n.draw(n.name, 2, row)
			s.Text, s.Out = []string{fmt.Sprintf("p = %.3f", n.way)}, math.NaN()
		}
		s.Title = n.name
		d.States = append(d.States, s)
		if i > 0 {
			text := []string{fmt.Sprintf("F = %.3f", n.in), fmt.Sprintf("P = %.3f", n.p)}
			d.Edges = append(d.Edges,
				plot.DAGEdge{From: n.parent, To: i, Flow: n.in, P: n.p, Weight: n.way, Text: text})
		}
	}
	return d
}

// orderGraph is the graph of all orders: they part at the first step and meet in the final clusterings.
func orderGraph(x []float32, flows []orderFlows, where string) *plot.DAG {
	d := &plot.DAG{
		Title: "Six orders of three points meet in five clusterings",
		Subtitle: "Model " + where + ". The first step draws an order, each with probability 1/6; then points 2 and " +
			"3 of that order are assigned. An edge's thickness is the probability of the way along it, " +
			"given the order.",
		Notes: []string{
			flowWords,
			"A clustering's F does not depend on the order, its p does as long as flows do not match. " +
				"Two orders that end with the same point have equal numbers.",
		},
		Points: x,
		States: []plot.DAGState{{
			Column: 0, Row: 5.5, Name: "start", Text: []string{"draw an", "order"},
			In: math.NaN(), Out: float64(len(flows)),
		}},
	}
	first := len(d.States) + 3*len(flows) // the first final clustering
	for i, f := range flows {
		at := len(d.States)
		for k, n := range f.states() {
			edge := plot.DAGEdge{From: at + n.parent, To: at + k, Flow: n.in, P: n.p, Weight: n.way}
			switch {
			case k == 0:
				share := 1 / float64(len(flows))
				edge.From, edge.P, edge.Weight = 0, share, share
			case k < 3:
				edge.Text = []string{pText(n.p)}
			default:
				edge.To = first + f.terminal(k-3)
			}
			d.Edges = append(d.Edges, edge)
			if k < 3 {
				s := n.draw(f.String()+": "+n.name, 1+min(k, 1), 2*float64(i)+[]float64{0.5, 0, 1}[k])
				s.Text = []string{gapText(n)}
				if k == 0 {
					s.Title = f.String()
				}
				d.States = append(d.States, s)
			}
		}
	}
	for i := range partitionsOfThree {
		d.States = append(d.States, finalState(flows, i))
	}
	return d
}

// finalState is a clustering with its probability in each pair of orders that end with the same point.
func finalState(flows []orderFlows, i int) plot.DAGState {
	n := flows[0].states()[3+i] // in the set's own order
	s := n.draw(n.name, 3, 0.6+2.4*float64(i))
	s.Title, s.Out = n.name, math.NaN()
	s.Text = []string{fmt.Sprintf("F = %.3f", s.In)}
	for at := 0; at < len(flows); at += 2 {
		s.Text = append(s.Text, fmt.Sprintf("p = %.3f if %d is last", flows[at].law()[i], flows[at].order[2]+1))
	}
	return s
}
