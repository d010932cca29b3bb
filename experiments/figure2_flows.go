package experiments

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
)

// ordersOfThree are the orders in which three points can be met; two that end with the same point stand together.
var ordersOfThree = [6][3]int{{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}}

// secondFlow is F = exp(−Ê) of the state after point 2; Ê subtracts the lower of the two energies (paper, eq:FFE).
func (e tabular) secondFlow(c2 int) float64 { return math.Exp(math.Min(e[0], e[1]) - e.second(c2)) }

// thirdFlow is F of a final clustering: the last energy is taken as it is.
func (e tabular) thirdFlow(i int) float64 { return math.Exp(-e.third(i)) }

// secondP and thirdP are the probabilities P_F of the two decisions (paper, eq:forward_clustering).
func (e tabular) secondP(c2 int) float64 {
	return math.Exp(-e.second(c2) - logSumExpNeg(e[0], e[1]))
}

func (e tabular) thirdP(i int) float64 {
	_, third := e.decisions()
	return math.Exp(-e.third(i) - third[partitionsOfThree[i][0]])
}

// orderFlows are the energies of all decisions on three points that are met in an order.
type orderFlows struct {
	order [3]int // the points as they are met
	tabular
}

// flowNode is an inner state: the flow into it, and the sum of the flows of its children. Both are equal where flows match
// (paper, eq:flow_match_for_us).
type flowNode struct {
	name    string
	in, out float64
}

// gap is the relative mismatch of a state's flows.
func (n flowNode) gap() float64 { return (n.out - n.in) / n.in }

// inner are the states after the first point, and after the second, joined and apart.
func (f orderFlows) inner() [3]flowNode {
	nodes := [3]flowNode{{f.name(0), 1, f.secondFlow(0) + f.secondFlow(1)}}
	for c2 := range 2 {
		n := flowNode{name: f.name(0, c2), in: f.secondFlow(c2)}
		for _, i := range after(c2) {
			n.out += f.thirdFlow(i)
		}
		nodes[1+c2] = n
	}
	return nodes
}

// labels are those of the set's own points, given those of the points in the order they are met; -1 is not met yet.
func (f orderFlows) labels(met ...int) []int32 {
	labels := []int32{-1, -1, -1}
	for step, k := range met {
		labels[f.order[step]] = int32(k)
	}
	return labels
}

func (f orderFlows) name(met ...int) string { return partitionName(f.labels(met...)) }

// terminal is the place of the clustering that the decisions i lead to among the partitions of the set's own points.
func (f orderFlows) terminal(i int) int {
	c := partitionsOfThree[i]
	canonical, _ := metrics.Canonical(f.labels(0, c[0], c[1]))
	return slices.IndexFunc(partitionsOfThree[:], func(p [2]int) bool {
		return slices.Equal(canonical, []int32{0, int32(p[0]), int32(p[1])})
	})
}

// law is the probability of each partition of the set's own points, in the order of partitionsOfThree.
func (f orderFlows) law() (law [5]float64) {
	for i, p := range f.policy() {
		law[f.terminal(i)] = p
	}
	return law
}

// String names the order, counting points from 1.
func (f orderFlows) String() string {
	var words []string
	for _, point := range f.order {
		words = append(words, strconv.Itoa(point+1))
	}
	return strings.Join(words, " → ")
}

// partitionName lists the clusters of labelled points, counting points from 1; those with label -1 are left out.
func partitionName(labels []int32) string {
	var clusters []string
	place := map[int32]int{}
	for i, k := range labels {
		if k < 0 {
			continue
		}
		point := strconv.Itoa(i + 1)
		if at, ok := place[k]; ok {
			clusters[at] += "," + point
			continue
		}
		place[k] = len(clusters)
		clusters = append(clusters, point)
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
		copy(flows[i].tabular[:], slices.Concat(joined[1], joined[2], apart[2]))
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
