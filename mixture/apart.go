package mixture

import (
	"math"
	"slices"
)

// sentinel is a number such as −999 that stands for a missing cell: it lies far from all other values of its columns.
type sentinel struct {
	Value   float64
	Columns []int // of numbers, rising
}

const (
	fewestSentinels = 3  // rows with a sentinel
	farSentinel     = 3  // widths of the other values between a sentinel and the next one
	fewestCounted   = 10 // rows of a column that counts them
	fewestKeys      = 20
)

// sentinels finds numbers that seem to stand for missing cells: least or largest in their columns, far from all other
// values, in three rows or more, and in two columns or written with nines alone.
func (t Table) sentinels() []sentinel {
	var found []sentinel
	rows := map[float64]map[int]bool{}
	for d := range t.Columns() {
		column := t.column(d)
		for _, value := range farValues(column) {
			at := slices.IndexFunc(found, func(s sentinel) bool { return s.Value == value })
			if at < 0 {
				at = len(found)
				found = append(found, sentinel{Value: value})
				rows[value] = map[int]bool{}
			}
			found[at].Columns = append(found[at].Columns, d)
			for i, x := range column {
				if x == value {
					rows[value][i] = true
				}
			}
		}
	}
	return slices.DeleteFunc(found, func(s sentinel) bool {
		return len(rows[s.Value]) < fewestSentinels || len(s.Columns) < 2 && !onlyNines(s.Value)
	})
}

// farValues returns the least and the largest value of a column where they lie far from all others, of which a few may
// lie far out, too.
func farValues(column []float64) (far []float64) {
	distinct := distinctOf(column)
	n := len(distinct)
	if n < 4 {
		return nil
	}
	trim := 1 + n/20
	if distinct[1]-distinct[0] > farSentinel*(distinct[n-trim]-distinct[1]) {
		far = append(far, distinct[0])
	}
	if distinct[n-1]-distinct[n-2] > farSentinel*(distinct[n-2]-distinct[trim-1]) {
		far = append(far, distinct[n-1])
	}
	return far
}

func onlyNines(x float64) bool {
	x = math.Abs(x) + 1
	power := math.Round(math.Log10(x))
	return power >= 2 && x == math.Pow(10, power)
}

// countsRows tells whether a column counts the rows or the time: it rises (or falls) from row to row, by nearly equal
// steps, or by small steps in whole numbers.
func countsRows(column []float64) bool {
	if len(column) < fewestCounted {
		return false
	}
	steps, whole := make([]float64, len(column)-1), true
	for i := range steps {
		steps[i] = column[i+1] - column[i]
		whole = whole && column[i] == math.Trunc(column[i])
	}
	slices.Sort(steps)
	median, least, largest := steps[len(steps)/2], steps[0], steps[len(steps)-1]
	if !(least*largest > 0) {
		return false
	}
	equal := 0
	for _, step := range steps {
		if math.Abs(step-median) <= 1e-6*math.Abs(median) {
			equal++
		}
	}
	const most = 20
	return float64(equal) >= 0.9*float64(len(steps)) || whole && max(least/median, largest/median) <= most
}

// tellsRows returns what a column tells of its row alone, whatever the other columns are: a counter, or a key that
// leaves out hardly a number of its range; else "".
func tellsRows(column, distinct []float64) Use {
	n := len(column)
	switch {
	case countsRows(column):
		return Counter
	case n >= fewestKeys && len(distinct) == n && wholeNumbers(distinct) && distinct[n-1]-distinct[0] < 2*float64(n):
		return Key
	}
	return ""
}

func wholeNumbers(values []float64) bool {
	return !slices.ContainsFunc(values, func(x float64) bool { return x != math.Trunc(x) })
}
