package mixture

import (
	"math"
	"slices"
)

// Use is what became of a column.
type Use string

// The uses of columns.
const (
	Number      Use = "number"
	Logarithm   Use = "logarithm" // of a skewed column, by evidence
	CategoryOf  Use = "category"  // a column of two values, or a category of the table's
	SetApart    Use = "constant"  // one value at most
	fewestToLog     = 8           // distinct values of a column whose logarithm is tried
	skewToLog       = 0.8
)

// encoder turns tables into what the sampler sees. It is fitted to one table.
type encoder struct {
	numbers    []number
	indicators [][]indicator // of each variable: one column of two values, or columns of which exactly one is on
	categories []int         // levels of the table's own
	uses       []Use         // [D + Q]
	rounded    []float64     // [D + Q], step of rounded columns, else 0
}

// number is a column used as a number: y = (f(x) − centre)/scale with f the identity or a logarithm.
type number struct {
	column        int
	step          float64 // of a rounded column, else 0
	noise         float64 // width of the noise: a step, or the last decimal of numbers that were written with few
	log           bool
	sign, shift   float64 // f(x) = sign·log(sign·x + shift)
	centre, scale float64
	skewed        bool
}

// indicator is a column of two values.
type indicator struct {
	column  int
	off, on float64
}

// fitEncoder looks at the columns of a table. All numbers stay as they are at first; see chooseLogs.
func fitEncoder(t Table) *encoder {
	width := t.Columns()
	e := &encoder{uses: make([]Use, width+len(t.Categories)), rounded: make([]float64, width+len(t.Categories))}
	var two []indicator
	for d := range width {
		column := t.column(d)
		distinct := distinctOf(column)
		switch len(distinct) {
		case 0, 1:
			e.uses[d] = SetApart
		case 2:
			e.uses[d] = CategoryOf
			two = append(two, indicator{d, distinct[0], distinct[1]})
		default:
			e.uses[d] = Number
			n := fitNumber(d, column, distinct)
			e.rounded[d] = n.step
			e.numbers = append(e.numbers, n)
		}
	}
	e.indicators = groupIndicators(t, two)
	for q, c := range t.Categories {
		e.categories = append(e.categories, c.Levels)
		e.uses[width+q] = CategoryOf
	}
	return e
}

// distinctOf returns the different values that are present, rising.
func distinctOf(column []float64) []float64 {
	values := slices.DeleteFunc(slices.Clone(column), math.IsNaN)
	slices.Sort(values)
	return slices.Compact(values)
}

func fitNumber(at int, column, distinct []float64) number {
	const whole = 0.7 // a column with fewer different values is rounded
	n := number{column: at}
	if float64(len(distinct)) < whole*float64(len(column)) {
		gaps := make([]float64, len(distinct)-1)
		for i := range gaps {
			gaps[i] = distinct[i+1] - distinct[i]
		}
		slices.Sort(gaps)
		n.step = gaps[len(gaps)/10]
	}
	n.noise = max(n.step, decimalStep(distinct))
	n.fitScale(column)
	n.sign, n.shift, n.skewed = logOf(column, distinct, n.noise)
	return n
}

// decimalStep returns 10⁻ᵏ if all values are written with k decimals, at most six, else 0. Sums of such columns lie on
// a lattice though they themselves look smooth.
func decimalStep(distinct []float64) float64 {
	const most, tolerance = 6, 1e-6
	scale := 1.0
	for range most + 1 {
		whole := true
		for _, x := range distinct {
			if x *= scale; math.Abs(x-math.Round(x)) > tolerance {
				whole = false
				break
			}
		}
		if whole {
			return 1 / scale
		}
		scale *= 10
	}
	return 0
}

// logOf tells whether a column is so skewed that its logarithm is to be tried, and which: that of x where all are
// positive, of the distance to a bound beyond the least (or largest) value else.
func logOf(column, distinct []float64, step float64) (sign, shift float64, skewed bool) {
	var mean, second, third, count float64
	for _, x := range column {
		if !math.IsNaN(x) {
			mean += x
			count++
		}
	}
	mean /= count
	for _, x := range column {
		if x -= mean; !math.IsNaN(x) {
			second += x * x
			third += x * x * x
		}
	}
	skew := third / count / math.Pow(second/count, 1.5)
	if len(distinct) < fewestToLog || math.Abs(skew) <= skewToLog {
		return 1, 0, false
	}
	median, _ := robustScale(column)
	least, largest := distinct[0]-step/2, distinct[len(distinct)-1]+step/2
	const margin = 0.05
	switch {
	case skew < 0:
		return -1, largest + margin*(largest-median), true
	case least > 0:
		return 1, 0, true
	default:
		return 1, margin*(median-least) - least, true
	}
}

// fitScale fits centre and scale to the values of f.
func (n *number) fitScale(column []float64) {
	values := make([]float64, len(column))
	for i, x := range column {
		values[i] = n.transform(x)
	}
	n.centre, n.scale = robustScale(values)
}

func (n *number) transform(x float64) float64 {
	if !n.log {
		return x
	}
	return n.sign * math.Log(max(n.sign*x+n.shift, math.SmallestNonzeroFloat64))
}

// logSlope is log dy/dx.
func (n *number) logSlope(x float64) float64 {
	if !n.log {
		return -math.Log(n.scale)
	}
	return -math.Log(n.scale) - math.Log(max(n.sign*x+n.shift, math.SmallestNonzeroFloat64))
}

// robustScale returns the median and the interquartile range over that of a standard normal. A range of more of the
// rows takes its place where it is more than ten times as wide: half of the rows, or more, lie in one heap. Few rows
// far out change neither. The scale is 0 for a constant column.
func robustScale(column []float64) (centre, scale float64) {
	present := slices.DeleteFunc(slices.Clone(column), math.IsNaN)
	if len(present) == 0 {
		return 0, 0
	}
	slices.Sort(present)
	at := func(share float64) float64 { return present[int(share*float64(len(present)-1)+0.5)] }
	centre = at(0.5)
	for _, tail := range [...]struct{ share, normal float64 }{{.25, 1.349}, {.05, 3.290}, {.01, 4.653}, {0, 6}} {
		wider := (at(1-tail.share) - at(tail.share)) / tail.normal
		if scale == 0 || wider > 10*scale && tail.share > 0 {
			scale = wider
		}
	}
	return centre, scale
}

// groupIndicators joins columns of two values of which exactly one is on in every row.
func groupIndicators(t Table, two []indicator) (variables [][]indicator) {
	on := make([][]bool, len(two))
	whole := make([]bool, len(two))
	for i, c := range two {
		on[i], whole[i] = make([]bool, t.Rows), true
		for row, x := range t.column(c.column) {
			on[i][row] = x == c.on
			whole[i] = whole[i] && !math.IsNaN(x)
		}
	}
	used := make([]bool, len(two))
	for i := range two {
		if used[i] {
			continue
		}
		group, covered := []int{i}, slices.Clone(on[i])
		for j := i + 1; j < len(two) && whole[i] && slices.Contains(covered, false); j++ {
			if !used[j] && whole[j] && !overlap(covered, on[j]) {
				group = append(group, j)
				for row, v := range on[j] {
					covered[row] = covered[row] || v
				}
			}
		}
		if slices.Contains(covered, false) {
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

func overlap(a, b []bool) bool {
	for i, v := range a {
		if v && b[i] {
			return true
		}
	}
	return false
}
