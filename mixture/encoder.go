package mixture

import (
	"cmp"
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
	NoClusters Use = "no clusters"   // independent of all other columns, and one hump alone; set apart
)

// encoder turns tables into what the sampler sees. It is fitted to one table; its JSON is part of a Fit's.
type encoder struct {
	Numbers    []number      `json:"numbers,omitempty"`
	Indicators [][]indicator `json:"indicators,omitempty"` // of a variable: one column, or several with one on
	Categories []int         `json:"categories,omitempty"` // levels of the table's own; 0 if set apart
	Missing    []sentinel    `json:"sentinels,omitempty"`  // numbers that are taken as missing
	Projection *projection   `json:"projection,omitempty"` // of many columns; nil for few

	uses    []Use     // [D + Q]
	rounded []float64 // [D + Q], step of rounded columns, else 0
}

// fitEncoder looks at the columns of a table. All numbers stay as they are at first; see chooseLogs.
func fitEncoder(t Table) *encoder {
	width := t.Columns()
	e := &encoder{uses: make([]Use, width+len(t.Categories)), rounded: make([]float64, width+len(t.Categories))}
	e.Missing = t.sentinels()
	t = e.known(t)
	var two []indicator
	for d := range width {
		column := t.column(d)
		distinct := distinctOf(column)
		switch len(distinct) {
		case 0, 1:
			e.uses[d] = SetApart
		case 2:
			e.uses[d] = CategoryOf
			two = append(two, indicator{Column: d, Off: distinct[0], On: distinct[1]})
		default:
			e.uses[d] = Number
			n := fitNumber(t, d, column, distinct)
			e.rounded[d] = n.step
			e.Numbers = append(e.Numbers, n)
		}
	}
	silent := func(n number) bool { return n.tells == "" }
	if slices.ContainsFunc(e.Numbers, silent) || len(two)+len(t.Categories) > 0 { // else nothing would be left
		for _, n := range e.Numbers {
			e.uses[n.Column] = cmp.Or(n.tells, Number)
		}
		e.Numbers = slices.DeleteFunc(e.Numbers, func(n number) bool { return !silent(n) })
	}
	e.partZeros(t)
	e.Indicators = append(e.Indicators, groupIndicators(t, two)...)
	for q, c := range t.Categories {
		e.Categories = append(e.Categories, c.Levels)
		e.uses[width+q] = CategoryOf
	}
	if e.variables() <= mostScreened {
		e.dropIndependent(t)
	}
	e.reduce(t)
	return e
}

// variables counts what the encoder has: numbers, then indicators, then categories.
func (e *encoder) variables() int { return len(e.Numbers) + len(e.Indicators) + len(e.Categories) }

// known returns the table with NaN for its sentinels.
func (e *encoder) known(t Table) Table {
	if len(e.Missing) == 0 {
		return t
	}
	t.Numbers = slices.Clone(t.Numbers)
	width := t.Columns()
	for _, s := range e.Missing {
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
	is := func(i indicator) bool { return i.Column == column }
	return slices.ContainsFunc(e.Numbers, func(n number) bool { return n.Column == column }) ||
		slices.ContainsFunc(e.Indicators, func(all []indicator) bool { return slices.ContainsFunc(all, is) })
}

// encode turns a table into the sampler's rows. Rounded columns get noise of one step where noise is set, the same for
// all chains: on the lines of a lattice Gaussians would collapse.
func (e *encoder) encode(t Table, noise bool) *rows {
	t = e.known(t)
	r := &rows{n: t.Rows, first: []int{0}}
	for i := range e.Numbers {
		r.columns = append(r.columns, e.Numbers[i].encode(t, noise))
	}
	for _, variable := range e.Indicators {
		r.addCategory(encodeIndicators(t, variable), max(len(variable), 2))
	}
	for q, levels := range e.Categories {
		r.addCategory(t.Categories[q].Codes, levels)
	}
	r.listGaps()
	if e.Projection != nil { // a gap has a column's median
		r.columns, r.gaps, r.gapOf = e.Projection.apply(r.columns), nil, nil
	}
	return r
}

func (r *rows) addCategory(codes []int32, levels int) {
	if levels == 0 {
		return
	}
	bounded := slices.Clone(codes)
	for i, code := range codes {
		if int(code) >= levels { // of a table to predict
			bounded[i] = -1
		}
	}
	r.codes = append(r.codes, bounded)
	r.first = append(r.first, r.first[len(r.first)-1]+levels)
}

// listGaps finds the missing cells and gives them a first value.
func (r *rows) listGaps() {
	for i := range r.n {
		var missing []int
		for d, column := range r.columns {
			if math.IsNaN(column[i]) {
				missing = append(missing, d)
				column[i] = 0
			}
		}
		if len(missing) == 0 {
			continue
		}
		if r.gapOf == nil {
			r.gapOf = slices.Repeat([]int32{-1}, r.n)
		}
		r.gapOf[i] = int32(len(r.gaps))
		r.gaps = append(r.gaps, gap{i, missing})
	}
}
