package tables

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// indicator is a column of two values, of numbers or of a category's codes.
type indicator struct {
	Column   int     `json:"column"`
	Category bool    `json:"category,omitempty"` // the column is one of the categories
	Off      float64 `json:"off"`
	On       float64 `json:"on"`
	Rest     bool    `json:"rest,omitempty"` // every value but On is off; of several columns, none may be on
}

// cells returns the values [N] of an indicator's column, NaN where missing.
func (t Table) cells(of indicator) []float64 {
	if !of.Category {
		return t.Column(of.Column)
	}
	cells := make([]float64, t.Rows)
	for i := range cells {
		if cells[i] = float64(t.Categories[of.Column].Codes[i]); cells[i] < 0 {
			cells[i] = math.NaN()
		}
	}
	return cells
}

// places returns the columns of each variable, in the order of Rows.Codes, as indices of the uses.
func (e *Encoder) places() (all [][]int) {
	width := len(e.Uses) - len(e.Categories)
	for _, variable := range e.Indicators {
		var places []int
		for _, of := range variable {
			if of.Category {
				of.Column += width
			}
			places = append(places, of.Column)
		}
		all = append(all, places)
	}
	for q, levels := range e.Categories {
		if levels > 0 {
			all = append(all, []int{width + q})
		}
	}
	return all
}

// dropVariables removes the variables that are gone, in the order of Rows.Codes, and sets the use of their columns.
func (e *Encoder) dropVariables(gone []bool, use Use) {
	for v, places := range e.places() {
		for _, place := range places {
			if gone[v] {
				e.Uses[place] = use
			}
		}
	}
	at := -1
	e.Indicators = slices.DeleteFunc(e.Indicators, func([]indicator) bool {
		at++
		return gone[at]
	})
	for q, levels := range e.Categories {
		if levels == 0 {
			continue
		}
		if at++; gone[at] {
			e.Categories[q] = 0
		}
	}
}

// groupIndicators joins columns of two values into one variable if no row has two of them on: if exactly one is on in
// every row, or if chance would put more than a few on together. Without other variables, these do not all become one,
// because one category shows no clusters.
func groupIndicators(t Table, two []indicator, beside bool) (variables [][]indicator) {
	for all := len(two); len(two) > 0; {
		group, others, covers := exclusive(t, two, 0)
		if !covers {
			const sure = 15 // rows with both on, by chance
			if group, others, _ = exclusive(t, two, sure); len(group) == all && !beside {
				group, others = group[:1], two[1:]
			}
			group[0].Rest = len(group) > 1
		}
		variables, two = append(variables, group), others
	}
	return variables
}

// exclusive returns the first column with all that are on only where no other one is, though chance would put least
// rows or more on together; the other columns; and whether each row has one of the group on.
func exclusive(t Table, two []indicator, least float64) (group, others []indicator, covers bool) {
	on, rows := make([]float64, t.Rows), float64(t.Rows) // 1 where one is on
	group = slices.Clone(two[:1])
	whole := join(on, t.cells(two[0]), two[0].On)
	for _, next := range two[1:] {
		cells, taken := t.cells(next), floats.Sum(on)
		byChance := taken * float64(count(cells, next.On)) / rows
		if whole && taken < rows && byChance >= least && join(on, cells, next.On) {
			group = append(group, next)
		} else {
			others = append(others, next)
		}
	}
	return group, others, len(group) > 1 && floats.Sum(on) == rows
}

// join marks in on the rows in which a column has the value, and returns true. If the column has gaps, or has the value
// in a marked row, it marks nothing and returns false.
func join(on, column []float64, value float64) bool {
	for i, x := range column {
		if math.IsNaN(x) || on[i] > 0 && x == value {
			return false
		}
	}
	for i, x := range column {
		if x == value {
			on[i] = 1
		}
	}
	return true
}

// encodeIndicators returns the codes [N] of a variable and its number of levels. The code of one column is 0 or 1. With
// several columns, it is the index of the column that is on; if the first has Rest, the last code means that no column
// is on. A gap and an unknown value have −1.
func encodeIndicators(t Table, variable []indicator) (codes []int32, levels int) {
	codes, levels = slices.Repeat([]int32{-1}, t.Rows), len(variable)
	if levels == 1 {
		of := variable[0]
		for i, x := range t.cells(of) {
			if x == of.On {
				codes[i] = 1
			} else if x == of.Off || of.Rest && !math.IsNaN(x) {
				codes[i] = 0
			}
		}
		return codes, 2
	}
	off := make([]int, t.Rows) // columns
	for k, of := range variable {
		for i, x := range t.cells(of) {
			if x == of.On {
				codes[i] = int32(k)
			} else if x == of.Off {
				off[i]++
			}
		}
	}
	if !variable[0].Rest {
		return codes, levels
	}
	for i, number := range off {
		if number == levels {
			codes[i] = int32(levels)
		}
	}
	return codes, levels + 1
}
