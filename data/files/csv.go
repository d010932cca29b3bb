package files

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Text is UTF-8, with or without a byte order mark; lines end in LF or CRLF. Blank lines and lines that start with #
// are skipped; a lone empty cell makes a blank line. Cells may be quoted, and
// spaces around them do not count, save that none may follow a closing quote. Numbers are decimal with a point.

var tableFormat = fileFormat{kind: "table", columns: true, header: true, read: readTable}

// readTable reads points, and labels if there are any, from CSV or TSV text, and checks all that a person can get
// wrong in such a file.
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
