package tables

import (
	"math"
	"regexp"
	"slices"
	"strconv"
)

// Code is a number at an end of a column that may stand for missing cells, such as 99 of ages up to 88.
type Code struct {
	Column int
	Value  float64
	Rows   int // that have it
}

// usualCode matches the numbers that often stand for missing cells.
var usualCode = regexp.MustCompile(`^(-1|-?(9+\.?9*|9+[78]|88+|77+))$`)

// Codes lists the values that may be codes, of the columns that are used as numbers.
func (e *Encoder) Codes(t Table) (all []Code) {
	for _, n := range e.Numbers {
		column := present(t.Column(n.Column))
		distinct := DistinctOf(column)
		for range 2 {
			if beginsWithCode(distinct, column) {
				all = append(all, Code{n.Column, distinct[0], count(column, distinct[0])})
			}
			slices.Reverse(distinct)
		}
	}
	return all
}

// beginsWithCode reports whether the first of the different values, which lies at an end of the column, seems to be a
// code: it is frequent, and beyond a gap. A limit that cuts off as many rows would leave a gap of about the column's
// scale divided by the rows. Less is demanded of usual codes.
func beginsWithCode(distinct, column []float64) bool {
	const fewest, share, near, many, often = 5, 0.02, 5, 10, 4
	value, rows := distinct[0], count(column, distinct[0])
	if value == 0 || len(distinct) < near || float64(rows) < max(fewest, share*float64(len(column))) {
		return false
	}
	gap, most, widest := math.Abs(distinct[1]-value), 0, 0.0 // most rows, and the widest gap, of the values near it
	for i, x := range distinct[1:min(near+1, len(distinct)-1)] {
		most, widest = max(most, count(column, x)), max(widest, math.Abs(distinct[i+2]-x))
	}
	others := slices.DeleteFunc(slices.Clone(column), func(x float64) bool { return x == value })
	_, scale := robustScale(others)
	beyond := float64(rows) * (gap - usualStep(others, DistinctOf(others))) / scale
	repeats := rows >= often*most && len(distinct) > many
	if usualCode.MatchString(strconv.FormatFloat(value, 'f', -1, 64)) {
		onlyNegative := value < 0 && distinct[1] >= 0
		return repeats && onlyNegative || beyond >= 8 && (gap >= 3*widest || repeats && gap >= 1.5*widest)
	}
	return repeats && gap >= 2*widest && beyond >= 30
}
