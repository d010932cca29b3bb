package files

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/usererr"
)

// sniffSize is the number of first bytes from which the separator and the decimal mark are found.
const sniffSize = 1 << 16

// lines is an io.Reader of CSV text in UTF-8. Comments, and a first line that names the separator, become blank lines,
// so that all lines keep their numbers.
//
// A line that begins with # is a comment if it has another number of cells than the rows. Otherwise it is a row or the
// header; but before the first row it is a comment if it begins with "# " and another line with # follows.
type lines struct {
	path    string
	in      *bufio.Reader
	start   []byte // the first bytes of the text, at most sniffSize
	comma   rune
	width   int // number of cells of a row, 0 if it is not known
	leading int // number of lines before the header or the first row

	line   int    // number of lines read
	whole  []byte // the line that is being read by Read
	rest   []byte // the part of it that Read has not returned yet
	quoted bool   // a quote is open
	row    int    // number of bytes since the last line that ended outside of quotes
	began  bool   // a row has been read
	gaps   int    // number of blank lines since the last row
	blanks int    // number of blank lines between rows

	noted, firstNoted int // number of comments, and the line of the first
}

var separatorLine = regexp.MustCompile(`^"?sep=(.)"?\r?\n`)

// newLines finds the encoding, the separator unless comma is given, and the first row of a text. Empty input, binary
// data and lines that end in a lone CR are a *usererr.Error.
func newLines(path string, r io.Reader, comma rune) (*lines, error) {
	l := &lines{path: path, in: bufio.NewReaderSize(r, sniffSize), comma: comma}
	start, err := l.in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fileio.ReadFault(path, err)
	}
	decoder := unicode.BOMOverride(transform.Nop)
	switch zero := func(i int) bool { return len(start) == 4 && start[i] == 0 && start[i+2] == 0 }; {
	case zero(0) != zero(1) && zero(1):
		decoder = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
	case zero(0) != zero(1):
		decoder = unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
	}
	l.in = bufio.NewReaderSize(transform.NewReader(l.in, decoder), sniffSize)
	if start, err = l.in.Peek(sniffSize); err != nil && !errors.Is(err, io.EOF) {
		return nil, fileio.ReadFault(path, err)
	}
	switch {
	case len(start) == 0:
		return nil, usererr.File(path, 0, "give at least 2 points, one a line", "the file is empty")
	case bytes.IndexByte(start, 0) >= 0:
		return nil, usererr.File(path, 0, asText, "the file is binary data, not text")
	case bytes.IndexByte(start, '\n') < 0 && bytes.IndexByte(bytes.TrimRight(start, "\r"), '\r') >= 0:
		return nil, usererr.File(path, 0, "save it with LF or CRLF line ends", "the lines end in a lone CR")
	}
	l.start = bytes.Clone(start)
	l.sniff()
	return l, nil
}

// sniff finds the separator, the number of cells, and the lines before the first row.
func (l *lines) sniff() {
	if m := separatorLine.FindSubmatch(l.start); m != nil {
		l.leading = 1
		if named := bytes.Runes(m[1])[0]; l.comma == 0 {
			l.comma = named
		}
	}
	if l.comma == 0 {
		l.comma = sniffComma(plainName(l.path), l.first(10))
	}
	rows := l.first(100)
	l.width, _ = commonWidth(rows, l.comma)
	all := append(slices.Collect(strings.Lines(string(l.start))), "")
	for i := l.leading; i < len(all)-1; i++ {
		line, next := strings.TrimSpace(all[i]), all[i+1]
		switch {
		case line == "":
		case line[0] != '#' || l.isRow(line) && !strings.HasPrefix(line, "# "):
			return
		case l.isRow(line) && !strings.HasPrefix(next, "#") && len(rows) > 0 && holdsNumber(rows[0], l.comma):
			return // a header, as numpy.savetxt writes it
		default:
			l.leading = i + 1
		}
	}
}

// isRow reports whether a line that begins with # has as many cells as a row, or one more that is empty.
func (l *lines) isRow(line string) bool {
	n := countCells(line, l.comma)
	ends := strings.HasSuffix(strings.TrimRight(line, "\r\n"), string(l.comma))
	return l.width == 0 || l.width > 1 && (n == l.width || ends && n == l.width+1)
}

func holdsNumber(line string, comma rune) bool {
	return slices.ContainsFunc(strings.Split(line, string(comma)), func(cell string) bool {
		return isNumber(strings.Trim(cell, "\" "))
	})
}

// first returns the first lines that are not blank and do not begin with #. If all begin with #, it returns the lines
// that do not begin with "# ". The last line is left out if it may be cut, unless it is the only one.
func (l *lines) first(most int) []string {
	var rows, marked []string
	n := 0
	for line := range strings.Lines(string(l.start)) {
		n++
		cut := !strings.HasSuffix(line, "\n") && len(l.start) == sniffSize && len(rows) > 0
		if cut || len(rows) == most {
			break
		}
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.TrimSpace(line) == "" || n == 1 && l.leading > 0:
		case line[0] != '#':
			rows = append(rows, line)
		case !strings.HasPrefix(line, "# ") && len(marked) < most:
			marked = append(marked, line)
		}
	}
	if len(rows) == 0 {
		return marked
	}
	return rows
}

// sniffComma returns the separator that the file's name says, or else the one that splits the first line and most
// others into the same number of cells, at least 2. Tab and semicolon win a tie, because commas may be decimal marks.
func sniffComma(name string, lines []string) rune {
	switch filepath.Ext(name) {
	case ".tsv", ".tab":
		return '\t'
	}
	best, most := ',', 0
	for _, comma := range "\t;,|" {
		_, even := commonWidth(lines, comma)
		if len(lines) > 0 && countCells(lines[0], comma) > 1 {
			even += len(lines) // the header holds no decimal commas
		}
		if even > most {
			best, most = comma, even
		}
	}
	return best
}

// commonWidth returns the most common number of cells, at least 2, and how many lines have it; 1 and 0 if no line has 2
// cells, 0 and 0 without lines.
func commonWidth(lines []string, comma rune) (width, even int) {
	counts := map[int]int{}
	width = min(len(lines), 1)
	for _, line := range lines {
		n := countCells(line, comma)
		if counts[n]++; n > 1 && counts[n] > even {
			width, even = n, counts[n]
		}
	}
	return width, even
}

// countCells returns the number of cells of a line; separators inside quotes do not count.
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

// decimalMark returns the decimal mark of a file's first lines: a comma if commas do not separate the cells, some cell
// is a number with a comma, and no cell is one with a decimal point.
func decimalMark(lines []string, comma rune) byte {
	if comma == ',' {
		return '.'
	}
	mark := byte('.')
	for _, line := range lines {
		for cell := range strings.SplitSeq(line, string(comma)) {
			cell = strings.Trim(cell, "\" ")
			if pointNumber.MatchString(cell) && !groups.MatchString(cell) {
				return '.'
			}
			if commaNumber.MatchString(cell) {
				mark = ','
			}
		}
	}
	return mark
}

// mostOfRow is the largest number of bytes of a row.
const mostOfRow = 32 << 20

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		if err := l.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next reads a line. A line that is not part of the table becomes blank.
func (l *lines) next() error {
	l.whole = l.whole[:0]
	for err := bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull); {
		var part []byte
		part, err = l.in.ReadSlice('\n')
		l.whole = append(l.whole, part...)
		if l.row += len(part); l.row > mostOfRow {
			return usererr.File(l.path, l.line+1, "close the quote, or give fewer columns",
				"a row has more than %s", memory.Size(mostOfRow))
		}
		if len(l.whole) == 0 {
			return err
		}
	}
	l.rest = l.whole
	if !l.quoted && !l.isOfTable(l.whole) {
		l.rest = []byte("\n")
	}
	l.quoted = l.quoted != (bytes.Count(l.rest, []byte(`"`))%2 == 1)
	l.line++
	if !l.quoted {
		l.row = 0
	}
	return nil
}

// isOfTable reports whether a line outside of quotes is a row, or the start of one. It counts the other lines.
func (l *lines) isOfTable(line []byte) bool {
	cells := bytes.Trim(line, " \r\n")
	switch {
	case len(cells) == 0:
		l.gaps++
	case l.line < l.leading && cells[0] != '#': // it names the separator
	case l.line < l.leading || line[0] == '#' && !l.isRow(string(cells)):
		l.noted++
		l.firstNoted = cmp.Or(l.firstNoted, l.line+1)
	default:
		if l.began {
			l.blanks += l.gaps
		}
		l.began, l.gaps = true, 0
		return true
	}
	return false
}
