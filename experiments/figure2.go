package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
)

var figure2 = Experiment{
	ID: "figure2", Title: "The decision graph of three points", Section: "2.3",
	Shows: "how data orders meet in one clustering, and whether flows match on the way",
	Built: "the graph of all six orders with the flows of a trained GFNCP; the five clusterings' " +
		"probabilities under each order, and how much they differ on held-out sets, beside NCP",
	Expect:  "every scale: from shipped weights seconds",
	caption: "flows into and out of the inner states, and the probabilities of the five clusterings, in all six orders",
	grid:    grid{sets: on(mogData), methods: []method{warmGFNCP, ncp}},
	run:     runFigure2,
}

// threePoints are two near each other and one farther off, for clusters of standard deviation 1.
var threePoints = []float32{0, 0, 2.5, 0, 6, 3}

func (s Scale) threeSets() int { return at(s, 8, 200, 2000) }

func runFigure2(s *sheet) error {
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
	sets := s.Scale.threeSets()
	for _, m := range s.grid.methods {
		var flows []orderFlows // of threePoints
		spread := measureWeights(s, mogData, m, func(w weights) (evaluation.Scores, error) {
			net, err := w.Network(s.Backend)
			if err != nil {
				return nil, err
			}
			x := slices.Clone(threePoints)
			data.MedianCenter(x, 3, 2)
			if flows, err = flowsOf(net, x); err != nil {
				return nil, err
			}
			s.say("figure 2: %d sets of three points under %s", sets, m.Name)
			mean, err := cached.Value(w.dir, []any{"three-points", sets}, func() (float64, error) {
				return meanOrderSpread(s.ctx, net, sets)
			})
			return evaluation.Scores{"TV of orders": mean}, err
		})
		if m == warmGFNCP {
			addFlows(s, measurement[[]orderFlows]{value: flows, by: spread.by, err: spread.err})
		}
		spread.sets = sets
		s.add(table.Cell{Data: fmt.Sprintf("%d held-out sets", sets), Model: m.Name}, spread, "TV of orders")
	}
	return nil
}

// addFlows adds the flows and probabilities in every order, and their picture; with an error, cells without values.
func addFlows(s *sheet, r measurement[[]orderFlows]) {
	if r.err == nil {
		s.Figures = flowFigures(r.value, r.by.name)
	} else {
		for _, order := range ordersOfThree { // only for the names
			r.value = append(r.value, orderFlows{order: order})
		}
	}
	for _, f := range r.value {
		add := func(model string, scores evaluation.Scores, names ...string) {
			cell := table.Cell{Data: f.String(), Model: model}
			s.add(cell, scored(r, func([]orderFlows) evaluation.Scores { return scores }), names...)
		}
		for _, n := range f.inner() {
			scores := evaluation.Scores{"flow in": n.in, "flow out": n.out, "gap": n.gap()}
			add(n.name, scores, "flow in", "flow out", "gap")
		}
		var total float64
		for i, p := range f.law() {
			add(partitionNames()[i], evaluation.Scores{"p": p}, "p")
			total += p
		}
		add("all five", evaluation.Scores{"p": total}, "p")
	}
}

func meanOrderSpread(ctx context.Context, net *models.Network, sets int) (float64, error) {
	source, err := data.NewMoG(exactData(3))
	if err != nil {
		return 0, err
	}
	var total float64
	err = (&evaluation.Reader{Source: source}).Each(ctx, testSeed, sets, func(set evaluation.Set) error {
		flows, err := flowsOf(net, set.X)
		total += orderSpread(flows)
		return err
	})
	return total / float64(sets), err
}

// partitionsOfThree are the labels of points 2 and 3: c2 ∈ {0, 1}, then c3. Laws of three points have this order, and
// posterior.Partitions has it, too.
var partitionsOfThree = [5][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}}

// logSumExpNeg is log Σ exp(−E) of some energies.
func logSumExpNeg(energies ...float64) float64 {
	return floats.LogSumExp(floats.ScaleTo(make([]float64, len(energies)), -1, energies))
}

// ordersOfThree are the orders in which three points can be met; two that end with the same point stand together.
var ordersOfThree = [6][3]int{{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}}

// orderFlows are the energies of all decisions on three points that are met in an order.
type orderFlows struct {
	order    [3]int     // the points as they are met
	energies [7]float64 // two of point 2, then all of point 3, in the order of partitionsOfThree
}

// flowState is a partition of the points met so far; in and out are equal where flows match (eq:flow_match_for_us).
type flowState struct {
	name    string // its clusters of the set's own points
	parent  int    // among the states
	in, out float64
	p       float64 // P_F of the decision into it (paper, eq:forward_clustering)
	way     float64 // probability of all decisions up to it
}

func (n flowState) gap() float64 { return (n.out - n.in) / n.in }

// states returns the state after the first point, the two after the second (joined, apart), and the final clusterings
// in the order of partitionsOfThree. F is exp(−Ê): for point 2, Ê subtracts the lower of the two energies (paper,
// eq:FFE); for point 3, Ê is the energy itself.
func (f orderFlows) states() []flowState {
	e := f.energies
	second := logSumExpNeg(e[:2]...)
	third := [2]float64{logSumExpNeg(e[2:4]...), logSumExpNeg(e[4:]...)}
	states := make([]flowState, 8)
	states[0] = f.state(0)
	states[0].in = 1
	for c2 := range 2 {
		n := f.state(0, c2)
		n.in, n.p = math.Exp(math.Min(e[0], e[1])-e[c2]), math.Exp(-e[c2]-second)
		n.way = n.p
		states[1+c2] = n
	}
	for i, c := range partitionsOfThree {
		n := f.state(0, c[0], c[1])
		n.parent, n.in, n.p = 1+c[0], math.Exp(-e[2+i]), math.Exp(-e[2+i]-third[c[0]])
		n.way = math.Exp(-e[c[0]] - second - e[2+i] - third[c[0]])
		states[3+i] = n
	}
	for _, n := range states[1:] {
		states[n.parent].out += n.in
	}
	return states
}

// inner are the states before the last decision.
func (f orderFlows) inner() []flowState { return f.states()[:3] }

// state names the state in which the points met have the given labels.
func (f orderFlows) state(met ...int) flowState {
	return flowState{name: partitionName(f.labels(met...))}
}

// labels returns the labels of the set's points, given the labels of the points met in this order; -1 is not met yet.
func (f orderFlows) labels(met ...int) []int32 {
	labels := []int32{-1, -1, -1}
	for step, k := range met {
		labels[f.order[step]] = int32(k)
	}
	return labels
}

// terminal returns the index in partitionsOfThree of the clustering of the set's points that the decisions i lead to.
func (f orderFlows) terminal(i int) int {
	c := partitionsOfThree[i]
	return posterior.PartitionIndex(posterior.Partitions(3), f.labels(0, c[0], c[1]))
}

// law is the probability of each partition of the set's own points, in the order of partitionsOfThree.
func (f orderFlows) law() (law [5]float64) {
	for i, final := range f.states()[3:] {
		law[f.terminal(i)] = final.way
	}
	return law
}

// String names the order, counting points from 1.
func (f orderFlows) String() string {
	return fmt.Sprintf("%d → %d → %d", f.order[0]+1, f.order[1]+1, f.order[2]+1)
}

// partitionName lists the clusters of labelled points, counting points from 1; points with label -1 are left out.
func partitionName(labels []int32) string {
	var clusters []string
	for _, points := range partition.New(labels).Clusters() {
		if labels[points[0]] >= 0 {
			var names []string
			for _, point := range points {
				names = append(names, strconv.Itoa(int(point)+1))
			}
			clusters = append(clusters, strings.Join(names, ","))
		}
	}
	return "{" + strings.Join(clusters, "}{") + "}"
}

// flowsOf evaluates a network on all decisions of three points x [3,D], in every order.
func flowsOf(net *models.Network, x []float32) ([]orderFlows, error) {
	d := len(x) / 3
	var all []float32
	var labels []int32
	for _, order := range ordersOfThree {
		for _, c2 := range []int32{0, 1} { // the third point's candidates depend on the second's label
			for _, point := range order {
				all = append(all, x[point*d:(point+1)*d]...)
			}
			labels = append(labels, 0, c2, 0)
		}
	}
	tables, err := net.Tables(all, labels, 2*len(ordersOfThree), 3)
	if err != nil {
		return nil, err
	}
	flows := make([]orderFlows, len(ordersOfThree))
	for i, order := range ordersOfThree {
		joined, apart := tables[2*i], tables[2*i+1]
		flows[i].order = order
		copy(flows[i].energies[:], slices.Concat(joined[1], joined[2], apart[2]))
	}
	return flows, nil
}

// orderSpread is the mean total variation between the laws of two orders, over all pairs of orders.
func orderSpread(flows []orderFlows) float64 {
	var total float64
	pairs := 0
	for i, a := range flows {
		for _, b := range flows[:i] {
			p, q := a.law(), b.law()
			for k := range p {
				total += math.Abs(p[k]-q[k]) / 2
			}
			pairs++
		}
	}
	return total / float64(pairs)
}
