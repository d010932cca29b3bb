package files

import (
	"bytes"
	"cmp"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"github.com/gfncp/gfncp/internal/usererr"
)

const sampleRows = 1000

// lines is CSV text in UTF-8. Comments, and a first line that names the separator, are blank lines, so that all lines
// keep their numbers.
//
// A line that begins with # is a comment if it has another number of cells than the rows. Otherwise it is a row or the
// header, as numpy.savetxt writes it.
type lines struct {
	path  string
	text  []byte
	rows  []string // the first rows, at most sampleRows, from which the separator and the decimal mark are found
	comma rune
	width int // number of cells of a row, 0 if it is not known

	noted, firstNoted int // number of comments, and the line of the first
}

var separatorLine = regexp.MustCompile(`^"?sep=(.)"?\r?\n`)

// newLines finds the encoding of a text, the separator unless comma is given, and the first rows. Empty input, binary
// data and lines that end in a lone CR are a *usererr.Error. It changes the text.
func newLines(path string, text []byte, comma rune) (*lines, error) {
	text = inUTF8(text)
	switch {
	case len(text) == 0:
		return nil, usererr.File(path, 0, "give at least 2 points, one a line", "the file is empty")
	case bytes.IndexByte(text, 0) >= 0:
		return nil, usererr.File(path, 0, asText, "the file is binary data, not text")
	case bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(bytes.TrimRight(text, "\r"), '\r') >= 0:
		return nil, usererr.File(path, 0, "save it with LF or CRLF line ends", "the lines end in a lone CR")
	}
	l := &lines{path: path, comma: comma}
	l.sniff(text)
	l.blank(text)
	return l, nil
}

// inUTF8 returns a text in UTF-8 without its byte order mark. Text in UTF-16 is known by its mark, or by zeros.
func inUTF8(text []byte) []byte {
	starts := func(mark string) bool { return bytes.HasPrefix(text, []byte(mark)) }
	zero := func(i int) bool { return len(text) > 3 && text[i] == 0 && text[i+2] == 0 }
	order := unicode.LittleEndian
	switch {
	case starts("\xfe\xff") || zero(0) && !zero(1):
		order = unicode.BigEndian
	case starts("\xff\xfe") || zero(1) && !zero(0):
	default:
		return bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	text, _ = unicode.UTF16(order, unicode.UseBOM).NewDecoder().Bytes(text) // U+FFFD for what is no letter
	return text
}

// sniff finds the separator, the first rows and their number of cells.
func (l *lines) sniff(text []byte) {
	if m := separatorLine.FindSubmatch(text); m != nil {
		text = text[len(m[0]):]
		if l.comma == 0 {
			l.comma = bytes.Runes(m[1])[0]
		}
	}
	l.rows = firstRows(text)
	if l.comma == 0 {
		l.comma = sniffComma(plainName(l.path), l.rows[:min(len(l.rows), 10)])
	}
	l.width, _ = commonWidth(l.rows[:min(len(l.rows), 100)], l.comma)
}

// isRow reports whether a line that begins with # has as many cells as a row, or one more that is empty.
func (l *lines) isRow(line string) bool {
	n := countCells(line, l.comma)
	ends := strings.HasSuffix(strings.TrimRight(line, "\r\n"), string(l.comma))
	return l.width > 1 && (n == l.width || ends && n == l.width+1)
}

// firstRows returns the first lines that are not blank and do not begin with #.
func firstRows(text []byte) (rows []string) {
	for line := range bytes.Lines(text) {
		line := strings.TrimRight(string(line), "\r\n")
		if strings.TrimSpace(line) != "" && line[0] != '#' {
			rows = append(rows, line)
		}
		if len(rows) == sampleRows {
			break
		}
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

// blank sets the text. Comments, and lines without a cell, become blank.
func (l *lines) blank(text []byte) {
	quoted, number := false, 0 // a quote is open; the line's number
	l.text = text[:0]          // never longer than what was read of text
	for line := range bytes.Lines(text) {
		number++
		cells := bytes.Trim(line, " \r\n")
		isComment := !quoted && line[0] == '#' && !l.isRow(string(cells))
		if isComment {
			l.noted++
			l.firstNoted = cmp.Or(l.firstNoted, number)
		}
		if isComment || !quoted && len(cells) == 0 || number == 1 && separatorLine.Match(line) {
			l.text = append(l.text, '\n')
			continue
		}
		quoted = quoted != (bytes.Count(line, []byte(`"`))%2 == 1)
		l.text = append(l.text, line...)
	}
}
