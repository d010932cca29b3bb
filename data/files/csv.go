package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Text is UTF-8, with or without a byte order mark; lines end in LF or CRLF. Blank lines and lines that start with #
// are skipped; a lone empty cell makes a blank line. Cells may be quoted, and spaces around them do not count, save that
// none may follow a closing quote. Numbers are decimal with a point.

var tableFormat = fileFormat{kind: "table", columns: true, header: true, read: readTable}

// readTable reads points, and labels if there are any, from CSV or TSV text.
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
	rows := newRowReader(name, in, comma)
	first, err := rows.next()
	if errors.Is(err, io.EOF) {
		return nil, usererr.File(name, 0, "give at least 2 points, one a line", "the file holds no points")
	}
	if err != nil {
		return nil, err
	}
	lay, err := newLayout(name, rows.line(0), first, secondRow(start, comma), o)
	if err != nil {
		return nil, err
	}
	t := &table{rows: rows, lay: lay, warnings: lay.warnings}
	if !lay.header {
		t.warnings = append(t.warnings, commentWarning(start, comma, len(first))...)
	}
	return t.read(first)
}

// checkComma refuses a separator that could not be one.
func (o Options) checkComma() error {
	if bad := o.Comma; bad != 0 && (!utf8.ValidRune(bad) || strings.ContainsRune("\"#\r\n\uFFFD", bad)) {
		return usererr.New("use a comma, a semicolon or a tab", "%q cannot separate cells", o.Comma)
	}
	return nil
}

// sniffSize is how many bytes of the start are looked at to tell the kind of file and the separator.
const sniffSize = 1 << 16

// asText is the remedy for every file that is no UTF-8 text.
const asText = "save the table as CSV text in UTF-8"

// checkText returns the start of the input, at most sniffSize bytes, without a byte order mark, which it consumes. It
// refuses an empty input, UTF-16, binary data and line ends that are a lone CR.
func checkText(name string, in *bufio.Reader) ([]byte, error) {
	start, err := in.Peek(sniffSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff")) {
		return nil, usererr.File(name, 0, asText, "the file is UTF-16 text")
	}
	if bom := []byte("\xef\xbb\xbf"); bytes.HasPrefix(start, bom) {
		if _, err := in.Discard(len(bom)); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
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
	lines := firstLines(start)
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

// firstLines returns up to ten lines that hold cells. A last one that may be cut is left out, unless it is the only one.
func firstLines(start []byte) []string {
	const most = 10
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

// secondRow returns the cells of the second of the first lines that hold any, without checking them.
func secondRow(start []byte, comma rune) []string {
	lines := firstLines(start)
	if len(lines) < 2 {
		return nil
	}
	return strings.Split(lines[1], string(comma))
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
