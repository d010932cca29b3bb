package files

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// PointLines makes points of lines of text as they come, each by itself: cells between commas, semicolons or tabs, else
// blanks; a JSON array of numbers; or a JSON object that holds the coordinates by their names.
type PointLines struct {
	Dim int // of a point
	// Columns are the names, or the numbers from 1, of the coordinates in a line; nil for all cells of one.
	Columns []string
	// Header are the names of the columns: of the first line, if none of its cells is a number.
	Header []string
	begun  bool
}

// Point returns the point [Dim] of a line, or nil if the line holds none: it is empty, or the header. A line that
// holds no point is a *usererr.Error without its place, and the next line can be read as if it had not been there.
func (p *PointLines) Point(line string) ([]float64, error) {
	if !p.begun {
		line = strings.TrimPrefix(line, "\ufeff")
	}
	line = strings.TrimSpace(line)
	first := !p.begun && line != ""
	p.begun = p.begun || first
	switch {
	case line == "":
		return nil, nil
	case line[0] == '{':
		return p.object(line)
	case line[0] == '[':
		var list []*float64
		if err := decodeLine(line, &list); err != nil {
			return nil, err
		}
		return p.values(list)
	}
	cells, mark, err := lineCells(line)
	if err != nil {
		return nil, err
	}
	if first && !slices.ContainsFunc(cells, func(c string) bool { return c == "" || !isWord(c, mark) }) {
		p.Header = cells
		return nil, p.checkHeader()
	}
	return p.cells(cells, mark)
}

// lineCells parts a line, and tells the decimal mark of its numbers.
func lineCells(line string) (cells []string, mark byte, err error) {
	comma := rune(0)
	for _, c := range "\t;," {
		if comma == 0 && strings.ContainsRune(line, c) {
			comma = c
		}
	}
	if comma == 0 {
		return strings.Fields(line), '.', nil
	}
	reader := csv.NewReader(strings.NewReader(line))
	reader.Comma, reader.TrimLeadingSpace = comma, true
	if cells, err = reader.Read(); err != nil {
		return nil, 0, usererr.New(mend, "the quotes do not close")
	}
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(cell)
	}
	return cells, decimalMark([]string{line}, comma), nil
}

// checkHeader finds the columns in the header.
func (p *PointLines) checkHeader() error {
	for _, want := range p.Columns {
		if _, err := p.place(want, len(p.Header)); err != nil {
			return err
		}
	}
	return nil
}

// place is that of a column in a line of n cells.
func (p *PointLines) place(want string, n int) (int, error) {
	if c := slices.Index(p.Header, want); c >= 0 && c < n {
		return c, nil
	}
	if c := columnNumber(want); c >= 0 && c < n {
		return c, nil
	}
	if p.Header == nil {
		return 0, usererr.New("use numbers from 1 in --columns, or begin with a line of names",
			"there is no column %s in %s", quote(want), text.Count(n, "cell"))
	}
	return 0, usererr.New(usererr.DidYouMean(want, p.Header, "the columns are "+text.List(p.Header, 8)),
		"there is no column %s", quote(want))
}

// cells makes a point of the cells of a line.
func (p *PointLines) cells(cells []string, mark byte) ([]float64, error) {
	chosen := cells
	if p.Columns != nil {
		chosen = nil
		for _, want := range p.Columns {
			c, err := p.place(want, len(cells))
			if err != nil {
				return nil, err
			}
			chosen = append(chosen, cells[c])
		}
	}
	if err := p.checkCount(len(chosen), "cell"); err != nil {
		return nil, err
	}
	x := make([]float64, len(chosen))
	for i, cell := range chosen {
		v, err := parseNumber(cell, mark)
		if err != nil {
			return nil, numberFault(cell, mark, err)
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, usererr.New(notNumber, "%s is not a finite number", quote(cell))
		}
		x[i] = v
	}
	return x, nil
}

func (p *PointLines) checkCount(n int, noun string) error {
	if n == p.Dim {
		return nil
	}
	return usererr.New("choose as many columns with --columns, or another model", "%s, but the model takes %d",
		text.Count(n, noun), p.Dim)
}

// object makes a point of a JSON object.
func (p *PointLines) object(line string) ([]float64, error) {
	names := p.Columns
	if names == nil {
		names = p.Header
	}
	if names == nil {
		return nil, usererr.New("name the coordinates with --columns", "an object has no order of its own")
	}
	fields := map[string]json.RawMessage{}
	if err := decodeLine(line, &fields); err != nil {
		return nil, err
	}
	values := make([]*float64, len(names))
	for i, name := range names {
		value, is := fields[name]
		if !is {
			return nil, usererr.New(mend+", or choose others with --columns", "there is no %s", quote(name))
		}
		if err := json.Unmarshal(value, &values[i]); err != nil {
			return nil, usererr.New(mend, "%s of %s is not a number", string(value), quote(name))
		}
	}
	return p.values(values)
}

// values makes a point of numbers, of which none may be null.
func (p *PointLines) values(list []*float64) ([]float64, error) {
	if err := p.checkCount(len(list), "number"); err != nil {
		return nil, err
	}
	x := make([]float64, len(list))
	for i, v := range list {
		if v == nil {
			return nil, usererr.New(mend, "number %d is null", i+1)
		}
		x[i] = *v
	}
	return x, nil
}

// decodeLine reads the one JSON value of a line.
func decodeLine(line string, into any) error {
	reader := json.NewDecoder(bytes.NewReader([]byte(line)))
	err := reader.Decode(into)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return usererr.New(mend, "a %s stands in the place of a number", kind.Value)
	case err != nil:
		return usererr.New(mend, "the JSON is damaged or cut short")
	}
	if _, err := reader.Token(); !errors.Is(err, io.EOF) {
		return usererr.New("give each point a line of its own", "text follows after byte %s",
			strconv.FormatInt(reader.InputOffset(), 10))
	}
	return nil
}
