package files

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// A column of text that the user did not name is a category if it has at most fewLevels levels and rowsPerLevel rows
// for each. Names of rows and free text have more levels.
const (
	fewLevels    = 12
	rowsPerLevel = 4
	leastCounted = 5 // least number of rows of a column that counts them; fewer may be a coincidence
	wholeNumbers = 1 << 53
	shownInANote = 12
	leastLeft    = 2 // least number of columns that remain when one that counts the rows is set apart
)

// valueKind is the kind of an array's or a column's values. Values of kind 0 cannot be read.
type valueKind int

const (
	wholeValues valueKind = iota + 1 // integers and truth values
	realValues
	textValues
	timeValues
)

func (k valueKind) isNumber() bool { return k == realValues || k == wholeValues }

// settle decides the kinds of a table's columns and puts the columns into in. Columns that name or count the rows are
// set apart unless the user has chosen them; the first of them gives in.Names if no other column does. All columns that
// cannot be read are one fault.
func (in *Input) settle(lay *layout, o Options) error {
	vectors := filter(lay.coords, func(c int) bool {
		return !slices.Contains(lay.aside, c) && lay.cells[c].holdsVectors()
	})
	err := lay.keepVector(vectors, o)
	in.Warnings = lay.warnings
	if err != nil {
		return err
	}
	if lay.name >= 0 {
		in.Names, in.NameColumn = lay.cells[lay.name].all(), lay.names[lay.name]
	}
	s := settling{in: in, lay: lay, options: o, left: len(lay.coords), aside: map[int]tabular.Column{}}
	in.table = &tabular.Table{Path: lay.path, Lines: in.Lines}
	for _, at := range lay.coords {
		if c := lay.cells[at]; !slices.Contains(vectors, at) {
			s.add(at, c)
		} else if err := s.addVectors(at, c); err != nil {
			return err
		}
	}
	if err := s.fault(); err != nil {
		return err
	}
	if len(in.table.Columns) == 0 {
		return lay.fault("add a column to cluster by", "no column is left")
	}
	for _, at := range lay.aside {
		in.Aside = append(in.Aside, s.aside[at])
	}
	if lay.label >= 0 && !o.NoLabels {
		if err := in.addLabels(lay, o); err != nil {
			return err
		}
	}
	in.Columns, in.D, in.mixed = in.table.Names(), len(in.table.Columns), len(vectors) == 0
	tell(&in.Notes, "columns that name or count the rows are set apart (FileOptions.Columns takes them): ", s.apart)
	tell(&in.Notes, "columns of text are left out: ", s.texts)
	tell(&in.Notes, "columns without a name and a value are left out: ", s.empty)
	tell(&in.Notes, "columns of times are read as seconds: ", s.times)
	tell(&in.Notes, "percent signs are left off in the columns: ", s.percents)
	tell(&in.Notes, "signs between thousands are left off in the columns: ", s.grouped)
	tell(&in.Notes,
		"whole numbers that are codes are taken as categories (FileOptions.Columns takes them as numbers): ", s.codes)
	tell(&in.Notes, "columns of text are taken as categories (FileOptions.Ignore leaves them out, "+
		"FileOptions.LabelColumn compares with one): ", s.levels)
	tell(&in.Warnings, "whole numbers of more than 15 digits are rounded in the columns: ", s.rounded)
	tell(&in.Warnings, "days are read as numbers, unless they are written as 2024-01-31, in the columns: ", s.days)
	return nil
}

// settling holds the findings of settle so far. Lists of columns hold their names as notes show them.
type settling struct {
	in      *Input
	lay     *layout
	options Options
	left    int                    // number of columns that are not set apart
	aside   map[int]tabular.Column // the columns of Options.Aside by their places in the file

	apart, texts, empty, times, percents, grouped, codes, levels, rounded, days []string

	unread []unread
}

type unread struct {
	*cells
	at    int   // its place in the file
	fault error // the fault if it is the only such column
}

// add decides the kind of the column at this place of the file, given its cells.
func (s *settling) add(at int, c *cells) {
	name := s.lay.columnName(at)
	aside := slices.Contains(s.lay.aside, at)
	wanted := c.category || s.options.Encoding != nil || aside
	chosen := wanted || len(s.options.Columns) > 0
	coded := !chosen && s.lay.header && namesCodes(s.lay.names[at]) && c.fewCodes()
	c.category = c.category || coded
	c.category = c.category || aside && c.isText // a few rows may have labels
	switch {
	case chosen || coded:
	case s.lay.header && s.lay.names[at] == "" && c.odd == nil && len(present(c.numbers)) == 0:
		s.empty = append(s.empty, name)
		return
	case c.namesRows(s.lay.names[at], s.lay.header, s.left):
		s.left--
		s.apart = append(s.apart, name)
		if s.in.Names == nil && allDiffer(c.all()) {
			s.in.Names, s.in.NameColumn = c.all(), s.lay.coordName(at)
		}
		return
	}
	column, err := c.column(s.in.table, s.lay.coordName(at), name)
	switch {
	case c.isText && column.Kind != tabular.Time && s.options.IgnoreText && !wanted:
		s.texts = append(s.texts, name)
		return
	case err != nil:
		s.unread = append(s.unread, unread{c, at, err})
		return
	case aside:
		s.aside[at] = column
		return
	case coded:
		s.codes = append(s.codes, name)
	case column.Kind == tabular.Category:
		s.levels = append(s.levels, fmt.Sprintf("%s (%s)", name, text.Count(len(column.Levels), "level")))
	case column.Kind == tabular.Time:
		s.times = append(s.times, name)
	case c.percent:
		s.percents = append(s.percents, name)
	case c.grouped:
		s.grouped = append(s.grouped, name)
	case c.long:
		s.rounded = append(s.rounded, name)
	case areDays(c.numbers):
		s.days = append(s.days, name)
	}
	s.in.table.Columns = append(s.in.table.Columns, column)
}

// fault returns one fault for all columns that cannot be read, or nil.
func (s *settling) fault() error {
	isText := func(u unread) bool { return u.isText }
	texts := filter(s.unread, isText)
	if len(s.unread) == 0 {
		return nil
	}
	if len(s.unread) == 1 || len(texts) == 0 || s.unread[0].known != "" {
		return s.unread[0].fault
	}
	shown := mapped(s.unread, func(u unread) string {
		why := u.odd.Msg
		if u.isText {
			why = u.example()
		}
		return s.lay.columnName(u.at) + " (" + why + ")"
	})
	hint := s.lay.ignore(mapped(s.unread, func(u unread) int { return u.at }))
	if len(texts) == len(s.unread) {
		hint += " or FileOptions.IgnoreText"
	}
	return usererr.File(s.lay.path, 0, "leave them out ("+hint+")", "%d columns cannot be read: %s",
		len(s.unread), text.List(shown, shownInANote))
}

// example shows the first text of a column of text.
func (c *cells) example() string { return "text such as " + text.Quote(c.texts[c.oddRow]) }

// column returns the cells as a column of numbers, times or levels; shown is its name in messages.
func (c *cells) column(t *tabular.Table, name, shown string) (tabular.Column, error) {
	switch {
	case c.category:
		return c.levels(t, name, shown)
	case c.seconds:
		return tabular.Column{Name: name, Kind: tabular.Time, Values: c.numbers}, nil
	case c.odd == nil:
		return tabular.Column{Name: name, Kind: tabular.Number, Values: c.numbers}, nil
	}
	seconds, row, fault := timesOf(c.texts)
	switch {
	case fault != nil:
		return tabular.Column{}, t.Fault(row, fault.Hint, "column %s: %s", shown, fault.Msg)
	case seconds == nil && c.known == tabular.Time:
		return tabular.Column{}, t.Fault(c.oddRow, asClustered,
			"column %s holds text or times of several forms, but the clusters were found with times", shown)
	case seconds == nil && c.known == tabular.Number:
		return tabular.Column{}, c.refusal(t, c.remedy(c.odd.Hint), shown)
	case seconds == nil:
		return c.levels(t, name, shown)
	}
	return tabular.Column{Name: name, Kind: tabular.Time, Values: seconds}, nil
}

// refusal is the fault of the first cell that is not a number; shown is the column's name in messages.
func (c *cells) refusal(t *tabular.Table, hint, shown string) error {
	return t.Fault(c.oddRow, hint, "column %s: %s", shown, c.odd.Msg)
}

func tell(notes *[]string, what string, columns []string) {
	if len(columns) > 0 {
		*notes = append(*notes, what+text.List(columns, shownInANote))
	}
}

// all returns the texts of the cells, "" for a missing one. Numbers without texts are written in decimal.
func (c *cells) all() []string {
	if c.texts != nil {
		return c.texts
	}
	return mapped(c.numbers, func(v float64) string {
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	})
}

// namesRows reports whether a column only names or counts the rows: by different texts, most of which are neither
// numbers nor times, in any notation; by different whole numbers, where the header has no name or a name for
// rows; by whole numbers with more than fewLevels values, where it has a name for codes; or by numbers that rise by 1
// from row to row, if at least leastLeft other columns remain.
func (c *cells) namesRows(name string, header bool, columns int) bool {
	if columns < 2 {
		return false
	}
	if c.odd != nil || c.long {
		return (c.isText || c.odd == nil) && !slices.Contains(c.texts, "") && allDiffer(c.texts) && !c.hasNotation()
	}
	broken := func(v float64) bool { return isBroken(v) || math.Abs(v) > wholeNumbers }
	if slices.ContainsFunc(c.numbers, broken) {
		return false
	}
	counted := columns > leastLeft && counts(len(c.numbers), func(i int) float64 { return c.numbers[i] })
	named := isRowName(name) || header && name == ""
	return counted || named && allDiffer(c.numbers) || namesCodes(name) && numberOf(c.numbers) > fewLevels
}

// counts reports whether n values are at least leastCounted whole numbers that rise by 1 from row to row.
func counts(n int, value func(i int) float64) bool {
	if n < leastCounted || value(0) != math.Trunc(value(0)) {
		return false
	}
	for i := 1; i < n; i++ {
		if value(i) != value(i-1)+1 {
			return false
		}
	}
	return true
}

// fewCodes reports whether the cells are whole numbers with few values, each in several rows.
func (c *cells) fewCodes() bool {
	if c.odd != nil || c.seconds {
		return false
	}
	present := present(c.numbers)
	n := numberOf(present)
	return n > 1 && n <= fewLevels && n*rowsPerLevel <= len(present) && !slices.ContainsFunc(present, isBroken)
}

// isBroken reports whether a number is not whole, as NaN is not.
func isBroken(v float64) bool { return v != math.Trunc(v) }

func allDiffer[T cmp.Ordered](values []T) bool { return numberOf(values) == len(values) }

// numberOf returns the number of different values.
func numberOf[T cmp.Ordered](values []T) int {
	return len(slices.Compact(slices.Sorted(slices.Values(values))))
}

// levels returns a column of text as a category, or why it is not one; shown is its name in messages.
func (c *cells) levels(t *tabular.Table, name, shown string) (tabular.Column, error) {
	var list classList
	values := make([]float64, len(c.numbers))
	filled := 0
	whole := c.odd == nil && !slices.ContainsFunc(present(c.numbers), isBroken)
	for i, cell := range c.all() {
		if whole {
			cell = strings.TrimSuffix(cell, ".0") // as data frames write whole numbers beside gaps
		}
		values[i] = math.NaN()
		if cell == "" {
			continue
		}
		filled++
		if list.add(cell); len(list.classes) > fewLevels && !c.category {
			break
		}
		values[i] = float64(list.labels[len(list.labels)-1])
	}
	n, take := len(list.classes), "FileOptions.Categorical "+shown
	switch {
	case c.category || c.isText && n <= fewLevels && n*rowsPerLevel <= filled:
		return tabular.Column{Name: name, Kind: tabular.Category, Values: values, Levels: list.classes}, nil
	case c.isText:
		hint := "leave it out (FileOptions.Ignore " + shown + " or FileOptions.IgnoreText), take it as categories (" +
			take + "), or write plain numbers, or days as 2024-01-31"
		row, found := c.oddRow, c.example()
		if other := c.otherDay(); other >= 0 {
			row, found = other, text.Quote(c.texts[other])+" among days such as "+text.Quote(c.texts[row])
		}
		return tabular.Column{}, t.Fault(row, hint, "column %s holds %s", shown, found)
	case c.odd.Hint != deleteLine && c.words >= rowsPerLevel && n <= fewLevels:
		return tabular.Column{}, c.refusal(t, c.odd.Hint+"; "+take+" takes all its values as categories", shown)
	}
	return tabular.Column{}, c.refusal(t, c.odd.Hint, shown)
}

// otherDay returns the first row whose text is no day of the form of the first text, −1 if that is no day.
func (c *cells) otherDay() int {
	first := c.texts[c.oddRow]
	differs := func(cell string) bool { return len(layoutsOf([]string{first, cell})) == 0 }
	if differs(first) {
		return -1
	}
	return slices.IndexFunc(c.texts, differs)
}

func present(numbers []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(numbers), math.IsNaN)
}
