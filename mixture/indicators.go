package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// indicator is a column of two values.
type indicator struct {
	Column int     `json:"column"`
	Off    float64 `json:"off"`
	On     float64 `json:"on"`
	Rest   bool    `json:"rest,omitempty"` // all values but on are off
}

// groupIndicators joins columns of two values of which exactly one is on in every row.
func groupIndicators(t Table, two []indicator) (variables [][]indicator) {
	for len(two) > 0 {
		group, others, on := two[:1:1], []indicator{}, make([]bool, t.Rows)
		whole := join(on, t.column(two[0].Column), two[0].On)
		for _, next := range two[1:] {
			if whole && slices.Contains(on, false) && join(on, t.column(next.Column), next.On) {
				group = append(group, next)
			} else {
				others = append(others, next)
			}
		}
		if slices.Contains(on, false) {
			group, others = two[:1], two[1:]
		}
		variables, two = append(variables, group), others
	}
	return variables
}

// join adds the rows in which a column is on; if it has gaps, or is on where others are, it adds none.
func join(on []bool, column []float64, value float64) bool {
	for i, x := range column {
		if math.IsNaN(x) || on[i] && x == value {
			return false
		}
	}
	for i, x := range column {
		on[i] = on[i] || x == value
	}
	return true
}

// encodeIndicators returns 0 and 1 of one column of two values, or which of several is on; −1 for a gap and a value
// that was not seen.
func encodeIndicators(t Table, variable []indicator) []int32 {
	codes := slices.Repeat([]int32{-1}, t.Rows)
	for k, c := range variable {
		for i, x := range t.column(c.Column) {
			switch {
			case x == c.On && len(variable) == 1:
				codes[i] = 1
			case x == c.On:
				codes[i] = int32(k)
			case (x == c.Off || c.Rest && !math.IsNaN(x)) && len(variable) == 1:
				codes[i] = 0
			}
		}
	}
	return codes
}

// partZeros makes a category of the zeros of counts, where several columns are such: a count is often absent, and the
// numbers beside the zeros are known where it is present. A heap of one column alone is a cluster.
func (e *encoder) partZeros(t Table) {
	var counts []*number
	for i := range e.Numbers {
		n := &e.Numbers[i]
		if column := t.column(n.Column); manyZeros(column, distinctOf(column)) {
			counts = append(counts, n)
		}
	}
	if len(counts) < 2 || len(e.Numbers) > mostToFlip {
		return
	}
	for _, n := range counts {
		n.Zeros = true
		e.uses[n.Column] = ManyZeros
		e.Indicators = append(e.Indicators, []indicator{{Column: n.Column, On: 0, Rest: true}})
		column := n.values(t, false)
		n.fitLog(column, distinctOf(column))
		n.fitScale(t)
	}
}

func manyZeros(column, distinct []float64) bool {
	const share, fewest = 0.2, 4
	if len(distinct) < fewest || distinct[0] != 0 || !wholeNumbers(distinct) {
		return false
	}
	zeros := floats.Count(func(x float64) bool { return x == 0 }, column)
	return float64(zeros) >= share*float64(len(column))
}
