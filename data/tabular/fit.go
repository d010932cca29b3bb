package tabular

import (
	"maps"
	"math"
	"slices"

	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Fit finds the encoding of a table. Number and time columns get mean 0 and, if standardize, the standard deviation 1
// (1/N). Missing cells first get the median or the most frequent level. The notes name the constant columns, which are
// set apart. The order of rows and levels does not matter.
//
// Fewer than two rows, columns that are all constant or share a name, and numbers beyond Largest are a *usererr.Error.
func Fit(t *Table, standardize bool) (e Encoding, notes []string, err error) {
	if n := t.Len(); n < 2 {
		return e, nil, usererr.File(t.Path, 0, "give at least 2 rows", "the table has %s", text.Count(n, "row"))
	}
	if err := t.CheckNames(); err != nil {
		return e, nil, err
	}
	var constant []string
	for i := range t.Columns {
		c := &t.Columns[i]
		code, err := t.fitColumn(c, standardize)
		if err != nil {
			return e, nil, err
		}
		if code.Kind == "" {
			constant = append(constant, text.Quote(c.Name))
			continue
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

// fitColumn finds the code of a column. The code of a constant column has no kind.
func (t *Table) fitColumn(c *Column, standardize bool) (code Code, err error) {
	if c.Kind == Category {
		return fitLevels(c), nil
	}
	if i := slices.IndexFunc(c.Values, func(v float64) bool { return math.Abs(v) > Largest }); i >= 0 {
		return code, t.Fault(i, "scale this column down", "column %s: %g is too large", text.Quote(c.Name), c.Values[i])
	}
	present := c.present()
	if len(present) == 0 {
		return code, nil
	}
	slices.Sort(present)
	m := len(present)
	fill := present[(m-1)/2] + (present[m/2]-present[(m-1)/2])/2
	whole := slices.Clone(c.Values)
	for i, v := range whole {
		if math.IsNaN(v) {
			whole[i] = fill
		}
	}
	mean, deviation := moments(whole)
	if deviation == 0 {
		return code, nil
	}
	code = Code{Name: c.Name, Kind: c.Kind, Fill: fill, Mean: mean, Scale: 1}
	if standardize {
		code.Scale = 1 / deviation
	}
	return code, nil
}

// fitLevels finds the code of a category. The most frequent level fills gaps; of equally frequent ones it is the first
// in the alphabet.
func fitLevels(c *Column) (code Code) {
	counts := map[string]int{}
	for _, v := range c.Values {
		if !math.IsNaN(v) {
			counts[c.Levels[int(v)]]++
		}
	}
	if len(counts) < 2 {
		return code
	}
	code = Code{Name: c.Name, Kind: Category, Levels: slices.Sorted(maps.Keys(counts))}
	for l, level := range code.Levels {
		if counts[level] > counts[code.Levels[int(code.Fill)]] {
			code.Fill = float64(l)
		}
	}
	counts[code.Levels[int(code.Fill)]] += c.missing()
	for _, level := range code.Levels {
		code.Shares = append(code.Shares, float64(counts[level])/float64(len(c.Values)))
	}
	return code
}
