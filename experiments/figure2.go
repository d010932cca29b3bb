package experiments

import (
	"context"
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/models"
)

// figure2 draws the paper's decision graph with the flows that a trained network gives it.
var figure2 = Experiment{
	ID: "figure2", Title: "The decision graph of three points", Section: "2.3",
	Shows: "how data orders meet in one clustering, and whether flows match on the way",
	Built: "the tree of one order and the graph of all six with the flows of a trained GFNCP; the five clusterings' " +
		"probabilities under each order, and how much they differ on held-out sets, beside NCP",
	Expect:  "every scale: from shipped weights seconds",
	caption: "flows into and out of the inner states, and the probabilities of the five clusterings, in all six orders",
	configs: figure2Grid.configs,
	run:     runFigure2,
}

// figure2Grid has GFNCP, whose flows are drawn, and NCP, which is compared with it.
var figure2Grid = grid{sets: on(mogData), methods: []method{warmGFNCP, ncp}}

// threePoints are those that are drawn: two near each other and one farther off, so that no clustering is out of the question. A
// cluster's standard deviation is 1.
var threePoints = []float32{0, 0, 2.5, 0, 6, 3}

// threeSets is the number of held-out sets of three points.
func (s Scale) threeSets() int { return at(s, 8, 200, 2000) }

func runFigure2(s *sheet) error {
	figure2Notes(s)
	sets := s.Scale.threeSets()
	for _, m := range figure2Grid.methods {
		var flows []orderFlows // of threePoints
		spread := attempt(s, mogData, m, func(f *found[float64]) error {
			w, err := s.weights(s.ctx, mogData, m)
			if err != nil {
				return err
			}
			net, err := w.Network(s.Backend)
			if err != nil {
				return err
			}
			if flows, err = flowsOf(net, drawnPoints()); err != nil {
				return err
			}
			s.say("figure 2: %d sets of three points under %s", sets, m.Name)
			f.model = w.name
			f.value, err = kept(w.dir, []any{"three-points", sets}, func() (float64, error) {
				return meanOrderSpread(s.ctx, net, sets)
			})
			return err
		})
		if m == warmGFNCP {
			addFlows(s, found[[]orderFlows]{flows, spread.model, spread.err})
		}
		s.one(table.Cell{Data: fmt.Sprintf("%d held-out sets", sets), Model: m.Name, Metric: "TV of orders"}, spread, sets)
	}
	return nil
}

// drawnPoints are threePoints as networks see them.
func drawnPoints() []float32 {
	x := append([]float32{}, threePoints...)
	data.MedianCenter(x, 3, 2)
	return x
}

// addFlows adds the flows and probabilities in every order, and their pictures; with an error, the same cells without values.
func addFlows(s *sheet, r found[[]orderFlows]) {
	if r.err == nil {
		s.Figures = flowFigures(drawnPoints(), r.value, r.model)
	} else {
		for _, order := range ordersOfThree { // for the names alone
			r.value = append(r.value, orderFlows{order: order})
		}
	}
	for _, f := range r.value {
		add := func(model, metric string, value float64) {
			s.one(table.Cell{Data: f.String(), Model: model, Metric: metric}, found[float64]{value, r.model, r.err}, 1)
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
}

// meanOrderSpread is the mean of orderSpread over held-out sets of three points.
func meanOrderSpread(ctx context.Context, net *models.Network, sets int) (float64, error) {
	source, err := data.NewMoG(exactData(3))
	if err != nil {
		return 0, err
	}
	var total float64
	for set, err := range evaluation.Sets(ctx, source, testSeed, sets) {
		if err != nil {
			return 0, err
		}
		flows, err := flowsOf(net, set.X)
		if err != nil {
			return 0, fmt.Errorf("set %d: %w", set.Number, err)
		}
		total += orderSpread(flows)
	}
	return total / float64(sets), nil
}

func figure2Notes(s *sheet) {
	s.note(`Points: (0, 0), (2.5, 0) and (6, 3), their median subtracted; a cluster's standard deviation is 1. A state is named by
		its clusters, with points numbered from 1.

		Flow in is F = exp(−Ê) of the state (paper, section 3), flow out the sum of F over its children, gap (out − in)/in.
		Where all gaps are 0, flows match, and the probabilities are the same in every order.

		Ê takes the lower of the two energies of the second decision as 0, so the flow out of the first state is 1 plus the flow
		of the other decision: it equals the 1 that flows in only where that decision is impossible.

		Two orders that end with the same point have equal probabilities: the network sees the points before as a set.

		TV of orders: total variation between the probabilities in two orders, mean over all pairs of orders and %d held-out
		sets of three points (α log-uniform in 0.7..7, K ≥ 2). The shipped networks were trained on sets of 10 to 150 points;
		three are outside of that.`, s.Scale.threeSets())
}
