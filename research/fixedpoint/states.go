package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/combin"

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
	decisions []decision
	known     map[string]int // the place of each decision, by its state and point
	meetings  []meeting      // with fewer points met first
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
	met          int     // points met before the decision
}

// newStates lists the states of the points of a law.
func newStates(exact *posterior.Distribution, allOrders bool) *states {
	n := len(exact.Labels[0])
	s := &states{exact: exact, place: map[string]int{}, known: map[string]int{}}
	orders := combin.Permutations(n, n)
	if !allOrders {
		orders = [][]int{slices.Sorted(slices.Values(orders[0]))}
	}
	for p, v := range exact.LogProb {
		s.law = append(s.law, math.Exp(v))
		for _, order := range orders {
			s.walk(order, exact.Labels[p], s.law[p]/float64(len(orders)), allOrders)
		}
		s.final = append(s.final, s.place[stateName(exact.Labels[p])])
	}
	slices.SortStableFunc(s.meetings, func(a, b meeting) int { return cmp.Compare(a.met, b.met) })
	return s
}

// walk adds the decisions that lead to labels in an order, with their weight.
func (s *states) walk(order []int, labels []int32, weight float64, allOrders bool) {
	n := len(labels)
	state := with(slices.Repeat([]int32{-1}, n), order[0], 0)
	before, slot := -1, 0
	for met := 1; met < n; met++ {
		i := order[met]
		after := s.decisionOn(state, i)
		m := s.meetingOf(before, slot, after)
		m.met, m.weight, m.share = met, m.weight+weight, 1
		subsets := 1 // as large as the points met with i
		if allOrders {
			subsets = combin.Binomial(n, met+1)
			if m.share /= float64(n - met); before < 0 {
				m.share /= float64(n)
			}
		}
		state = slices.Repeat([]int32{-1}, n)
		for _, j := range order[:met+1] {
			state[j] = labels[j]
		}
		d := &s.decisions[after]
		taken := s.stateOf(state)
		before, slot = after, slices.Index(d.slots, taken)
		d.weight[slot], d.total = d.weight[slot]+weight, d.total+weight
		s.mass[taken] += weight * float64(subsets)
	}
}

// decisionOn returns the place of the decision about a point in a state, and gives a new one the next place.
func (s *states) decisionOn(state []int32, point int) int {
	name := fmt.Sprint(stateName(state), point)
	d, known := s.known[name]
	if !known {
		d = len(s.decisions)
		s.known[name] = d
		var slots []int
		state = renumbered(slices.Clone(state))
		for c := range slices.Max(state) + 2 {
			slots = append(slots, s.stateOf(with(state, point, c)))
		}
		last := !slices.Contains(with(state, point, 0), -1)
		s.decisions = append(s.decisions, decision{slots: slots, weight: make([]float64, len(slots)), last: last})
	}
	return d
}

// meetingOf returns a meeting, which it adds if it is new.
func (s *states) meetingOf(before, slot, after int) *meeting {
	same := func(m meeting) bool { return m.before == before && m.slot == slot && m.after == after }
	i := slices.IndexFunc(s.meetings, same)
	if i < 0 {
		i = len(s.meetings)
		s.meetings = append(s.meetings, meeting{before: before, slot: slot, after: after})
	}
	return &s.meetings[i]
}

// stateOf returns the place of a state, and gives a new state the next place.
func (s *states) stateOf(labels []int32) int {
	name := stateName(labels)
	if _, known := s.place[name]; !known {
		s.place[name] = len(s.place)
		s.mass = append(s.mass, 0)
	}
	return s.place[name]
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
