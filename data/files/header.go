package files

import (
	"errors"
	"slices"
	"strconv"

	"github.com/gfncp/gfncp/data/tabular"
)

// looksLikeHeader reports whether the first row is a header: see Options.Header. Empty cells do not count.
func looksLikeHeader(first []string, rest [][]string, opts Options) bool {
	text := func(i int) bool { return i >= 0 && i < len(first) && isWord(first[i], opts.mark) }
	named := func(want string) bool {
		_, err := strconv.Atoi(want)
		return err != nil
	}
	if opts.Encoding != nil && slices.ContainsFunc(opts.Encoding.Columns, func(c tabular.Code) bool {
		return slices.Contains(first, c.Name)
	}) {
		return true
	}
	alike := len(opts.Like) > 0 && slices.Equal(opts.Columns, opts.Like)
	if opts.Encoding == nil && (alike || numbersColumns(first, rest)) {
		return true
	}
	label := columnNumber(opts.LabelColumn)
	if opts.LabelColumn != "" && named(opts.LabelColumn) || slices.ContainsFunc(opts.Columns, named) {
		label = -1
	} else if len(opts.Columns) > 0 {
		return slices.ContainsFunc(opts.Columns, func(c string) bool { return text(columnNumber(c)) })
	}
	for i := range first {
		if i != label && text(i) {
			return true
		}
	}
	return false
}

// numbersColumns reports whether the first row is a header of whole numbers in equal steps, such as 0,1,2 or 1990,2000:
// if names of rows stand below an empty first cell; if there are leastCounted rows or columns, and each row of numbers
// has a fraction; or if there are as many rows and columns, and no other row has equal steps.
func numbersColumns(first []string, rest [][]string) bool {
	if len(first) < 2 || len(rest) < 2 {
		return false
	}
	if first[0] == "" {
		return stepOf(first[1:]) != 0 && beginWithNames(rest)
	}
	whole := func(row []string) bool {
		return slices.ContainsFunc(row, isWhole) && !slices.ContainsFunc(row, isFraction)
	}
	stepped := func(row []string) bool { return stepOf(row) != 0 }
	enough := max(len(first), len(rest)) >= leastCounted
	if slices.ContainsFunc(rest, whole) {
		enough = min(len(first), len(rest)) >= leastCounted && !slices.ContainsFunc(rest, stepped)
	}
	return enough && stepOf(first) != 0
}

// beginWithNames reports whether the first cells of rows differ and may be names.
func beginWithNames(rows [][]string) bool {
	names := mapped(rows, func(row []string) string { return row[0] })
	unnamed := func(name string) bool { return isGap(name) || isFraction(name) }
	return allDiffer(names) && !slices.ContainsFunc(names, unnamed)
}

// lacksName reports whether the first row is a header without a name for the names of rows, as R writes it: each other
// row has one cell more, which is not empty in all.
func lacksName(first []string, rest [][]string, mark byte) bool {
	word := func(cell string) bool { return isWord(cell, mark) }
	long := filter(rest, func(row []string) bool { return len(row) == len(first)+1 })
	full := func(row []string) bool { return row[len(first)] != "" }
	return len(rest) > 0 && len(long) == len(rest) && slices.ContainsFunc(rest, full) && beginWithNames(rest) &&
		slices.ContainsFunc(first, word)
}

// stepOf returns the step of whole numbers in equal steps, which is 1 for two of them; 0 for others.
func stepOf(cells []string) (step int) {
	for i := range len(cells) - 1 {
		a, err := strconv.Atoi(cells[i])
		b, other := strconv.Atoi(cells[i+1])
		if err != nil || other != nil || i > 0 && b-a != step {
			return 0
		}
		step = b - a
	}
	if len(cells) < 3 && step != 1 {
		return 0
	}
	return step
}

// isWord reports whether a cell is neither a number nor a time nor missing.
func isWord(cell string, mark byte) bool {
	_, _, err := parseNumber(cell, mark)
	return !isGap(cell) && err != nil && !errors.Is(err, strconv.ErrRange) && len(layoutsOf([]string{cell})) == 0
}
