package files

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// keepVector keeps one of the columns of vectors, and the columns of Options.Aside, as the coordinates. A column with a
// name for the points' names holds them. A warning lists the other columns. It is an error if the user chose other
// columns, or if several columns could be the vectors.
func (l *layout) keepVector(vectors []int, o Options) error {
	if len(vectors) == 0 {
		return nil
	}
	if len(vectors) > 1 {
		return usererr.File(l.path, 0, "name one (FileOptions.Columns)",
			"several columns could be the vectors: %s", text.List(mapped(vectors, l.columnName), shownInANote))
	}
	kept := filter(l.coords, func(c int) bool { return c == vectors[0] || slices.Contains(l.aside, c) })
	rest := filter(l.coords, func(c int) bool { return !slices.Contains(kept, c) })
	if len(rest) > 0 && (len(o.Columns) > 0 || o.Encoding != nil) {
		return usererr.File(l.path, 0, "choose columns of numbers, or one of vectors",
			"column %s holds vectors, the others do not", l.columnName(vectors[0]))
	}
	l.coords = kept
	if l.name < 0 {
		l.chooseNames()
	}
	if rest = filter(rest, func(c int) bool { return c != l.name }); len(rest) > 0 {
		l.warn("column %s holds the vectors; not read, unless FileOptions.Columns takes them in its place: %s",
			l.columnName(vectors[0]), text.List(mapped(rest, l.columnName), shownInANote))
	}
	return nil
}

func filter[T any](all []T, keep func(T) bool) (kept []T) {
	for _, v := range all {
		if keep(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// mapped returns f of each value.
func mapped[T, U any](all []T, f func(T) U) []U {
	each := make([]U, len(all))
	for i, v := range all {
		each[i] = f(v)
	}
	return each
}

// addVectors makes the table of a column of vectors, all of one length.
func (s *settling) addVectors(at int, c *cells) error {
	for _, cell := range c.texts { // no texts if the file holds lists
		v := vectorOf(cell)
		c.vectors, c.lengths = append(c.vectors, v...), append(c.lengths, len(v))
	}
	d := c.lengths[0]
	row := slices.IndexFunc(c.lengths, func(n int) bool { return n != d || n == 0 })
	if infinite := slices.IndexFunc(c.vectors, isInfinite); row < 0 && infinite >= 0 {
		row = infinite / d
	}
	if row >= 0 {
		return s.in.table.Fault(row, "give every row a vector of as many finite numbers",
			"column %s holds no vector like the others here", s.lay.columnName(at))
	}
	s.in.table.Columns = tabular.Matrix(c.vectors, d).Columns
	return nil
}

func isInfinite(v float64) bool { return math.IsInf(v, 0) }

// holdsVectors reports whether the cells are vectors, or texts and the first one is a vector.
func (c *cells) holdsVectors() bool {
	i := slices.IndexFunc(c.texts, isFull)
	return c.vectors != nil || i >= 0 && vectorOf(c.texts[i]) != nil
}

// vectorOf returns the finite numbers of a cell such as [0.1, -2e3] or [0.1 -2e3], and nil for any other cell.
func vectorOf(cell string) (numbers []float64) {
	inner, begins := strings.CutPrefix(cell, "[")
	inner, ends := strings.CutSuffix(inner, "]")
	if !begins || !ends {
		return nil
	}
	for number := range strings.FieldsFuncSeq(inner, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		v, err := parseDecimal(number)
		if err != nil || isInfinite(v) || math.IsNaN(v) {
			return nil
		}
		numbers = append(numbers, v)
	}
	return numbers
}
