package mixture

import (
	"math"
	"slices"
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
	used := make([]bool, len(two))
	for i := range two {
		if used[i] {
			continue
		}
		group, on := []int{i}, make([]bool, t.Rows)
		whole := join(on, t.column(two[i].Column), two[i].On)
		for j := i + 1; j < len(two) && whole && slices.Contains(on, false); j++ {
			if !used[j] && join(on, t.column(two[j].Column), two[j].On) {
				group = append(group, j)
			}
		}
		if slices.Contains(on, false) {
			group = group[:1]
		}
		var variable []indicator
		for _, j := range group {
			used[j] = true
			variable = append(variable, two[j])
		}
		variables = append(variables, variable)
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
		column := n.numbersOf(t)
		n.fitScale(column)
		n.fitLog(column, distinctOf(column))
	}
}

func manyZeros(column, distinct []float64) bool {
	const share, fewest = 0.2, 4
	if len(distinct) < fewest || distinct[0] != 0 || !wholeNumbers(distinct) {
		return false
	}
	zeros := 0
	for _, x := range column {
		if x == 0 {
			zeros++
		}
	}
	return float64(zeros) >= share*float64(len(column))
}
