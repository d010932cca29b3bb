package tabular

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// mend is the remedy for a bad line.
const mend = "mend or delete this line"

// rowReader yields the rows of cells, without the blank ones, and turns CSV errors into faults that name the line.
type rowReader struct {
	name string
	csv  *csv.Reader
}

// newRowReader reads CSV text from r, which has no byte order mark.
func newRowReader(name string, r io.Reader, comma rune) *rowReader {
	c := csv.NewReader(r)
	c.Comma = comma
	c.Comment = '#'
	c.FieldsPerRecord = -1                       // fill checks the number of cells itself, to name the first line
	c.TrimLeadingSpace = !unicode.IsSpace(comma) // it would swallow empty cells between tabs
	c.ReuseRecord = true
	return &rowReader{name, c}
}

// next returns the next row, with spaces around the cells removed; it is valid until the following call. The error at
// the end is io.EOF.
func (r *rowReader) next() ([]string, error) {
	for {
		row, err := r.csv.Read()
		if err != nil {
			return nil, r.fault(err)
		}
		for i, cell := range row {
			if !utf8.ValidString(cell) || strings.IndexByte(cell, 0) >= 0 {
				return nil, usererr.File(r.name, r.line(i), asText, "cell %d, %s, is not UTF-8 text", i+1, quote(cell))
			}
			row[i] = strings.TrimSpace(cell)
		}
		if len(row) > 1 || row[0] != "" {
			return row, nil
		}
	}
}

// line returns the line where cell i of the last row starts.
func (r *rowReader) line(i int) int {
	line, _ := r.csv.FieldPos(i)
	return line
}

// fault explains an error of the CSV reader.
func (r *rowReader) fault(err error) error {
	var bad *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case !errors.As(err, &bad):
		return fmt.Errorf("read %s: %w", r.name, err)
	case errors.Is(err, csv.ErrBareQuote):
		return usererr.File(r.name, bad.Line, mend, `a quote (") stands inside a cell that does not start with one`)
	case errors.Is(err, csv.ErrQuote):
		return usererr.File(r.name, bad.StartLine, mend, `a quote (") is not closed, or text follows the closing one`)
	}
	return usererr.File(r.name, bad.Line, mend, "%v", bad.Err)
}

// fill reads all points; first is the first row of the file.
func (t *Table) fill(rows *rowReader, lay *layout, first []string) error {
	width, firstLine := len(first), rows.line(0)
	labels := map[string]int32{}
	row := first
	var err error
	if lay.header {
		row, err = rows.next()
	}
	for ; err == nil; row, err = rows.next() {
		if len(row) != width {
			return usererr.File(t.Path, rows.line(0), mend, "the line has %s, but line %d has %d",
				text.Count(len(row), "cell"), firstLine, width)
		}
		for _, c := range lay.coords {
			v, fault := parseNumber(row[c])
			if fault != nil {
				return usererr.File(t.Path, rows.line(c), fault.hint, "column %s: %s", lay.columnName(c), fault.msg)
			}
			t.X = append(t.X, v)
		}
		if lay.label >= 0 {
			if err := t.addLabel(labels, row[lay.label], rows.line(lay.label), lay); err != nil {
				return err
			}
		}
		t.Lines = append(t.Lines, rows.line(0))
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	t.N = len(t.Lines)
	return t.checkCount(lay)
}

// addLabel appends the label of one point; labels maps each text to its number.
func (t *Table) addLabel(labels map[string]int32, text string, line int, lay *layout) error {
	if text == "" {
		return usererr.File(t.Path, line, mend, "column %s: the label is empty", lay.columnName(lay.label))
	}
	k, ok := labels[text]
	if !ok {
		text = strings.Clone(text) // it is part of a whole row's text
		k = int32(len(t.LabelNames))
		labels[text] = k
		t.LabelNames = append(t.LabelNames, text)
	}
	t.Labels = append(t.Labels, k)
	return nil
}

// checkCount refuses fewer than 2 points.
func (t *Table) checkCount(lay *layout) error {
	const more = "give at least 2 points, one a line"
	switch {
	case t.N >= 2:
		return nil
	case t.N == 1:
		return usererr.File(t.Path, 0, more, "the file holds only 1 point")
	case lay.guessed:
		return usererr.File(t.Path, 0, more+", or use --header no if the first line is a point",
			"the file holds only a header")
	}
	return usererr.File(t.Path, 0, more, "the file holds only a header")
}

// numberFault says what is wrong with the text of a number.
type numberFault struct{ msg, hint string }

// parseNumber reads a finite float32.
func parseNumber(text string) (float32, *numberFault) {
	const hint = mend + ", or choose columns with --columns"
	if text == "" {
		return 0, &numberFault{"the cell is empty", hint}
	}
	v, err := strconv.ParseFloat(text, 32)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, &numberFault{quote(text) + " is too large for a 32-bit number", "scale this column down"}
	case err != nil || strings.ContainsAny(text, "xX"): // hexadecimal
		return 0, &numberFault{quote(text) + " is not a number", numberHint(text, hint)}
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0, &numberFault{quote(text) + " is not a finite number", hint}
	}
	return float32(v), nil
}

// grouped is a number with commas between its thousands, such as 1,373, which elsewhere has three decimals.
var grouped = regexp.MustCompile(`^-?\d{1,3}(,\d{3})+(\.\d+)?$`)

// numberHint returns the remedy for text that is no number: a closer one than usual if the fault is a known one.
func numberHint(text, usual string) string {
	if grouped.MatchString(text) {
		return "write " + strings.ReplaceAll(text, ",", "") + " without commas between thousands; decimals have a point"
	}
	if isNumber(strings.Replace(text, ",", ".", 1)) {
		return "write decimals with a point, not a comma"
	}
	if words := strings.Fields(text); len(words) > 1 && isNumber(words[0]) && isNumber(words[1]) {
		return "separate the cells with commas or tabs, not spaces"
	}
	return usual
}

// isNumber reports whether text is a number, finite or not, large or not.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return (err == nil || errors.Is(err, strconv.ErrRange)) && !strings.ContainsAny(text, "xX")
}

// quote returns text in quotes for a message, shortened if it is long.
func quote(s string) string { return strconv.Quote(text.Shorten(s, 41)) }
