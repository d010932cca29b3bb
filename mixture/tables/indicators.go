package tables

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// variable is a category of the sampler: a category of the table, a column of two values, or several of these columns.
// In each row at most one of the several columns is on.
type variable struct {
	Category   int         `json:"category,omitempty"`
	Levels     int         `json:"levels,omitempty"` // of the category; 0 for indicators
	Indicators []indicator `json:"indicators,omitempty"`
}

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

// setUse sets the use of the variable's columns in a table of width numbers.
func (e *Encoder) setUse(v variable, use Use, width int) {
	if v.Levels > 0 {
		e.Uses[width+v.Category] = use
	}
	for _, of := range v.Indicators {
		if of.Category {
			of.Column += width
		}
		e.Uses[of.Column] = use
	}
}

// dropVariables removes the variables that are gone, and sets the use of their columns.
func (e *Encoder) dropVariables(gone []bool, use Use, width int) {
	e.Variables = slices.DeleteFunc(e.Variables, func(v variable) (drop bool) {
		if drop, gone = gone[0], gone[1:]; drop {
			e.setUse(v, use, width)
		}
		return drop
	})
}

// groupIndicators joins columns of two values into one variable if no row has two of them on: if exactly one is on in
// every row, or if chance would put more than a few on together. Without other variables, these do not all become one,
// because one category shows no clusters.
func groupIndicators(t Table, two []indicator, beside bool) (variables []variable) {
	for all := len(two); len(two) > 0; {
		group, others, covers := exclusive(t, two, 0)
		if !covers {
			const sure = 15 // rows with both on, by chance
			if group, others, _ = exclusive(t, two, sure); len(group) == all && !beside {
				group, others = group[:1], two[1:]
			}
			group[0].Rest = len(group) > 1
		}
		variables, two = append(variables, variable{Indicators: group}), others
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

// encode returns the codes [N] of a variable and its number of levels. The code of one indicator is 0 or 1. With
// several columns, it is the index of the column that is on; if the first has Rest, the last code means that no column
// is on. A gap and an unknown value have −1.
func (v variable) encode(t Table) (codes []int32, levels int) {
	if v.Levels > 0 {
		return t.Categories[v.Category].Codes, v.Levels
	}
	codes, levels = slices.Repeat([]int32{-1}, t.Rows), len(v.Indicators)
	if levels == 1 {
		of := v.Indicators[0]
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
	for k, of := range v.Indicators {
		for i, x := range t.cells(of) {
			if x == of.On {
				codes[i] = int32(k)
			} else if x == of.Off {
				off[i]++
			}
		}
	}
	if !v.Indicators[0].Rest {
		return codes, levels
	}
	for i, number := range off {
		if number == levels {
			codes[i] = int32(levels)
		}
	}
	return codes, levels + 1
}
