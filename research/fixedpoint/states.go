package main

import (
	"math"
	"slices"

	"github.com/gfncp/gfncp/posterior"
)

// states are the partitions of the points met so far, at least two, while N points are met in their own order, or in
// all N! orders alike. Orders share states, as in the network; with one order the states are a tree.
type states struct {
	exact     *posterior.Distribution // the law of the data
	law       []float64               // its probabilities [P]
	final     []int                   // [P] the places of the partitions of all points among the states
	place     map[string]int          // of each state, by its labels
	mass      []float64               // of each state: the probability that the data's labels of its points are its own
	decisions []decision              // decisions with fewer points met first
	meetings  []meeting               // in the order of the later decisions
}

// decision is the choice of a point's cluster in a state.
type decision struct {
	slots  []int     // the states that it leads to
	weight []float64 // how often the data's labels take each slot, over the orders
	total  float64   // the sum of weight
	last   bool      // it is about the last point
}

// meeting is a decision and its predecessor, whose slot's flow is compared with the flows of the decision's slots.
type meeting struct {
	before, slot int // before is a place among the decisions, −1 if after is about the second point
	after        int
	weight       float64 // how often the data's labels come along
	share        float64 // of the orders with the slot (all if before is −1), the part that goes on to this decision
}

// arrival is a state with the decision that led to it.
type arrival struct {
	labels       []int32 // [N], −1 where a point is not met
	before, slot int
	orders       float64 // the share of the orders that make that decision
}

// newStates lists the states of the points of a law.
func newStates(exact *posterior.Distribution, allOrders bool) *states {
	s := &states{exact: exact, place: map[string]int{}}
	for _, v := range exact.LogProb {
		s.law = append(s.law, math.Exp(v))
	}
	n := len(exact.Labels[0])
	none := slices.Repeat([]int32{-1}, n)
	first := nextPoints(none, allOrders)
	var arrivals []arrival
	for _, i := range first {
		arrivals = append(arrivals, arrival{with(none, i, 0), -1, 0, 1 / float64(len(first))})
	}
	for range n - 1 {
		arrivals = s.decide(arrivals, allOrders)
	}
	for _, labels := range exact.Labels {
		s.final = append(s.final, s.place[stateName(labels)])
	}
	return s
}

// nextPoints are the points that can be met next.
func nextPoints(labels []int32, allOrders bool) (points []int) {
	for i, c := range labels {
		if c < 0 && (allOrders || len(points) == 0) {
			points = append(points, i)
		}
	}
	return points
}

// decide adds the decisions about the next point after all arrivals, and returns where they lead.
func (s *states) decide(arrivals []arrival, allOrders bool) (next []arrival) {
	at := map[[2]string]int{} // decisions by state and state with the point in a new cluster
	orders := map[int]float64{}
	from := len(s.decisions)
	var states [][][]int32 // of the slots of each new decision
	for _, a := range arrivals {
		points := nextPoints(a.labels, allOrders)
		for _, i := range points {
			k := slices.Max(a.labels) + 1
			key := [2]string{stateName(a.labels), stateName(with(a.labels, i, k))}
			d, known := at[key]
			if !known {
				d = len(s.decisions)
				at[key] = d
				var slots [][]int32
				for c := range k + 1 {
					slots = append(slots, with(a.labels, i, c))
				}
				states = append(states, slots)
				s.decisions = append(s.decisions, decision{last: !slices.Contains(slots[0], -1)})
			}
			m := meeting{before: a.before, slot: a.slot, after: d, share: 1 / float64(len(points))}
			orders[d] += a.orders * m.share
			m.weight = a.orders * m.share * s.probability(a.labels)
			if a.before < 0 {
				m.share *= a.orders
			}
			s.meetings = append(s.meetings, m)
		}
	}
	for j, slots := range states {
		d := &s.decisions[from+j]
		for k, labels := range slots {
			state := s.stateOf(labels)
			weight := orders[from+j] * s.mass[state]
			d.slots, d.weight, d.total = append(d.slots, state), append(d.weight, weight), d.total+weight
			next = append(next, arrival{labels, from + j, k, orders[from+j]})
		}
	}
	return next
}

// stateOf returns the place of a state, and gives a new state the next place.
func (s *states) stateOf(labels []int32) int {
	name := stateName(labels)
	if _, known := s.place[name]; !known {
		s.place[name] = len(s.place)
		s.mass = append(s.mass, s.probability(labels))
	}
	return s.place[name]
}

// probability is the law's probability of these labels of the points met.
func (s *states) probability(labels []int32) (sum float64) {
	name, part := stateName(labels), make([]int32, len(labels))
	for p, full := range s.exact.Labels {
		for i := range part {
			if part[i] = full[i]; labels[i] < 0 {
				part[i] = -1
			}
		}
		if stateName(part) == name {
			sum += s.law[p]
		}
	}
	return sum
}

// with returns labels with point i in cluster c, numbered by first appearance.
func with(labels []int32, i int, c int32) []int32 {
	labels = slices.Clone(labels)
	labels[i] = c
	return renumbered(labels)
}

// renumbered numbers the clusters of the points met in order of first appearance, in place.
func renumbered(labels []int32) []int32 {
	names, k := map[int32]int32{-1: -1}, int32(0)
	for i, c := range labels {
		name, known := names[c]
		if !known {
			name = k
			names[c] = k
			k++
		}
		labels[i] = name
	}
	return labels
}

// stateName is the same for labels of the same partition of the same points.
func stateName(labels []int32) string {
	name := make([]byte, len(labels))
	for i, c := range renumbered(slices.Clone(labels)) {
		name[i] = byte(c + 1)
	}
	return string(name)
}
