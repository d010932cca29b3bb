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
		Name: "orders", Picture: orderGraph(flows),
		Caption: "The decision graph of three points (paper, figure 2) with the probabilities of " + where + ": six " +
			"orders, each drawn with probability 1/6, meet in five clusterings. P: probability of the decision that " +
			"leads to a state, F: its flow. Gap: (out − in)/in, where it is large out/in, written ×; flows match " +
			"where it is 0. An edge's thickness is the probability of the way along it, given the order.",
	}}
}

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

// orderGraph is the graph of all orders: they part at the first step and meet in the final clusterings. Its records
// have one row an edge.
func orderGraph(flows []orderFlows) *figure.Chart {
	records := &figure.Records{Columns: []string{"from", "to", "flow", "p", "weight"}}
	words := figure.Series{Mark: figure.Words}
	var edges []figure.Series
	addState := func(x, y float64, lines ...string) {
		words.X, words.Y = append(words.X, x), append(words.Y, y)
		words.Words = append(words.Words, strings.Join(lines, "\n"))
	}
	addEdge := func(from, to string, x, y, toX, toY float64, n flowState) {
		records.Rows = append(records.Rows, []any{from, to, n.in, n.p, n.way})
		edges = append(edges, figure.Series{
			X: []float64{x, toX}, Y: []float64{y, toY}, Color: 6, Width: 0.5 + 2.5*n.way, Pale: n.way < 0.25,
		})
	}
	addState(0, -5.5, "draw an", "order")
	finalY := func(i int) float64 { return -0.6 - 2.4*float64(i) }
	const gap, wide = 0.17, 0.33 // between the middle of a state and its edges
	for i, f := range flows {
		states := f.states()
		y := []float64{-2*float64(i) - 0.5, -2 * float64(i), -2*float64(i) - 1}
		name := func(n flowState) string { return f.String() + ": " + n.name }
		first := states[0]
		first.p, first.way = 1/float64(len(flows)), 1/float64(len(flows))
		addState(1, y[0], f.String(), gapText(first))
		addEdge("start", name(first), gap, -5.5, 1-gap, y[0], first)
		for k, n := range states[1:3] {
			addState(2, y[1+k], n.name, pText(n.p), gapText(n))
			addEdge(name(first), name(n), 1+gap, y[0], 2-gap, y[1+k], n)
		}
		for k, n := range states[3:] {
			addEdge(name(states[n.parent]), flows[0].states()[3+f.terminal(k)].name,
				2+gap, y[n.parent], 3-wide, finalY(f.terminal(k)), n)
		}
	}
	for i := range partitionsOfThree {
		n := flows[0].states()[3+i] // in the set's own order
		lines := []string{n.name, fmt.Sprintf("F = %.3f", n.in)}
		for at := 0; at < len(flows); at += 2 { // two orders that end with the same point have equal numbers
			lines = append(lines, fmt.Sprintf("p = %.3f if %d is last", flows[at].law()[i], flows[at].order[2]+1))
		}
		addState(3, finalY(i), lines...)
	}
	return &figure.Chart{
		Title: "Six orders of three points meet in five clusterings", Height: 9.5, Data: records,
		Panels: []figure.Panel{{
			Series: append(edges, words), Bounds: &figure.Bounds{Left: -0.3, Right: 3.35, Bottom: -11.5, Top: 0.5},
		}},
	}
}
