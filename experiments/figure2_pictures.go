package experiments

import (
	"fmt"
	"math"
	"strings"

	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/report/table"
)

// flowFigures is the graph of all orders.
func flowFigures(flows []orderFlows, where string) []table.Figure {
	return []table.Figure{{
		Name: "orders", Picture: orderGraph(flows, where),
		Caption: "The decision graph of three points (paper, figure 2) with the probabilities of " +
			where + ": six orders meet in five clusterings.",
	}}
}

const flowWords = "F = exp(−Ê): flow into a state. P: probability of the decision that leads to it. in, out: " +
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

func partitionNames() (names [5]string) {
	for i, c := range partitionsOfThree {
		names[i] = partitionName([]int32{0, int32(c[0]), int32(c[1])})
	}
	return names
}

// inPicture returns the state at a place of the picture, with the given name and lines.
func (n flowState) inPicture(name string, column int, row float64, lines ...string) figure.State {
	return figure.State{Column: column, Row: row, Name: name, Lines: lines, In: n.in, Out: n.out}
}

// orderGraph is the graph of all orders: they part at the first step and meet in the final clusterings.
func orderGraph(flows []orderFlows, where string) *figure.Graph {
	d := &figure.Graph{
		Title: "Six orders of three points meet in five clusterings",
		Notes: []string{
			"Model " + where + ". The first step draws an order, each with probability 1/6; then points 2 and 3 of " +
				"that order are assigned. An edge's thickness is the probability of the way along it, given the order.",
			flowWords,
			"A clustering's F does not depend on the order, its p does as long as flows do not match. " +
				"Two orders that end with the same point have equal numbers.",
		},
		States: []figure.State{{
			Column: 0, Row: 5.5, Name: "start", Lines: []string{"draw an", "order"},
			In: math.NaN(), Out: float64(len(flows)),
		}},
	}
	first := len(d.States) + 3*len(flows) // the first final clustering
	for i, f := range flows {
		at := len(d.States)
		for k, n := range f.states() {
			edge := figure.Edge{From: at + n.parent, To: at + k, Flow: n.in, P: n.p, Weight: n.way}
			switch {
			case k == 0:
				share := 1 / float64(len(flows))
				edge.From, edge.P, edge.Weight = 0, share, share
			case k >= 3:
				edge.To = first + f.terminal(k-3)
			}
			d.Edges = append(d.Edges, edge)
			if k < 3 {
				lines := []string{f.String(), gapText(n)}
				if k > 0 {
					lines = []string{n.name, pText(n.p), gapText(n)}
				}
				row := 2*float64(i) + []float64{0.5, 0, 1}[k]
				d.States = append(d.States, n.inPicture(f.String()+": "+n.name, 1+min(k, 1), row, lines...))
			}
		}
	}
	for i := range partitionsOfThree {
		d.States = append(d.States, finalState(flows, i))
	}
	return d
}

// finalState is a clustering with its probability in each pair of orders that end with the same point.
func finalState(flows []orderFlows, i int) figure.State {
	n := flows[0].states()[3+i] // in the set's own order
	s := n.inPicture(n.name, 3, 0.6+2.4*float64(i), n.name, fmt.Sprintf("F = %.3f", n.in))
	s.Out = math.NaN()
	for at := 0; at < len(flows); at += 2 {
		s.Lines = append(s.Lines, fmt.Sprintf("p = %.3f if %d is last", flows[at].law()[i], flows[at].order[2]+1))
	}
	return s
}
