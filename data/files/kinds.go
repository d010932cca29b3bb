package files

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/text"
)

// A column of text that nobody named is taken as a category if it has at most fewLevels levels, and four rows or more
// for each; so labels that name rows, and free text, are not.
const (
	fewLevels     = 12
	rowsPerLevel  = 4
	leastCounted  = 5 // rows of a column that counts them: fewer prove nothing
	wholeNumbers  = 1 << 53
	shownInANote  = 12
	leastOfTables = 2 // columns that remain when one that counts the rows is set apart unasked
)

// settle decides what the columns of a table are and puts them into in. Columns that name or count the rows are set
// apart unless the user has chosen them; in.Names are the cells of the first, if no other column has the names.
func (in *Input) settle(path string, lay *layout, columns []*cells, o Options) error {
	t := &tabular.Table{Path: path, Lines: in.Lines}
	names := lay.coordNames()
	var levels, codes, times, apart []string
	in.Columns, in.Aside = nil, nil
	if len(lay.aside) > 0 {
		in.Aside = make([]tabular.Column, len(lay.aside))
	}
	for j, c := range columns {
		name := lay.columnName(lay.coords[j])
		aside := slices.Contains(lay.aside, lay.coords[j])
		chosen := len(o.Columns) > 0 || c.category || o.Encoding != nil || aside
		coded := !chosen && lay.header && isCodeName(lay.names[lay.coords[j]]) && c.fewCodes()
		c.category = c.category || coded
		c.end()
		if !chosen && !coded && c.namesRows(lay.names[lay.coords[j]], lay.header, len(columns)-len(apart)) {
			apart = append(apart, name)
			if in.Names == nil {
				in.Names, in.NameColumn = c.all(), names[j]
			}
			continue
		}
		column, err := c.column(t, names[j], name)
		switch {
		case err != nil:
			return err
		case aside:
			for i, c := range lay.aside {
				if c == lay.coords[j] {
					in.Aside[i] = column
				}
			}
			continue
		case coded:
			codes = append(codes, quote(names[j]))
		case column.Kind == tabular.Category:
			levels = append(levels, fmt.Sprintf("%s (%s)", quote(names[j]), text.Count(len(column.Levels), "level")))
		case column.Kind == tabular.Time:
			times = append(times, quote(names[j]))
		}
		t.Columns, in.Columns = append(t.Columns, column), append(in.Columns, names[j])
	}
	if len(t.Columns) == 0 {
		return lay.fault("add a column to cluster by", "no column is left")
	}
	in.table, in.D, in.mixed = t, len(t.Columns), true
	in.note("columns that name or count the rows are set apart, and --columns takes them: ", apart)
	in.note("columns of times are read as seconds: ", times)
	in.note("whole numbers that are codes are taken as categories, and --columns takes them as numbers: ", codes)
	in.note("columns of text are taken as categories; --ignore leaves them out, --labels compares with one: ", levels)
	return nil
}

// column makes a column of numbers, times or levels of the cells; shown is its name in messages.
func (c *cells) column(t *tabular.Table, name, shown string) (tabular.Column, error) {
	column := tabular.Column{Name: name, Kind: tabular.Number, Values: c.numbers}
	switch {
	case c.category:
		err := c.levels(t, &column, shown)
		return column, err
	case c.seconds:
		column.Kind = tabular.Time
	case c.texts != nil:
		seconds, row, fault := timesOf(c.texts)
		if fault != nil {
			return column, t.Fault(row, fault.Hint, "column %s: %s", shown, fault.Msg)
		}
		if seconds == nil {
			err := c.levels(t, &column, shown)
			return column, err
		}
		column.Kind, column.Values = tabular.Time, seconds
	}
	return column, nil
}

func (in *Input) note(what string, columns []string) {
	if len(columns) > 0 {
		in.Notes = append(in.Notes, what+text.List(columns, shownInANote))
	}
}

// all are the texts of the cells; numbers are written as such.
func (c *cells) all() []string {
	if c.texts != nil {
		return c.texts
	}
	texts := make([]string, len(c.numbers))
	for i, v := range c.numbers {
		texts[i] = strconv.FormatFloat(v, 'f', -1, 64)
	}
	return texts
}

// namesRows reports whether the cells of a column tell rows apart and nothing else: different texts that are mostly no
// numbers and no times; different whole numbers in a column with such a name, or with none under a header; or numbers
// that rise by 1 from row to row. Of the last kind two columns must remain.
func (c *cells) namesRows(name string, header bool, columns int) bool {
	if columns < 2 {
		return false
	}
	if c.texts != nil {
		plain := c.odd.Hint == notNumber && c.mostlyText() && !slices.Contains(c.texts, "")
		return plain && allDiffer(c.texts) && len(layoutsOf(c.texts)) == 0
	}
	counts := len(c.numbers) >= leastCounted && columns > leastOfTables
	for i, v := range c.numbers {
		if v != math.Trunc(v) || math.Abs(v) > wholeNumbers { // NaN too
			return false
		}
		counts = counts && (i == 0 || v == c.numbers[i-1]+1)
	}
	named := isRowName(name) || header && name == ""
	return counts || named && allDiffer(c.numbers)
}

// fewCodes reports whether the cells are whole numbers of few values, each in some rows: by the name of their column
// they may be codes. It is asked before end.
func (c *cells) fewCodes() bool {
	n, filled := len(c.few.classes), 0
	if c.many || c.odd != nil || c.seconds || n < 2 || n > fewLevels {
		return false
	}
	for _, v := range c.numbers {
		switch {
		case math.IsNaN(v):
		case v != math.Trunc(v):
			return false
		default:
			filled++
		}
	}
	return n*rowsPerLevel <= filled
}

func allDiffer[T comparable](values []T) bool {
	seen := make(map[T]struct{}, len(values))
	for _, v := range values {
		if _, again := seen[v]; again {
			return false
		}
		seen[v] = struct{}{}
	}
	return true
}

// levels makes a category of a column of text, or tells why it is none; name is the column's for messages.
func (c *cells) levels(t *tabular.Table, column *tabular.Column, name string) error {
	var list classList
	column.Values = make([]float64, len(c.texts))
	filled := 0
	for i, cell := range c.texts {
		column.Values[i] = math.NaN()
		if cell == "" {
			continue
		}
		filled++
		if list.add(cell); len(list.classes) > mostLevels && !c.category {
			break
		}
		column.Values[i] = float64(list.labels[len(list.labels)-1])
	}
	column.Kind, column.Levels = tabular.Category, list.classes
	n, plain := len(list.classes), c.mostlyText() && c.odd != nil && c.odd.Hint == notNumber
	switch {
	case c.category || plain && n <= fewLevels && n*rowsPerLevel <= filled:
		return nil
	case !plain:
		return t.Fault(c.oddRow, c.odd.Hint, "column %s: %s", name, c.odd.Msg)
	}
	leaveOut := "leave it out with --ignore " + name
	if n > mostLevels {
		return t.Fault(c.oddRow, leaveOut, "column %s holds text, with more than %d levels", name, mostLevels)
	}
	return t.Fault(c.oddRow, "take it as categories with --categorical "+name+", or "+leaveOut,
		"column %s holds text, with %s", name, text.Count(n, "level"))
}
