package experiments

import (
	"context"
	"errors"
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

// figure2 draws the paper's decision graph with the flows that a trained network gives it.
var figure2 = Experiment{
	ID: "figure2", Title: figure2Title, Section: "2.3",
	Shows:  "how data orders meet in one clustering, and whether flows match on the way",
	Built:  "the tree of one order and the graph of all six with the flows of a trained GFNCP; the five clusterings' probabilities under each order, and how much they differ on held-out sets, beside NCP",
	Expect: "every scale: from shipped weights seconds",
	run:    runFigure2,
	configs: func(s Scale) (all []NamedConfig) {
		for _, m := range figure2Methods {
			all = append(all, NamedConfig{m.Name, s.config(mogData, m, 0)})
		}
		return all
	},
}

const figure2Title = "The decision graph of three points"

// figure2Methods are GFNCP, whose flows are drawn, and NCP, which is compared with it.
var figure2Methods = []method{warmGFNCP, ncp}

// threePoints are those that are drawn: two near each other and one farther off, so that no clustering is out of the question. A
// cluster's standard deviation is 1.
var threePoints = []float32{0, 0, 2.5, 0, 6, 3}

// threeSets is the number of held-out sets of three points.
func (s Scale) threeSets() int { return map[Scale]int{Smoke: 8, Small: 200, Paper: 2000}[s] }

func runFigure2(ctx context.Context, lab *Lab) (*Product, error) {
	p := &Product{Table: &table.Table{
		ID: "figure2", Title: figure2Title, Provenance: lab.Provenance, Footnotes: figure2Notes(lab),
		Caption: "flows into and out of the inner states, and the probabilities of the five clusterings, in all six orders",
	}}
	var failed error
	for _, m := range figure2Methods {
		err := lab.addThreePoints(ctx, p, m)
		if errors.Is(err, train.ErrInterrupted) {
			return nil, err
		}
		if err != nil && !errors.Is(err, errNotTrained) && !errors.Is(err, errLeftOut) {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", m.Name, err))
		}
	}
	return p, failed
}

// addThreePoints adds a method's cells, and GFNCP's pictures. The error says why the cells are empty.
func (l *Lab) addThreePoints(ctx context.Context, p *Product, m method) error {
	net, from, err := l.mixtureNetwork(ctx, m)
	if m == warmGFNCP {
		x := append([]float32{}, threePoints...)
		data.MedianCenter(x, 3, 2)
		var flows []orderFlows
		if err == nil {
			flows, err = flowsOf(net, x)
		}
		if err == nil {
			p.Figures = flowFigures(x, flows, from.name)
		}
		p.Table.Cells = append(p.Table.Cells, flowCells(l, flows, from, err)...)
	}
	sets := l.Scale.threeSets()
	var spread float64
	if err == nil {
		l.say("figure 2: %d sets of three points under %s", sets, m.Name)
		spread, err = kept(from.dir, []any{"three-points", sets}, func() (float64, error) { return meanOrderSpread(ctx, net, sets) })
	}
	cell := table.Cell{Data: fmt.Sprintf("%d held-out sets", sets), Model: m.Name, Metric: "TV of orders"}
	fillSingle(&cell, l, spread, sets, from, err)
	p.Table.Cells = append(p.Table.Cells, cell)
	return err
}

// mixtureNetwork returns a method's network for mixtures.
func (l *Lab) mixtureNetwork(ctx context.Context, m method) (*models.Network, origin, error) {
	if !l.wants(mogData, m) {
		return nil, origin{}, errLeftOut
	}
	weights, from, err := l.weights(ctx, mogData, m, 0)
	if err != nil {
		return nil, from, err
	}
	net, err := weights.Network(l.Backend)
	return net, from, err
}

// fillSingle puts one model's number into a cell, or the reason why there is none. What is said of one set has no test sets.
func fillSingle(cell *table.Cell, lab *Lab, value float64, sets int, from origin, err error) {
	if err != nil {
		fill(cell, lab, cellResult{err: err})
		return
	}
	cell.Ours = &table.Value{Mean: value, N: 1}
	cell.Scale = from.name
	if sets > 1 {
		cell.Backend, cell.TestSets, cell.Seeds = lab.BackendName, sets, []uint64{1}
	}
}

// flowCells are the flows and probabilities in every order; with an error, the same cells without values.
func flowCells(lab *Lab, flows []orderFlows, from origin, err error) (cells []table.Cell) {
	if flows == nil {
		for _, order := range ordersOfThree { // for the names alone
			flows = append(flows, orderFlows{order: order})
		}
	}
	for _, f := range flows {
		add := func(model, metric string, value float64) {
			c := table.Cell{Data: f.String(), Model: model, Metric: metric}
			fillSingle(&c, lab, value, 1, from, err)
			cells = append(cells, c)
		}
		for _, n := range f.inner() {
			add(n.name, "flow in", n.in)
			add(n.name, "flow out", n.out)
			add(n.name, "gap", n.gap())
		}
		var total float64
		for i, p := range f.law() {
			add(partitionNames()[i], "p", p)
			total += p
		}
		add("all five", "p", total)
	}
	return cells
}

// meanOrderSpread is the mean of orderSpread over held-out sets of three points.
func meanOrderSpread(ctx context.Context, net *models.Network, sets int) (float64, error) {
	source, err := data.NewMoG(exactData(3))
	if err != nil {
		return 0, err
	}
	var total float64
	for done, step := 0, 0; done < sets; step++ {
		if ctx.Err() != nil {
			return 0, train.ErrInterrupted
		}
		batch, err := source.Batch(testSeed, step)
		if err != nil {
			return 0, err
		}
		for b := 0; b < batch.B && done < sets; b, done = b+1, done+1 {
			x, _ := batch.Set(b)
			flows, err := flowsOf(net, x)
			if err != nil {
				return 0, fmt.Errorf("set %d: %w", done, err)
			}
			total += orderSpread(flows)
		}
	}
	return total / float64(sets), nil
}

func figure2Notes(lab *Lab) []string {
	return append([]string{
		"Points: (0, 0), (2.5, 0) and (6, 3), their median subtracted; a cluster's standard deviation is 1. A state is named by its clusters, with points numbered from 1.",
		"Flow in is F = exp(−Ê) of the state (paper, section 3), flow out the sum of F over its children, gap (out − in)/in. Where all gaps are 0, flows match, and the probabilities are the same in every order.",
		"Ê takes the lower of the two energies of the second decision as 0, so the flow out of the first state is 1 plus the flow of the other decision: it equals the 1 that flows in only where that decision is impossible.",
		"Two orders that end with the same point have equal probabilities: the network sees the points before as a set.",
		fmt.Sprintf("TV of orders: total variation between the probabilities in two orders, mean over all pairs of orders and %d held-out sets of three points (α log-uniform in 0.7..7, K ≥ 2). The shipped networks were trained on sets of 10 to 150 points; three are outside of that.", lab.Scale.threeSets()),
	}, lab.changes()...)
}
