package tabular

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Fit finds the encoding of a table. Number and time columns get mean 0 and, if standardize, the standard deviation 1
// (1/N). Missing cells first get the median or the most frequent level. The notes name the constant columns, which are
// set apart. The order of rows and levels does not matter.
//
// Columns that are all constant or share a name, and numbers beyond Largest are a *usererr.Error.
func Fit(t *Table, standardize bool) (e Encoding, notes []string, err error) {
	if err := t.CheckNames(); err != nil {
		return e, nil, err
	}
	var constant []string
	for i := range t.Columns {
		c := &t.Columns[i]
		if i := slices.IndexFunc(c.Values, func(v float64) bool { return math.Abs(v) > Largest }); i >= 0 {
			return e, nil, t.Fault(i, "scale this column down", "column %s: %g is too large", text.Quote(c.Name),
				c.Values[i])
		}
		code := Code{Name: c.Name, Kind: c.Kind}
		fit := code.fitNumbers
		if c.Kind == Category {
			fit = code.fitLevels
		}
		if !fit(c) {
			constant = append(constant, text.Quote(c.Name))
			continue
		}
		if c.Kind != Category && !standardize {
			code.Scale = 1
		}
		e.Columns = append(e.Columns, code)
	}
	if len(e.Columns) == 0 {
		return e, nil, t.allConstant()
	}
	if len(constant) > 0 {
		notes = append(notes, "columns of one value alone are set apart: "+text.List(constant, mostNamed))
	}
	return e, notes, nil
}

// CheckVaries returns the error of Fit for a table whose columns are all constant.
func (t *Table) CheckVaries() error {
	varies := func(c Column) bool { return len(slices.Compact(c.present())) > 1 }
	if slices.ContainsFunc(t.Columns, varies) {
		return nil
	}
	return t.allConstant()
}

func (t *Table) allConstant() error {
	return usererr.File(t.Path, 0, "give a column whose values differ",
		"all %s are constant", text.Count(len(t.Columns), "column"))
}

// CheckNames returns an error if two columns have the same name, because a clustering finds columns by name.
func (t *Table) CheckNames() error {
	seen := map[string]bool{}
	for _, c := range t.Columns {
		if seen[c.Name] {
			return usererr.File(t.Path, 0, "rename one (or choose by number: FileOptions.Columns, FileOptions.Ignore)",
				"two columns are named %s", text.Quote(c.Name))
		}
		seen[c.Name] = true
	}
	return nil
}

// fitNumbers finds the code of numbers or times. It reports whether they differ.
func (c *Code) fitNumbers(of *Column) (differ bool) {
	present := of.present()
	m := len(present)
	if m == 0 {
		return false
	}
	slices.Sort(present)
	c.Fill = present[(m-1)/2] + (present[m/2]-present[(m-1)/2])/2
	whole := slices.Clone(of.Values)
	for i, v := range whole {
		if math.IsNaN(v) {
			whole[i] = c.Fill
		}
	}
	mean, deviation := moments(whole)
	c.Mean, c.Scale = mean, 1/deviation
	return deviation > 0
}

// fitLevels finds the code of a category. The most frequent level fills gaps; of equally frequent ones it is the first
// in the alphabet. It reports whether there are several levels.
func (c *Code) fitLevels(of *Column) (several bool) {
	for l, level := range of.Levels {
		if slices.Contains(of.Values, float64(l)) {
			c.Levels = append(c.Levels, level)
		}
	}
	if len(c.Levels) < 2 {
		return false
	}
	slices.Sort(c.Levels)
	c.Shares = make([]float64, len(c.Levels))
	values, _ := of.Among(c.Levels)
	for _, v := range values {
		if !math.IsNaN(v) {
			c.Shares[int(v)]++
		}
	}
	usual := floats.MaxIdx(c.Shares)
	c.Fill = float64(usual)
	c.Shares[usual] += float64(len(values) - len(of.present()))
	for l := range c.Shares {
		c.Shares[l] /= float64(len(values))
	}
	return true
}
