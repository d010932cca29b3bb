package tables

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/mixture/em"
)

const (
	coarse      = 0.1  // least step of rounded numbers that are drawn, in scales of the column
	fewestHeap  = 3    // rows of a heap at an end of rounded numbers
	fewestSpike = 5    // rows of a heap at an end of other numbers, and
	spikeShare  = 0.03 // of all rows
	farHeap     = 2.0  // scales of the other values, or steps, from which on a heap is a group of its own
)

// endHeaps returns the least and the largest value, each if it is a heap: more rows have it than the next value, which
// is near. Otherwise it returns ∓Inf.
func (n *Numeric) endHeaps(column, distinct []float64) [2]float64 {
	heaps := [2]float64{math.Inf(-1), math.Inf(1)}
	fewest := fewestHeap
	if !n.drawn {
		fewest = max(fewestSpike, int(spikeShare*float64(len(column))))
	}
	last := len(distinct) - 1
	for side, at := range [2][2]int{{0, 1}, {last, last - 1}} {
		end, next := distinct[at[0]], distinct[at[1]]
		if rows := count(column, end); rows < fewest || rows <= count(column, next) {
			continue
		}
		_, scale := robustScale(slices.DeleteFunc(slices.Clone(column), func(x float64) bool { return x == end }))
		if math.Abs(next-end) <= farHeap*max(scale, n.step) {
			heaps[side] = end
		}
	}
	return heaps
}

// bounds returns the bounds [N] of y of each cell that is drawn, NaN for other cells; nil if the cells of the column
// are exact.
func (n *Numeric) bounds(t Table) (low, high []float64) {
	if !n.drawn && math.IsInf(n.heaps[0], -1) && math.IsInf(n.heaps[1], 1) {
		return nil, nil
	}
	low, high = n.shifted(t, -n.noise/2), n.shifted(t, n.noise/2)
	for i, x := range n.values(t, false) {
		switch {
		case x <= n.heaps[0]:
			low[i] = math.Inf(-1)
		case x >= n.heaps[1]:
			high[i] = math.Inf(1)
		case !n.drawn:
			low[i], high[i] = math.NaN(), math.NaN()
		}
	}
	return low, high
}

// shifted returns y of all cells after a shift of the numbers.
func (n *Numeric) shifted(t Table, by float64) []float64 {
	column := n.values(t, false)
	floats.AddConst(by, column)
	return n.scaled(column)
}

// listRounded finds the columns with cells that are drawn. Columns that are parts of others, or of principal
// components, are taken as they are.
func (e *Encoder) listRounded(t Table) (all []em.Rounded) {
	if e.Projection != nil {
		return nil
	}
	inOthers := make([]bool, len(e.Numbers))
	for _, m := range e.Remainders {
		inOthers[m.At] = true
		for d, weight := range m.Weights {
			inOthers[d] = inOthers[d] || weight != 0
		}
	}
	for d := range e.Numbers {
		if inOthers[d] {
			continue
		}
		if low, high := e.Numbers[d].bounds(t); low != nil {
			all = append(all, em.Rounded{Column: d, Low: low, High: high})
		}
	}
	return all
}
