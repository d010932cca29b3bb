package mixture

import (
	"math"
	"slices"
)

// Use is what became of a column.
type Use string

// The uses of columns.
const (
	Number     Use = "number"
	Logarithm  Use = "logarithm"     // of a skewed column, by evidence
	CategoryOf Use = "category"      // a column of two values, or a category of the table's
	ManyZeros  Use = "zero or count" // a count: zero or not is a category, the rest a number where it is not zero
	SetApart   Use = "constant"      // one value at most
	Counter    Use = "counter"       // rises by equal steps from row to row: it counts rows or time; set apart
	Key        Use = "key"           // whole numbers, all different, that name the rows; set apart
	NoClusters Use = "no clusters"   // independent of all other columns, and one hump alone; set apart, by evidence

	fewestToLog = 8 // distinct values of a column whose logarithm is tried
	skewToLog   = 0.8
)

// encoder turns tables into what the sampler sees. It is fitted to one table.
type encoder struct {
	numbers    []number
	indicators [][]indicator // of each variable: one column of two values, or columns of which exactly one is on
	categories []int         // levels of the table's own
	uses       []Use         // [D + Q]
	sentinels  []Sentinel    // numbers that are taken as missing
	projection *projection   // of many columns; nil for few
	rounded    []float64     // [D + Q], step of rounded columns, else 0
}

// number is a column used as a number: y = (f(x) − centre)/scale with f the identity or a logarithm.
type number struct {
	column        int
	step          float64 // of a rounded column, else 0
	noise         float64 // width of the noise: a step, or the last decimal of numbers that were written with few
	log           bool
	zeros         bool      // are no numbers but a category: a cell with 0 is missing
	keys          bool      // may name the rows: whole, and all different
	few           bool      // so few different values that their heaps are no humps
	knots         []float64 // rising; f is a normal score, linear between these quantiles
	sign, shift   float64   // f(x) = sign·log(sign·x + shift)
	centre, scale float64
	skewed        bool
}

// indicator is a column of two values.
type indicator struct {
	column  int
	off, on float64
	rest    bool // all values but on are off
}

// fitEncoder looks at the columns of a table. All numbers stay as they are at first; see choose.
func fitEncoder(t Table) *encoder {
	width := t.Columns()
	e := &encoder{uses: make([]Use, width+len(t.Categories)), rounded: make([]float64, width+len(t.Categories))}
	e.sentinels = t.Sentinels()
	t = e.known(t)
	var two []indicator
	apart := map[int]Use{}
	for d := range width {
		column := t.column(d)
		distinct := distinctOf(column)
		switch len(distinct) {
		case 0, 1:
			e.uses[d] = SetApart
		case 2:
			e.uses[d] = CategoryOf
			two = append(two, indicator{column: d, off: distinct[0], on: distinct[1]})
		default:
			e.uses[d] = Number
			n := fitNumber(d, column, distinct)
			e.rounded[d] = n.step
			e.numbers = append(e.numbers, n)
			if use := tellsRows(column, distinct); use != "" {
				apart[d] = use
			}
		}
	}
	if len(apart) < len(e.numbers) || len(two)+len(t.Categories) > 0 { // else nothing would be left
		e.numbers = slices.DeleteFunc(e.numbers, func(n number) bool { return apart[n.column] != "" })
		for d, use := range apart {
			e.uses[d] = use
		}
	}
	e.partZeros(t)
	e.indicators = append(e.indicators, groupIndicators(t, two)...)
	for q, c := range t.Categories {
		e.categories = append(e.categories, c.Levels)
		e.uses[width+q] = CategoryOf
	}
	e.reduce(t)
	return e
}

// partZeros makes a category of the zeros of counts, where several columns are such. A heap of one column alone is a
// cluster.
func (e *encoder) partZeros(t Table) {
	var counts []int
	for i, n := range e.numbers {
		if column := t.column(n.column); manyZeros(column, distinctOf(column)) {
			counts = append(counts, i)
		}
	}
	if len(counts) < 2 || len(e.numbers) > mostToFlip {
		return
	}
	for _, i := range counts {
		n := &e.numbers[i]
		n.zeros = true
		e.uses[n.column] = ManyZeros
		e.indicators = append(e.indicators, []indicator{{column: n.column, on: 0, rest: true}})
		column := n.numbersOf(t)
		n.fitScale(column)
		n.sign, n.shift, n.skewed = logOf(column, distinctOf(column), n.noise)
	}
}

// known returns the table with NaN for its sentinels.
func (e *encoder) known(t Table) Table {
	if len(e.sentinels) == 0 {
		return t
	}
	t.Numbers = slices.Clone(t.Numbers)
	width := t.Columns()
	for _, s := range e.sentinels {
		for _, d := range s.Columns {
			for i := d; i < len(t.Numbers); i += width {
				if t.Numbers[i] == s.Value {
					t.Numbers[i] = math.NaN()
				}
			}
		}
	}
	return t
}

// reads reports whether a column of numbers plays a part.
func (e *encoder) reads(column int) bool {
	is := func(i indicator) bool { return i.column == column }
	return slices.ContainsFunc(e.numbers, func(n number) bool { return n.column == column }) ||
		slices.ContainsFunc(e.indicators, func(all []indicator) bool { return slices.ContainsFunc(all, is) })
}

// use is what a number is used as.
func (n *number) use() Use {
	switch {
	case n.zeros:
		return ManyZeros
	case n.log:
		return Logarithm
	}
	return Number
}

// numbersOf returns the cells that are numbers, NaN for the others.
func (n *number) numbersOf(t Table) []float64 {
	column := t.column(n.column)
	for i, x := range column {
		if n.zeros && x == 0 {
			column[i] = math.NaN()
		}
	}
	return column
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
	const few = 20
	n.few = n.step > 0 && len(distinct) <= few
	n.keys = len(column) >= fewestKeys && len(distinct) == len(column) && wholeNumbers(distinct)
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
		whole, before := true, math.Inf(-1)
		for _, x := range distinct {
			x *= scale
			rounded := math.Round(x)
			if math.Abs(x-rounded) > tolerance || rounded == before { // tiny numbers would all be 0
				whole = false
				break
			}
			before = rounded
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
	if len(distinct) < fewestToLog || !(math.Abs(skew) > skewToLog) { // NaN of huge numbers
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
	switch {
	case len(n.knots) > 0:
		return normalScore(n.knots, x)
	case !n.log:
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
