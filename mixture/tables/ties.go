package tables

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Tie is a column of numbers in which nearly all rows of some clusters have one value, such as a code or a default. The
// value is not a heap at an end of a scale (rounded.go), unless it lies beyond a gap, as 99 of ages up to 88.
type Tie struct {
	Column   int
	Clusters []int
	Values   []float64 // of each of these clusters
}

// Ties lists the columns in which counted clusters have nearly one value, while the whole table has several.
func (e *Encoder) Ties(t Table, labels []int32, counted []bool) (all []Tie) {
	const nearly, fewest = 0.9, 5 // of the rows; values in a cluster, at least half of its rows
	for _, n := range e.Numbers {
		column, tie := t.Column(n.Column), Tie{Column: n.Column}
		if _, share := mode(column); share >= nearly || n.Zeros {
			continue
		}
		limit := func(value float64) bool {
			return (value == n.heaps[0] || value == n.heaps[1]) && !beyondGap(DistinctOf(column), value)
		}
		cells := make([][]float64, len(counted)) // of each cluster
		for i, label := range labels {
			cells[label] = append(cells[label], column[i])
		}
		for k, counts := range counted {
			there := len(present(cells[k]))
			value, share := mode(cells[k])
			if counts && !limit(value) && share >= nearly && there >= max(fewest, len(cells[k])/2) {
				tie.Clusters, tie.Values = append(tie.Clusters, k), append(tie.Values, value)
			}
		}
		if len(tie.Clusters) > 0 {
			all = append(all, tie)
		}
	}
	return all
}

// mode returns the most frequent value, and its share of all values; missing ones count in neither.
func mode(values []float64) (value, share float64) {
	values = present(values)
	value, count := stat.Mode(values, nil)
	return value, count / float64(max(len(values), 1))
}

// beyondGap reports whether an end of the different values, which rise, seems to be a code: it is much farther from the
// next value than any further ones are from each other, or it is −1 amid values that are not negative.
func beyondGap(distinct []float64, end float64) bool {
	const further, much = 8, 2.5
	if end != distinct[0] {
		slices.Reverse(distinct)
	}
	widest := 0.0
	for i, x := range distinct[2:min(further+2, len(distinct))] {
		widest = max(widest, math.Abs(x-distinct[i+1]))
	}
	return end != 0 && math.Abs(distinct[1]-end) > much*widest || end == -1 && distinct[1] >= 0
}
