package files

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Text is UTF-8, with or without a byte order mark; lines end in LF or CRLF. Blank lines and lines that start with #
// are skipped; a lone empty cell makes a blank line. Cells may be quoted; spaces around them do not count, save that
// none may follow a closing quote. Numbers are decimal with a point, or with a comma where another sign parts cells.

var tableFormat = fileFormat{kind: "table", columns: true, header: true, read: readTable}

func readTable(from *opened, o Options) (*Input, error) {
	name := from.path
	in := bufio.NewReaderSize(from.in, sniffSize)
	start, err := checkText(name, in)
	if err != nil {
		return nil, err
	}
	comma := o.Comma
	if comma == 0 {
		comma = sniffComma(plainName(name), start)
	}
	t := newTable(name, in, comma)
	if o.mark = decimalMark(firstLines(start, 1000), comma); o.mark == ',' {
		t.in.Notes = append(t.in.Notes, "numbers have decimal commas")
	}
	first, err := t.next()
	if errors.Is(err, io.EOF) {
		return nil, usererr.File(name, 0, "give at least 2 points, one a line", "the file holds no points")
	}
	if err != nil {
		return nil, err
	}
	var second []string // its cells need no check here
	if lines := firstLines(start, 2); len(lines) > 1 {
		second = strings.Split(lines[1], string(comma))
	}
	if o.Header != "no" {
		o = o.alike(first)
	}
	if t.lay, err = newLayout(name, t.line(0), first, second, o); err != nil {
		return nil, err
	}
	t.options, t.columns = o, t.lay.cells()
	t.in.Warnings = t.lay.warnings
	if !t.lay.header {
		t.in.Warnings = append(t.in.Warnings, commentWarning(start, comma, len(first))...)
	}
	return t.in, t.read(first)
}

// sniffSize is how many bytes of the start are looked at to tell the kind of file and the separator.
const sniffSize = 1 << 16

const asText = "save the table as CSV text in UTF-8"

// checkText returns the start of the input, at most sniffSize bytes, without a byte order mark, which it consumes. It
// refuses an empty input, UTF-16, binary data and line ends that are a lone CR.
func checkText(name string, in *bufio.Reader) ([]byte, error) {
	start, err := in.Peek(sniffSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fileio.ReadFault(name, err)
	}
	if bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff")) {
		return nil, usererr.File(name, 0, asText, "the file is UTF-16 text")
	}
	if bom := []byte("\xef\xbb\xbf"); bytes.HasPrefix(start, bom) {
		if _, err := in.Discard(len(bom)); err != nil {
			return nil, fileio.ReadFault(name, err)
		}
		start = start[len(bom):]
	}
	switch {
	case len(start) == 0:
		return nil, usererr.File(name, 0, "give at least 2 points, one a line", "the file is empty")
	case bytes.IndexByte(start, 0) >= 0:
		return nil, usererr.File(name, 0, asText, "the file is binary data, not text")
	case bytes.IndexByte(start, '\n') < 0 && bytes.IndexByte(bytes.TrimRight(start, "\r"), '\r') >= 0:
		return nil, usererr.File(name, 0, "save it with LF or CRLF line ends", "the lines end in a lone CR")
	}
	return start, nil
}

// sniffComma tells the separator from the file's name or else its first lines: the one that splits most lines into as
// many cells as the first, at least 2. Among equals tab and semicolon win, because commas may be decimal marks then.
func sniffComma(name string, start []byte) rune {
	switch filepath.Ext(name) {
	case ".tsv", ".tab":
		return '\t'
	}
	lines := firstLines(start, 10)
	best, most := ',', 0
	for _, comma := range "\t;," {
		even := 0
		for _, line := range lines {
			if n := countCells(line, comma); n > 1 && n == countCells(lines[0], comma) {
				even++
			}
		}
		if even > most {
			best, most = comma, even
		}
	}
	return best
}

// firstLines returns the first lines that hold cells. A last one that may be cut is left out, unless it is the only.
func firstLines(start []byte, most int) []string {
	var lines []string
	for line := range strings.Lines(string(start)) {
		cut := !strings.HasSuffix(line, "\n") && len(lines) > 0
		if cut || len(lines) == most {
			break
		}
		if strings.TrimSpace(line) != "" && line[0] != '#' {
			lines = append(lines, strings.TrimRight(line, "\r\n"))
		}
	}
	return lines
}

// countCells counts the cells of a line; separators inside quotes do not count.
func countCells(line string, comma rune) int {
	cells, quoted := 1, false
	for _, r := range line {
		switch {
		case r == '"':
			quoted = !quoted
		case r == comma && !quoted:
			cells++
		}
	}
	return cells
}

// commentWarning warns if the first line is a comment with as many cells as a point: numpy.savetxt, for one, writes
// column names like that, and they are not used.
func commentWarning(start []byte, comma rune, cells int) []string {
	line, _, _ := bytes.Cut(start, []byte("\n"))
	if cells < 2 || len(line) == 0 || line[0] != '#' || countCells(string(line), comma) != cells {
		return nil
	}
	return []string{"line 1 starts with # and is skipped as a comment; take the # away if it holds the column names"}
}

const mend = "mend or delete this line"

// table turns the rows of CSV text into an Input.
type table struct {
	path    string
	options Options
	csv     *csv.Reader
	lay     *layout
	columns []*cells // the coordinates
	labels  classList
	in      *Input
}

// newTable reads CSV text from r, which has no byte order mark.
func newTable(path string, r io.Reader, comma rune) *table {
	c := csv.NewReader(r)
	c.Comma = comma
	c.Comment = '#'
	c.FieldsPerRecord = -1                       // read checks the number of cells itself, to name the first line
	c.TrimLeadingSpace = !unicode.IsSpace(comma) // it would swallow empty cells between tabs
	c.ReuseRecord = true
	return &table{path: path, csv: c, in: &Input{Pool: &data.Pool{}}}
}

// next returns the next row that is not blank, with trimmed cells, valid until the following call. The error at the end
// is io.EOF; others name the line.
func (t *table) next() ([]string, error) {
	for {
		row, err := t.csv.Read()
		if err != nil {
			return nil, t.explain(err)
		}
		for i, cell := range row {
			if !utf8.ValidString(cell) || strings.IndexByte(cell, 0) >= 0 {
				return nil, t.fault(i, asText, "cell %d, %s, is not UTF-8 text", i+1, quote(cell))
			}
			row[i] = strings.TrimSpace(cell)
		}
		if len(row) > 1 || row[0] != "" {
			return row, nil
		}
	}
}

// line returns the line where cell i of the last row starts.
func (t *table) line(i int) int {
	line, _ := t.csv.FieldPos(i)
	return line
}

// fault is a fault of cell i of the last row.
func (t *table) fault(i int, hint, format string, args ...any) error {
	return usererr.File(t.path, t.line(i), hint, format, args...)
}

// explain tells an error of the CSV reader.
func (t *table) explain(err error) error {
	var bad *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case !errors.As(err, &bad):
		return fileio.ReadFault(t.path, err)
	case errors.Is(err, csv.ErrBareQuote):
		return usererr.File(t.path, bad.Line, mend, `a quote (") stands inside a cell that does not start with one`)
	case errors.Is(err, csv.ErrQuote):
		return usererr.File(t.path, bad.StartLine, mend, `a quote (") is not closed, or text follows the closing one`)
	}
	return usererr.File(t.path, bad.Line, mend, "%v", bad.Err)
}

// read reads all points; first is the first row of the file.
func (t *table) read(first []string) (err error) {
	in, lay := t.in, t.lay
	row, width, firstLine := first, len(first), t.line(0)
	if lay.header {
		row, err = t.next()
	}
	for ; err == nil; row, err = t.next() {
		if len(row) != width {
			return t.fault(0, mend,
				"the line has %s, but line %d has %d", text.Count(len(row), "cell"), firstLine, width)
		}
		if err := t.add(row); err != nil {
			return err
		}
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	in.Labels, in.Classes = t.labels.labels, t.labels.classes
	if lay.name >= 0 {
		in.NameColumn = lay.names[lay.name]
	}
	if lay.label >= 0 {
		in.LabelsFrom = "the label column"
	}
	if err := in.settle(t.path, lay, t.columns, t.options); err != nil {
		return err
	}
	return t.checkCount()
}

func (t *table) add(row []string) error {
	in, lay := t.in, t.lay
	for j, c := range lay.coords {
		if fault := t.columns[j].add(row[c], t.options.mark); fault != nil {
			return t.fault(c, fault.Hint, "column %s: %s", lay.columnName(c), fault.Msg)
		}
	}
	if c := lay.label; c >= 0 {
		if row[c] == "" {
			return t.fault(c, mend, "column %s: the label is empty", lay.columnName(c))
		}
		t.labels.add(row[c])
	}
	if lay.name >= 0 {
		in.Names = append(in.Names, strings.Clone(row[lay.name])) // it is part of a whole row's text
	}
	in.Lines = append(in.Lines, t.line(0))
	return nil
}

func (t *table) checkCount() error {
	const more = "give at least 2 points, one a line"
	switch n := len(t.in.Lines); {
	case n >= 2, n == 1 && (t.options.Single || t.options.Encoding != nil):
		return nil
	case n == 1:
		return usererr.File(t.path, 0, more, "the file holds only 1 point")
	case t.lay.guessed:
		return usererr.File(t.path, 0, more+", or use --header no if the first line is a point",
			"the file holds only a header")
	}
	return usererr.File(t.path, 0, more, "the file holds only a header")
}

// quote returns text in quotes for a message, shortened if it is long.
func quote(s string) string { return strconv.Quote(text.Shorten(s, 41)) }
