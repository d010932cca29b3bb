package tables

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/combin"
)

// endSizes are the numbers of rows that are the end of a column.
var endSizes = [...]int{4, 8, 16}

// ends are the rows at both ends of a column, for each of endSizes; nil where equal values make the choice arbitrary.
type ends [2][len(endSizes)][]int

// endsOf returns the ends of a column, given its rows in the order of their values.
func endsOf(column []float64, order []int) (e ends) {
	rows := slices.DeleteFunc(slices.Clone(order), func(i int) bool { return math.IsNaN(column[i]) })
	for side := range e {
		for j, size := range endSizes {
			if len(rows) >= 4*size && column[rows[size-1]] != column[rows[size]] {
				e[side][j] = slices.Clone(rows[:size])
			}
		}
		slices.Reverse(rows)
	}
	return e
}

// meet reports whether an end of one column shares more rows with an end of another column than chance allows. A small
// cluster that lies far out in both does that, but ranks of all rows hardly show it. The bound on the probability of k
// common rows of m, of n rows in all, is C(m, k)·(m/n)^k.
func (e *ends) meet(other *ends, n int, threshold float64) bool {
	threshold += 2 * math.Log(4*float64(len(endSizes))) // tests
	for _, side := range e {
		for _, otherSide := range other {
			for j, rows := range side {
				k := 0.0
				for _, row := range rows {
					if slices.Contains(otherSide[j], row) {
						k++
					}
				}
				m := float64(len(rows))
				if k > 0 && -2*(combin.LogGeneralizedBinomial(m, k)+k*math.Log(m/float64(n))) > threshold {
					return true
				}
			}
		}
	}
	return false
}
