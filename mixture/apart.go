package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
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
	for d := range t.Columns() {
		for _, value := range farValues(t.column(d)) {
			at := slices.IndexFunc(found, func(s sentinel) bool { return s.Value == value })
			if at < 0 {
				at = len(found)
				found = append(found, sentinel{Value: value})
			}
			found[at].Columns = append(found[at].Columns, d)
		}
	}
	return slices.DeleteFunc(found, func(s sentinel) bool {
		rows := map[int]bool{}
		for _, d := range s.Columns {
			for i, x := range t.column(d) {
				if x == s.Value {
					rows[i] = true
				}
			}
		}
		return len(rows) < fewestSentinels || len(s.Columns) < 2 && !onlyNines(s.Value)
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
	equal := floats.Count(func(step float64) bool { return math.Abs(step-median) <= 1e-6*math.Abs(median) }, steps)
	const most = 20
	return float64(equal) >= 0.9*float64(len(steps)) || whole && max(least/median, largest/median) <= most
}

func wholeNumbers(values []float64) bool {
	return !slices.ContainsFunc(values, func(x float64) bool { return x != math.Trunc(x) })
}
