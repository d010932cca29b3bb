package tables

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/mixture/em"
)

// Use tells how a column is used.
type Use string

// The uses of columns.
const (
	Number     Use = "number"
	Logarithm  Use = "logarithm"           // of a skewed column, by evidence
	CategoryOf Use = "category"            // a column of two values, or a category of the table's
	ManyZeros  Use = "zero or number"      // whether it is zero is a category; other values are numbers
	Constant   Use = "constant"            // at most one value; not used
	Counter    Use = "counter"             // rises by equal steps from row to row: it counts rows or time; not used
	Key        Use = "key"                 // whole numbers, all different, that name the rows; not used
	OfOthers   Use = "follows from others" // determined by others: a sum, a ratio, the region of a city; not used
	NoClusters Use = "no clusters"         // independent of all other columns, with one hump; not used
	ByRank     Use = "by rank"             // as NoClusters, but no column would be left: its normal scores are used
	Alone      Use = "category alone"      // as NoClusters, but no column would be left; tells nothing about K
)

// Encoder transforms tables into the sampler's rows. It is fitted to one table. A saved mixture holds its JSON.
type Encoder struct {
	Numbers    []Numeric   `json:"numbers,omitempty"`
	Variables  []variable  `json:"variables,omitempty"`  // of categories
	Missing    []sentinel  `json:"sentinels,omitempty"`  // numbers that count as missing
	Remainders []remainder `json:"remainders,omitempty"` // of numbers nearly linear in others, in descending order
	Projection *projection `json:"projection,omitempty"` // nil for few columns

	Shared  bool      `json:"-"` // whether clusters share a shape in many columns; the sampler decides it
	Uses    []Use     `json:"-"` // [D + Q]
	Rounded []float64 `json:"-"` // [D + Q], step of rounded columns, else 0
}

// FitEncoder fits an encoder to a table, without logarithms; see ChooseForms.
func FitEncoder(t Table) *Encoder {
	width := t.Columns()
	e := &Encoder{Uses: make([]Use, width+len(t.Categories)), Rounded: make([]float64, width+len(t.Categories))}
	e.Missing = t.sentinels()
	t = e.Known(t)
	var two []indicator
	for d := range width {
		column := t.Column(d)
		distinct := DistinctOf(column)
		switch len(distinct) {
		case 0, 1:
			e.Uses[d] = Constant
		case 2:
			e.Uses[d] = CategoryOf
			two = append(two, indicator{Column: d, Off: distinct[0], On: distinct[1]})
		default:
			e.Uses[d] = Number
			n := fitNumber(t, d, column, distinct)
			e.Rounded[d] = n.step
			e.Numbers = append(e.Numbers, n)
		}
	}
	silent := func(n Numeric) bool { return n.tells == "" }
	if slices.ContainsFunc(e.Numbers, silent) || len(two)+len(t.Categories) > 0 { // otherwise nothing would be left
		e.Numbers = slices.DeleteFunc(e.Numbers, func(n Numeric) bool {
			e.Uses[n.Column] = cmp.Or(n.tells, Number)
			return !silent(n)
		})
	}
	if len(e.Numbers) <= mostNumbers {
		e.dropLinear(t)
	}
	var whole []variable
	for q, c := range t.Categories {
		switch e.Uses[width+q] = CategoryOf; {
		case c.Levels < 2:
			e.Uses[width+q] = Constant
		case c.Levels == 2:
			two = append(two, indicator{Column: q, Category: true, On: 1})
		default:
			whole = append(whole, variable{Category: q, Levels: c.Levels})
		}
	}
	e.Variables = append(groupIndicators(t, two, len(e.Numbers)+len(whole) > 0), whole...)
	e.dropDetermined(t)
	if len(e.Numbers)+len(e.Variables) <= mostScreened {
		e.dropIndependent(t)
	}
	e.reduce(t)
	e.fitRemainders(t)
	return e
}

// Known returns the table with NaN for its sentinels.
func (e *Encoder) Known(t Table) Table {
	if len(e.Missing) == 0 {
		return t
	}
	t.Numbers = slices.Clone(t.Numbers)
	for row := range slices.Chunk(t.Numbers, max(t.Columns(), 1)) {
		for _, s := range e.Missing {
			for _, d := range s.Columns {
				if row[d] == s.Value {
					row[d] = math.NaN()
				}
			}
		}
	}
	return t
}

// Reads reports whether the encoder uses a column of numbers.
func (e *Encoder) Reads(column int) bool {
	is := func(i indicator) bool { return i.Column == column && !i.Category }
	return slices.ContainsFunc(e.Numbers, func(n Numeric) bool { return n.Column == column }) ||
		slices.ContainsFunc(e.Variables, func(v variable) bool { return slices.ContainsFunc(v.Indicators, is) })
}

// Encode turns a table into the sampler's rows. If noise is set, rounded columns get uniform noise of one step:
// Gaussians would collapse onto equal values. Within wide steps, the chains draw the cells again.
func (e *Encoder) Encode(t Table, noise bool) *em.Rows {
	t = e.Known(t)
	r := &em.Rows{N: t.Rows, First: []int{0}, Shared: e.Shared}
	r.Columns = e.encodeNumbers(t, noise)
	for _, m := range e.Remainders {
		m.apply(r.Columns)
	}
	e.encodeCategories(t, r)
	if noise {
		r.Rounded = e.listRounded(t)
	}
	r.ListGaps()
	if e.Projection != nil { // a gap has a column's median
		r.Columns, r.Gaps, r.GapOf = e.Projection.apply(r.Columns), nil, nil
	}
	return r
}

// encodeCategories adds the variables of categories to the rows.
func (e *Encoder) encodeCategories(t Table, r *em.Rows) {
	for _, v := range e.Variables {
		r.AddCategory(v.encode(t))
	}
}

// sentinel is a number such as −999 that stands for missing cells. It lies far from all other values of its columns.
type sentinel struct {
	Value   float64
	Columns []int // of numbers, rising
}

const (
	fewestSentinels = 3  // rows with a sentinel
	farSentinel     = 3  // least distance of a sentinel from the next value, in widths of the other values
	farAlone        = 30 // the same of a value that cannot belong to a tail of the others
	fewestCounted   = 10 // least number of rows of a counter
	fewestKeys      = 20
)

// sentinels returns numbers that seem to stand for missing cells. Each is the least or largest value of its columns,
// far from all others, in at least three rows, and in two columns unless its digits are all nines.
func (t Table) sentinels() []sentinel {
	var found []sentinel
	for d := range t.Columns() {
		for _, value := range farValues(t.Column(d), farSentinel) {
			at := slices.IndexFunc(found, func(s sentinel) bool { return s.Value == value })
			if at < 0 {
				at = len(found)
				found = append(found, sentinel{Value: value})
			}
			found[at].Columns = append(found[at].Columns, d)
		}
	}
	width := t.Columns()
	return slices.DeleteFunc(found, func(s sentinel) bool {
		rows := 0
		for row := range slices.Chunk(t.Numbers, width) {
			if slices.ContainsFunc(s.Columns, func(d int) bool { return row[d] == s.Value }) {
				rows++
			}
		}
		return rows < fewestSentinels || len(s.Columns) < 2 && !onlyNines(s.Value)
	})
}

// farValues returns the least and the largest value of a column, if they are far from the next value: by more than
// widths times the range of the other values. That range leaves out a few values at the opposite end.
func farValues(column []float64, widths float64) (far []float64) {
	distinct := DistinctOf(column)
	n := len(distinct)
	if n < 4 {
		return nil
	}
	trim := 1 + n/20
	if distinct[1]-distinct[0] > widths*(distinct[n-trim]-distinct[1]) {
		far = append(far, distinct[0])
	}
	if distinct[n-1]-distinct[n-2] > widths*(distinct[n-2]-distinct[trim-1]) {
		far = append(far, distinct[n-1])
	}
	return far
}

// onlyNines reports whether x is 99, 999, …, or the negative of one of these.
func onlyNines(x float64) bool {
	x = math.Abs(x) + 1
	power := math.Round(math.Log10(x))
	return power >= 2 && x == math.Pow(10, power)
}

// countsRows reports whether a column counts the rows or the time: it rises, or falls, from row to row by nearly equal
// steps, or by small whole steps.
func countsRows(column []float64) bool {
	last := len(column) - 1
	if last+1 < fewestCounted {
		return false
	}
	steps := floats.SubTo(make([]float64, last), column[1:], column[:last])
	slices.Sort(steps)
	median, least, largest := steps[len(steps)/2], steps[0], steps[len(steps)-1]
	if !(least*largest > 0) {
		return false
	}
	equal := floats.Count(func(step float64) bool { return math.Abs(step-median) <= 1e-6*math.Abs(median) }, steps)
	const most = 20
	return float64(equal) >= 0.9*float64(len(steps)) ||
		wholeNumbers(column) && max(least/median, largest/median) <= most
}

// wholeNumbers reports whether all values are whole numbers.
func wholeNumbers(values []float64) bool {
	return !slices.ContainsFunc(values, func(x float64) bool { return x != math.Trunc(x) })
}
