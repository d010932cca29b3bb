package files

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// labelNames are the names, in lower case, of columns of labels; see Options.LabelColumn for y. rowNames are the names
// of columns with the points' names.
var (
	labelNames = []string{
		"label", "labels", "cluster", "class", "y_true", "target", "targets", "species", "cultivar", "variety",
		"diagnosis", "outcome", "ground_truth", "y",
	}
	rowNames = []string{
		"id", "ids", "name", "names", "index", "key", "uid", "uuid", "subject", "filename", "__index_level_0__",
	}
)

// layout holds the role of each column of the file. Columns are counted from 0 here, and from 1 in messages.
type layout struct {
	path       string
	line       int      // line of the first row
	header     bool     // the first row holds the names
	guessed    bool     // the user did not say whether the first row does
	names      []string // by column: the cell of the header, "" without a header
	coords     []int    // the coordinate columns in their order
	numbered   []int    // the coordinates that were chosen by number
	read       []int    // the columns that are read: coordinates, labels and names
	cells      []*cells // by column: of those that are read, nil for the others
	categories []int    // columns of Options.Categorical
	encoded    []int    // columns of Options.Encoding, in its order
	aside      []int    // columns of Options.Aside
	label      int      // the label column, or -1
	name       int      // the column of the points' names, or -1
	warnings   []string
}

// newLayout finds the layout from the first row of the file and some of the rest, which may be nil.
func newLayout(path string, line int, first []string, rest [][]string, opts Options) (*layout, error) {
	l := &layout{path: path, line: line, label: -1, name: -1, names: make([]string, len(first))}
	l.guessed = opts.Header != "yes" && opts.Header != "no"
	if l.header = opts.Header == "yes" || l.guessed && looksLikeHeader(first, rest, opts); l.header {
		for i, name := range first {
			l.names[i] = strings.Clone(name)
		}
	}
	if err := l.choose(opts, rest); err != nil {
		return nil, err
	}
	l.checkHeader(rest)
	return l, nil
}

// mostShown is the largest number of columns that the hint of a fault lists.
const mostShown = 20

// columnNumber returns the 0-based column of a 1-based number, or -1 if text is not one.
func columnNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return -1
	}
	return n - 1
}

func (l *layout) choose(opts Options, rest [][]string) error {
	var ignored, label []int
	for _, list := range []struct {
		names  []string
		option string
		to     *[]int
	}{
		{opts.Columns, "FileOptions.Columns", &l.coords},
		{opts.Ignore, "FileOptions.Ignore", &ignored},
		{opts.Aside, "FileOptions.Aside", &l.aside},
		{opts.Categorical, "FileOptions.Categorical", &l.categories},
		{filter([]string{opts.LabelColumn}, isFull), "FileOptions.LabelColumn", &label},
	} {
		for _, name := range list.names {
			c, err := l.find(name, list.option)
			if err != nil {
				return err
			}
			*list.to = append(*list.to, c)
		}
	}
	l.numbered = filter(l.coords, func(c int) bool { return !slices.Contains(opts.Columns, l.names[c]) })
	chosen := slices.Concat(l.coords, label)
	for i, c := range chosen {
		if slices.Contains(chosen[:i], c) {
			return l.fault("leave one out", "column %s is chosen twice as a coordinate or label", l.columnName(c))
		}
	}
	for _, c := range slices.Concat(l.coords, l.aside) {
		if slices.Contains(ignored, c) {
			return l.fault("leave it out of one", "column %s is chosen, and in FileOptions.Ignore", l.columnName(c))
		}
	}
	if opts.Encoding != nil {
		if err := l.chooseEncoded(*opts.Encoding); err != nil {
			return err
		}
	}
	if label != nil {
		l.label = label[0]
	} else if err := l.chooseLabel(opts, rest, slices.Concat(ignored, l.aside)); err != nil {
		return err
	}
	for _, c := range l.aside {
		if len(opts.Columns) > 0 && !slices.Contains(l.coords, c) {
			l.coords = append(l.coords, c)
		}
	}
	if len(opts.Columns) == 0 && opts.Encoding == nil {
		for c := range l.names {
			if c != l.label && !slices.Contains(ignored, c) {
				l.coords = append(l.coords, c)
			}
		}
	}
	switch {
	case len(l.coords) == 0 && l.label < 0:
		return l.fault("leave some out of FileOptions.Ignore", "no column is left")
	case len(l.coords) == 0:
		return l.fault("add a column of numbers, or choose columns (FileOptions.Columns)",
			"column %s holds the labels, and there is no other", l.columnName(l.label))
	}
	return l.chooseKinds(opts)
}

// chooseEncoded makes the columns of another file's encoding the coordinates.
func (l *layout) chooseEncoded(e tabular.Encoding) error {
	for _, code := range e.Columns {
		c := slices.Index(l.names, code.Name)
		if number, is := strings.CutPrefix(code.Name, "x"); is && (!l.header || c < 0) {
			c = columnNumber(number)
			l.numbered = append(l.numbered, c)
			if c >= 0 && c < len(l.names) && l.coordName(c) != code.Name {
				c = -1 // the column has another name here
			}
		}
		if c < 0 || c >= len(l.names) {
			return tabular.Lacks(l.path, l.names, code.Name)
		}
		l.coords = append(l.coords, c)
	}
	l.encoded = slices.Clone(l.coords)
	return nil
}

// chooseKinds makes empty cells for the columns that are read and marks those that must be levels or numbers.
func (l *layout) chooseKinds(opts Options) error {
	l.chooseNames()
	l.cells = make([]*cells, len(l.names))
	codes := numbersAmong(opts.Missing)
	l.read = slices.Clone(l.coords)
	if l.label >= 0 && !opts.NoLabels {
		l.read = append(l.read, l.label)
	}
	if l.name >= 0 {
		l.read = append(l.read, l.name)
	}
	for _, c := range l.read {
		l.cells[c] = &cells{
			name: l.names[c], missing: opts.Missing, codes: codes, blanks: opts.blanks,
			plainText: c == l.label || c == l.name, frame: opts.Frame || c == l.name,
		}
		if len(opts.Like) > 0 {
			l.cells[c].known = tabular.Number
		}
	}
	for _, c := range l.categories {
		if l.cells[c] == nil && opts.Frame {
			continue // its type says that it is one, also of labels
		}
		if l.cells[c] == nil {
			return l.fault("leave it out of FileOptions.Categorical",
				"column %s is not read", l.columnName(c))
		}
		l.cells[c].category = true
	}
	if opts.Encoding != nil {
		for j, code := range opts.Encoding.Columns {
			c := l.cells[l.encoded[j]]
			c.known, c.category = code.Kind, code.Kind == tabular.Category
		}
		slices.Sort(l.coords) // an encoding finds its columns by their names
	}
	return nil
}

// chooseLabel sets the label column to one with a label's name. The rest of the rows shows whether y may be one. If
// labels are left out and the coordinates are chosen, no column of labels is looked for.
func (l *layout) chooseLabel(opts Options, rest [][]string, ignored []int) error {
	if opts.NoLabels && (len(opts.Columns) > 0 || opts.Encoding != nil) {
		return nil
	}
	for c, name := range l.names {
		if slices.Contains(ignored, c) {
			continue
		}
		if lower := strings.ToLower(name); lower != "y" {
			name = lower
		}
		// A column y is a coordinate if there is a column x, fewer than three columns, or a fraction in it.
		fractions := len(rest) > 0 && c < len(rest[0]) && isFraction(rest[0][c])
		isPlane := name == "y" && (len(l.names) < 3 || slices.Contains(l.names, "x") || fractions)
		if isPlane || slices.Contains(l.coords, c) || !slices.Contains(labelNames, name) {
			continue
		}
		if l.label >= 0 {
			return l.fault("rename one (or name it in FileOptions.LabelColumn, and the coordinates in "+
				"FileOptions.Columns)", "columns %s and %s could both hold the labels", l.columnName(l.label),
				l.columnName(c))
		}
		l.label = c
	}
	if l.label >= 0 {
		l.warn("column %s is set apart as the labels; rename it to use it as a coordinate "+
			"(or list it in FileOptions.Columns)", l.columnName(l.label))
	}
	return nil
}

// isFraction reports whether a cell is a number with a decimal mark or an exponent, which labels do not have.
func isFraction(cell string) bool {
	return isNumber(strings.Replace(cell, ",", ".", 1)) && strings.ContainsAny(cell, ".,eE")
}

// chooseNames finds the column of the points' names: an unused column with a name of rowNames or without a name.
func (l *layout) chooseNames() {
	for c, name := range l.names {
		mayName := l.header && (name == "" || isRowName(name))
		if mayName && c != l.label && !slices.Contains(l.coords, c) {
			l.name = c
			return
		}
	}
}

// find returns the column with a name or a 1-based number; without a header x1 is the first. option is where the user
// gave it.
func (l *layout) find(want, option string) (int, error) {
	if want != "" {
		if c := slices.Index(l.names, want); c >= 0 {
			if again := slices.Index(l.names[c+1:], want); again >= 0 {
				return 0, l.fault("use a number in "+option, "columns %d and %d are both named %s",
					c+1, c+again+2, text.Quote(want))
			}
			return c, nil
		}
	}
	number := want
	if !l.header {
		number = strings.TrimPrefix(want, "x")
	}
	if c := columnNumber(number); c >= 0 && c < len(l.names) {
		return c, nil
	}
	hint := "use 1 to " + strconv.Itoa(len(l.names)) + " in " + option + ", or FileOptions.Header yes"
	if l.header {
		known := make([]string, len(l.names))
		for c := range known {
			known[c] = l.columnName(c)
		}
		hint = usererr.DidYouMean(want, l.names, "use one of "+text.List(known, mostShown)+" in "+option)
	}
	return 0, l.fault(hint, "no column is named %s", text.Quote(want))
}

func (l *layout) columnName(c int) string {
	if l.names[c] != "" {
		return text.Quote(l.names[c])
	}
	return strconv.Itoa(c + 1)
}

// coordName returns the name of a coordinate column, or x and its number in the file if it has no name or was chosen by
// number among columns of one name.
func (l *layout) coordName(c int) string {
	same := func(name string) bool { return name == l.names[c] }
	if l.names[c] == "" || slices.Contains(l.numbered, c) && len(filter(l.names, same)) > 1 {
		return tabular.DefaultName(c)
	}
	return l.names[c]
}

// ignore returns FileOptions.Ignore for columns, by their numbers.
func (l *layout) ignore(columns []int) string {
	numbers := mapped(columns, func(c int) string { return strconv.Itoa(c + 1) })
	return `FileOptions.Ignore "` + strings.Join(numbers, ",") + `"`
}

// checkHeader warns of a header that may be a point. This is so if it holds a number, perhaps by a typing error, or if
// at least half of its words stand below themselves, too.
func (l *layout) checkHeader(rest [][]string) {
	if !l.header || !l.guessed {
		return
	}
	values := filter(l.coords, func(c int) bool { return isNumber(l.names[c]) })
	below := filter(l.coords, func(c int) bool { return l.names[c] != "" && standsBelow(l.names[c], c, rest) })
	if 2*len(below) >= len(l.coords) {
		values = append(values, below...)
	}
	if len(values) > 0 {
		l.warn("line %d is taken as the header, although %s may be a value; use FileOptions.Header no if it is a point",
			l.line, text.Quote(l.names[values[0]]))
	}
}

// standsBelow reports whether a column's name is one of its cells, which lack spaces here.
func standsBelow(name string, c int, rest [][]string) bool {
	name = strings.ReplaceAll(name, " ", "")
	return slices.ContainsFunc(rest, func(row []string) bool { return c < len(row) && row[c] == name })
}

func (l *layout) warn(format string, args ...any) {
	l.warnings = append(l.warnings, fmt.Sprintf(format, args...))
}

// fault returns an error about the header, or about the whole file if it has no header.
func (l *layout) fault(hint, format string, args ...any) error {
	line := 0
	if l.header {
		line = l.line
	}
	return usererr.File(l.path, line, hint, format, args...)
}
