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
			Caption: "All decisions on three points that are met in the order 1, 2, 3, with the flows of " + where + ".",
		},
		{
			Name: "orders", Picture: orderGraph(x, flows, where),
			Caption: "The decision graph of three points (paper, figure 2) with the probabilities of " + where + ": six orders meet in five clusterings.",
		},
	}
}

const flowWords = "F = exp(−Ê): flow of a state and of the edge into it. P: probability of the decision. in, out: the state's F, and the sum of F over its children. Gap: (out − in)/in, where it is large out/in, written ×; flows match where it is 0."

// gapText writes a relative gap as a percentage, or as a ratio where it is large.
func gapText(n flowNode) string {
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

// stateOf draws an inner state, 0 to 2 as in orderFlows.inner.
func (f orderFlows) stateOf(inner int) plot.DAGState {
	n := f.inner()[inner]
	met := [][]int{{0}, {0, 0}, {0, 1}}[inner]
	return plot.DAGState{Labels: f.labels(met...), Name: f.String() + ": " + n.name, In: n.in, Out: n.out}
}

// partitionNames are the names of the partitions of three points, in the order of partitionsOfThree.
func partitionNames() (names [5]string) {
	for i, c := range partitionsOfThree {
		names[i] = partitionName([]int32{0, int32(c[0]), int32(c[1])})
	}
	return names
}

// orderTree is the tree of one order: every state and decision with its flow.
func orderTree(x []float32, f orderFlows, where string) *plot.DAG {
	d := &plot.DAG{
		Title: "Three points in the order " + f.String() + ": all decisions and their flows",
		Subtitle: "Model " + where + ". Blue: the first cluster, orange: the second, green: the third; grey: not assigned yet. " +
			"The thicker an edge, the more probable the way along it.",
		Notes:  []string{flowWords},
		Points: x,
	}
	for i, row := range []float64{1.75, 0.5, 3} {
		s := f.stateOf(i)
		n := f.inner()[i]
		s.Column, s.Row, s.Title = min(i, 1), row, n.name
		s.Text = []string{fmt.Sprintf("in %.3f", n.in), fmt.Sprintf("out %.3f", n.out), gapText(n)}
		d.States = append(d.States, s)
	}
	for c2 := range 2 {
		p := f.secondP(c2)
		d.Edges = append(d.Edges, plot.DAGEdge{From: 0, To: 1 + c2, Flow: f.secondFlow(c2), P: p, Weight: p, Text: edgeText(f.secondFlow(c2), p)})
	}
	law := f.policy()
	for i, c := range partitionsOfThree {
		d.States = append(d.States, plot.DAGState{
			Column: 2, Row: float64(i), Labels: f.labels(0, c[0], c[1]), Name: f.name(0, c[0], c[1]), Title: f.name(0, c[0], c[1]),
			Text: []string{fmt.Sprintf("p = %.3f", law[i])}, In: f.thirdFlow(i), Out: math.NaN(),
		})
		d.Edges = append(d.Edges, plot.DAGEdge{
			From: 1 + c[0], To: 3 + i, Flow: f.thirdFlow(i), P: f.thirdP(i), Weight: law[i], Text: edgeText(f.thirdFlow(i), f.thirdP(i)),
		})
	}
	return d
}

func edgeText(flow, p float64) []string {
	return []string{fmt.Sprintf("F = %.3f", flow), fmt.Sprintf("P = %.3f", p)}
}

// orderGraph is the graph of all orders: they part at the first step and meet in the final clusterings.
func orderGraph(x []float32, flows []orderFlows, where string) *plot.DAG {
	d := &plot.DAG{
		Title: "Six orders of three points meet in five clusterings",
		Subtitle: "Model " + where + ". The first step draws an order, each with probability 1/6; then points 2 and 3 of that order are assigned. " +
			"An edge's thickness is the probability of the way along it, given the order.",
		Notes: []string{
			flowWords,
			"A clustering's F does not depend on the order, its p does as long as flows do not match. Two orders that end with the same point have equal numbers.",
		},
		Points: x,
		States: []plot.DAGState{{Column: 0, Row: 5.5, Name: "start", Text: []string{"draw an", "order"}, In: math.NaN(), Out: float64(len(flows))}},
	}
	first := len(d.States) + 3*len(flows) // the first final clustering
	for i, f := range flows {
		at := len(d.States)
		for inner, row := range []float64{0.5, 0, 1} {
			s := f.stateOf(inner)
			s.Column, s.Row, s.Text = 1+min(inner, 1), 2*float64(i)+row, []string{gapText(f.inner()[inner])}
			if inner == 0 {
				s.Title = f.String()
			}
			d.States = append(d.States, s)
		}
		share := 1 / float64(len(flows))
		d.Edges = append(d.Edges, plot.DAGEdge{From: 0, To: at, Flow: 1, P: share, Weight: share})
		for c2 := range 2 {
			p := f.secondP(c2)
			d.Edges = append(d.Edges, plot.DAGEdge{
				From: at, To: at + 1 + c2, Flow: f.secondFlow(c2), P: p, Weight: p, Text: []string{pText(p)},
			})
		}
		law := f.policy()
		for k, c := range partitionsOfThree {
			d.Edges = append(d.Edges, plot.DAGEdge{From: at + 1 + c[0], To: first + f.terminal(k), Flow: f.thirdFlow(k), P: f.thirdP(k), Weight: law[k]})
		}
	}
	for i, name := range partitionNames() {
		d.States = append(d.States, finalState(flows, i, name))
	}
	return d
}

// finalState is a clustering with its probability in each pair of orders that end with the same point.
func finalState(flows []orderFlows, i int, name string) plot.DAGState {
	c := partitionsOfThree[i]
	s := plot.DAGState{Column: 3, Row: 0.6 + 2.4*float64(i), Labels: []int32{0, int32(c[0]), int32(c[1])}, Name: name, Title: name, Out: math.NaN()}
	for k := range partitionsOfThree {
		if flows[0].terminal(k) == i {
			s.In = flows[0].thirdFlow(k)
		}
	}
	s.Text = []string{fmt.Sprintf("F = %.3f", s.In)}
	for at := 0; at < len(flows); at += 2 {
		s.Text = append(s.Text, fmt.Sprintf("p = %.3f if %d is last", flows[at].law()[i], flows[at].order[2]+1))
	}
	return s
}
