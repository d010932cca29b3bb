package files

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Lines end in LF or CRLF; see lines for comments. Cells may be quoted; spaces around them do not count, but no space
// may follow a closing quote. Numbers are decimal with a point, or with a comma where another sign separates the cells.

var tableFormat = fileFormat{kind: "table", columns: true, header: true, read: readTable}

const asText = "save the table as CSV text in UTF-8"

func readTable(name string, content []byte, o Options) (*Input, error) {
	lines, err := newLines(name, content, o.Comma)
	if err != nil {
		return nil, err
	}
	cells := newCSV(bytes.NewReader(lines.text), lines.comma)
	cells.ReuseRecord = true
	t := &table{path: name, lines: lines, csv: cells, in: &Input{Pool: &data.Pool{}}}
	o.mark, o.blanks = decimalMark(lines.rows, lines.comma), lines.width > 1
	first, err := t.next()
	if errors.Is(err, io.EOF) {
		return nil, usererr.File(name, 0, "give at least 2 points, one a line", "the file holds no points")
	}
	if err != nil {
		return nil, err
	}
	if w := lines.width; w > 1 && len(first) == 1 {
		return nil, t.fault(0, "delete the lines above the table",
			"the line has 1 cell, but most lines have %d", w)
	}
	if !o.Frame {
		first[0] = strings.TrimPrefix(first[0], "# ")
	}
	sample := newCSV(strings.NewReader(strings.ReplaceAll(strings.Join(lines.rows, "\n"), " ", "")), lines.comma)
	sample.LazyQuotes = true
	rest, _ := sample.ReadAll() // without spaces; a fault shows when the table is read
	rest = rest[min(len(rest), 1):]
	if o.Header != "no" {
		o = o.alike(first)
	}
	names := first
	if o.Header != "no" && lacksName(first, rest, o.mark) {
		t.in.Notes = append(t.in.Notes, fmt.Sprintf("line %d names all columns but the first", t.line(0)))
		names = append([]string{""}, first...)
	}
	if t.lay, err = newLayout(name, t.line(0), names, rest, o); err != nil {
		return nil, err
	}
	t.options = o
	return t.in, t.read(first)
}

const (
	mend     = "mend or delete this line"
	noSpaces = "separate the cells with commas or tabs, not spaces"
)

// table turns the rows of CSV text into an Input.
type table struct {
	path    string
	options Options
	lines   *lines
	csv     *csv.Reader
	lay     *layout
	in      *Input
	foreign int // number of cells that are not UTF-8
	ended   int // number of rows with a separator at their end
}

func newCSV(in io.Reader, comma rune) *csv.Reader {
	c := csv.NewReader(in)
	c.Comma = comma
	c.FieldsPerRecord = -1                       // read checks the number of cells itself
	c.TrimLeadingSpace = !unicode.IsSpace(comma) // it would swallow empty cells between tabs
	return c
}

// next returns the next row, with trimmed cells; it is valid until the next call. The error is io.EOF at the end, and
// otherwise names the line.
func (t *table) next() ([]string, error) {
	row, err := t.csv.Read()
	if err != nil {
		if bad, is := errors.AsType[*csv.ParseError](err); is {
			err = usererr.File(t.path, bad.StartLine, mend,
				`a quote (") stands inside a cell, is not closed, or has text behind it`)
		}
		return nil, err
	}
	for i, cell := range row {
		if !utf8.ValidString(cell) {
			cell, _ = charmap.Windows1252.NewDecoder().String(cell) // which reads any byte
			t.foreign++
		}
		row[i] = strings.TrimSpace(cell)
	}
	return row, nil
}

// line returns the line where cell i of the last row starts.
func (t *table) line(i int) int {
	line, _ := t.csv.FieldPos(i)
	return line
}

func (t *table) fault(i int, hint, format string, args ...any) error {
	return usererr.File(t.path, t.line(i), hint, format, args...)
}

// read reads all points; first is the first row of the file. Rows of empty cells at the end of the file are no points.
func (t *table) read(first []string) (err error) {
	row, width, full := first, len(t.lay.names), 0 // number of rows up to the last one that is not empty
	if t.lay.header {
		row, err = t.next()
	}
	for ; err == nil; row, err = t.next() {
		if len(row) == width+1 && row[width] == "" {
			row = row[:width]
			t.ended++
		}
		if len(row) != width {
			return t.fault(0, mend, "the line has %s in place of %d", text.Count(len(row), "cell"), width)
		}
		for _, c := range t.lay.read {
			t.lay.cells[c].texts = append(t.lay.cells[c].texts, row[c])
		}
		t.in.Lines = append(t.in.Lines, t.line(0))
		if width == 1 || t.options.Frame || slices.ContainsFunc(row, isFull) {
			full = len(t.in.Lines)
		}
		if err := checkRoom(t.path, len(t.in.Lines)*cellBytes*(1+len(t.lay.read))); err != nil {
			return err
		}
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	t.note(len(t.in.Lines)-full, "line of empty cells is", "lines of empty cells are",
		"left out at the end of the file")
	t.in.Lines = t.in.Lines[:full]
	for _, c := range t.lay.read {
		t.lay.cells[c].texts = t.lay.cells[c].texts[:full]
	}
	return t.settle()
}

func (t *table) settle() error {
	in, lay := t.in, t.lay
	for _, c := range lay.read {
		lay.cells[c].parse(t.options.mark)
	}
	if !lay.joinThousands(t.options.mark) && t.options.mark == ',' {
		in.Notes = append(in.Notes, "numbers have decimal commas")
	}
	t.note(t.lines.noted, "comment line is", "comment lines are",
		fmt.Sprint("skipped, the first is line ", t.lines.firstNoted))
	t.note(t.foreign, "cell is", "cells are", "read as Windows-1252 (Latin-1) text")
	t.note(t.ended, "line ends", "lines end", "in a separator that parts nothing")
	if err := in.settle(lay, t.options); err != nil {
		return err
	}
	return t.checkCount()
}

func (t *table) note(n int, one, many, what string) {
	if n > 0 {
		t.in.Notes = append(t.in.Notes, text.Count(n, one, many)+" "+what)
	}
}

// cellBytes is the memory of a cell: its number, and where its text is in the text of the row.
const cellBytes = 8 + 2*8

// checkRoom returns a *usererr.Error if growing lists of this many bytes need more memory than the limit: lists are
// copied when they grow, and garbage is collected later.
func checkRoom(path string, bytes int) error {
	const growth = 3
	return usererr.In(path, memory.Demand(growth*float64(bytes), "what is read of it", "give fewer rows or columns"))
}

// checkCount returns an error for fewer than two points, or than one if a single one is allowed.
func (t *table) checkCount() error {
	least, hint := 2, "give at least 2 points, one a line"
	if t.options.Single || t.options.Encoding != nil {
		least, hint = 1, "give at least 1 point"
	}
	if t.lay.header && t.lay.guessed {
		hint += ", or use FileOptions.Header no if the first line is a point"
	}
	if n := len(t.in.Lines); n < least {
		return usererr.File(t.path, 0, hint, "the file holds only %s", text.Count(n, "point"))
	}
	return nil
}
