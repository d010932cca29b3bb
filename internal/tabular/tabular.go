// Package tabular reads the user's points from CSV or TSV text: coordinates, and labels if there are any. It checks all
// that a person can get wrong in such a file and says where and how to mend it. Scaling points belongs elsewhere.
//
// Text is UTF-8, with or without a byte order mark; lines end in LF or CRLF. Blank lines and lines that start with #
// are skipped; a lone empty cell makes a blank line. Cells may be quoted, and
// spaces around them do not count, save that none may follow a closing quote. Numbers are decimal with a point.
package tabular

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Options says how to read a table. The zero value finds out everything by itself.
type Options struct {
	// LabelColumn is the name or the 1-based number of the column of labels. If it is empty, a column that the header
	// names exactly "label", "labels", "cluster", "class" or "y_true" holds them, and a warning tells so; without such
	// a column there are no labels.
	LabelColumn string

	// Columns are the names or 1-based numbers of the coordinate columns, in the wanted order. Empty means every
	// column but the label's. What is both a name and a number is taken as a name.
	Columns []string

	// Header tells whether the first line holds the column names: "yes", "no" or "auto". Empty is "auto": it does if
	// it holds text in a coordinate column, or in any column where LabelColumn or Columns has a name.
	Header string

	// Comma separates the cells. Zero means a tab for names that end in .tsv or .tab; otherwise whichever of tab,
	// semicolon and comma splits the first lines evenly.
	Comma rune
}

// Table is a set of N points with D coordinates.
type Table struct {
	Path       string    // the file, as the user wrote it
	N, D       int       // number of points, at least 2, and of coordinates, at least 1
	X          []float32 // coordinates [N,D], row-major, finite
	Columns    []string  // names of the coordinate columns [D]; x1, x2 ... by their place in the file if they have none
	Labels     []int32   // labels [N] in order of first appearance; nil without a label column
	LabelNames []string  // the text of each label; nil without a label column
	Lines      []int     // 1-based line of the file where each point stands [N]
	Warnings   []string  // what may surprise the user, a line each
}

// Read reads the table in the file at path; "-" is standard input. All faults of the file or the options are
// *usererr.Error and name the path, the line where there is one, and the remedy.
func Read(path string, opts Options) (*Table, error) {
	if path == "-" {
		t, err := Parse("standard input", os.Stdin, opts)
		if t != nil {
			t.Path = path
		}
		return t, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, openFault(path, err)
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, usererr.File(path, 0, "name a CSV or TSV file", "is a directory")
	}
	return Parse(path, f, opts)
}

// openFault explains why a file could not be opened.
func openFault(path string, err error) error {
	e := usererr.File(path, 0, "check the path", "no such file")
	e.Err = err
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
	case errors.Is(err, fs.ErrPermission):
		e.Msg, e.Hint = "no permission to read it", "make it readable"
	default:
		return fmt.Errorf("read %s: %w", path, err)
	}
	return e
}

// Parse reads a table from r. name stands for the file in messages and in Table.Path, and its ending may tell the
// separator. Errors are as in Read; an error of r itself is wrapped.
func Parse(name string, r io.Reader, opts Options) (*Table, error) {
	if err := checkOptions(opts); err != nil {
		return nil, err
	}
	opts = trimmed(opts)
	in := bufio.NewReaderSize(r, sniffSize)
	start, err := checkText(name, in)
	if err != nil {
		return nil, err
	}
	comma := opts.Comma
	if comma == 0 {
		comma = sniffComma(name, start)
	}
	rows := newRowReader(name, in, comma)
	first, err := rows.next()
	if errors.Is(err, io.EOF) {
		return nil, usererr.File(name, 0, "give at least 2 points, one a line", "the file holds no points")
	}
	if err != nil {
		return nil, err
	}
	lay, err := newLayout(name, rows.line(0), first, opts)
	if err != nil {
		return nil, err
	}
	t := &Table{Path: name, D: len(lay.coords), Columns: lay.coordNames(), Warnings: lay.warnings}
	if !lay.header {
		t.Warnings = append(t.Warnings, commentWarning(start, comma, len(first))...)
	}
	if err := t.fill(rows, lay, first); err != nil {
		return nil, err
	}
	t.Warnings = append(t.Warnings, duplicateWarning(t.X, t.D)...)
	return t, nil
}

// checkOptions refuses options that no file could satisfy.
func checkOptions(opts Options) error {
	switch opts.Header {
	case "", "auto", "yes", "no":
	default:
		return usererr.New("use auto, yes or no", "header %q is unknown", opts.Header)
	}
	if bad := opts.Comma; bad != 0 && (!utf8.ValidRune(bad) || strings.ContainsRune("\"#\r\n\uFFFD", bad)) {
		return usererr.New("use a comma, a semicolon or a tab", "%q cannot separate cells", opts.Comma)
	}
	return nil
}

// trimmed returns opts with spaces around column names removed, as they are around cells.
func trimmed(opts Options) Options {
	columns := make([]string, len(opts.Columns))
	for i, c := range opts.Columns {
		columns[i] = strings.TrimSpace(c)
	}
	opts.Columns, opts.LabelColumn = columns, strings.TrimSpace(opts.LabelColumn)
	return opts
}
