package files

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

var parquetFormat = fileFormat{
	kind: "Parquet table", starts: magic("PAR1", "PARE"), named: ending(".parquet"),
	seeks: true, columns: true, read: openParquet,
}

// openParquet reads a Parquet table: a column of lists of numbers, all of one length, or columns of plain values.
func openParquet(from *opened, o Options) (*Input, error) {
	path := from.path
	columns, rows, err := openParquetFile(from.file, from.size)
	if err != nil {
		return nil, parquetFault(path, err)
	}
	if rows < 1 {
		return nil, usererr.File(path, 0, "give at least one point", "the table has no rows")
	}
	in := &Input{Pool: &data.Pool{}}
	lay, err := parquetLayout(path, columns, o.alike(columnNames(columns)))
	if err != nil {
		return nil, err
	}
	if err := in.readColumns(lay, columns, rows, o); err != nil {
		return nil, err
	}
	if lay.name >= 0 && in.Names == nil && columns[lay.name].isPlain() {
		index, texts, err := columns[lay.name].readLabels(path, in.Len())
		if err != nil {
			return nil, err
		}
		in.Names, in.NameColumn = spread(index, texts), columns[lay.name].name
	}
	if lay.label < 0 || o.NoLabels {
		return in, nil
	}
	in.LabelsFrom = "the label column"
	in.Labels, in.Classes, err = columns[lay.label].readLabels(path, in.Len())
	return in, err
}

const rewrite = "copy or write it anew"

// parquetLayout returns the layout of the columns, by the rules of a CSV table with a header. Columns that remain must
// have types that can be read.
func parquetLayout(path string, columns []*parquetColumn, o Options) (*layout, error) {
	o.Header = "yes"
	for _, c := range columns { // the row numbers that pandas adds
		if strings.HasPrefix(c.name, "__index_level_") && !slices.Contains(o.Columns, c.name) &&
			!slices.Contains(o.Ignore, c.name) && o.LabelColumn != c.name {
			o.Ignore = append(slices.Clone(o.Ignore), c.name)
		}
	}
	lay, err := newLayout(path, 0, columnNames(columns), nil, o)
	if err != nil {
		return nil, err
	}
	if lay.label >= 0 && !columns[lay.label].isPlain() {
		return nil, usererr.File(path, 0, "save labels as integers or text", "the labels %s are neither",
			columns[lay.label])
	}
	isVectors := func(c int) bool { return columns[c].list && columns[c].kind.isNumber() }
	if err := lay.keepVector(filter(lay.coords, isVectors), o); err != nil {
		return nil, err
	}
	unread := filter(lay.coords, func(c int) bool { return !columns[c].isPlain() && !isVectors(c) })
	if len(unread) > 0 {
		var shown []string
		for _, c := range unread {
			shown = append(shown, columns[c].String())
		}
		return nil, usererr.File(path, 0, "leave out with "+lay.ignore(unread), "%s not read: %s",
			text.Count(len(unread), "column has a type that is", "columns have types that are"),
			text.List(shown, shownInANote))
	}
	return lay, lay.chooseKinds(o)
}

// readColumns reads the coordinates of a table with the given number of rows.
func (in *Input) readColumns(lay *layout, columns []*parquetColumn, rows int64, o Options) error {
	if rows > int64(maxValues/len(lay.coords)) {
		return usererr.File(lay.path, 0, "give fewer points", "holds more than %d values", maxValues)
	}
	if err := checkRoom(lay.path, 8*int(rows)*len(lay.coords)); err != nil {
		return err
	}
	for _, at := range lay.coords {
		c, err := columns[at], error(nil)
		if c.list {
			lay.cells[at].vectors, lay.cells[at].d, err = c.readLists(lay.path)
		} else {
			err = c.readCells(lay.path, rows, lay.cells[at])
		}
		if err != nil {
			return err
		}
	}
	return in.settle(lay, o)
}

// readCells reads a column of plain values.
func (c *parquetColumn) readCells(path string, rows int64, to *cells) error {
	to.seconds = c.kind == timeValues
	err := c.eachValue(path, func(row int, v parquet.Value) error {
		if int64(row) > rows {
			return usererr.File(path, 0, rewrite, "column %s has more values than the table has rows, %d", c.name, rows)
		}
		if v.IsNull() {
			to.put(math.NaN(), "")
			return nil
		}
		fault := func(hint, format string, args ...any) error {
			return usererr.File(path, 0, hint, "column %s: row %d %s", c.name, row, fmt.Sprintf(format, args...))
		}
		number, cell := c.cell(v)
		switch {
		case c.kind == textValues && !utf8.ValidString(cell):
			return fault(inUTF8, "is no text")
		case c.kind == textValues:
			if wrong := to.add(cell, '.'); wrong != nil {
				return fault(wrong.Hint, "holds a cell that cannot be read: %s", wrong.Msg)
			}
			return checkRoom(path, to.held)
		case math.IsInf(number, 0):
			return fault(notNumber, "has the value %v", v)
		case math.IsNaN(number):
			cell = ""
		}
		to.put(number, cell)
		return nil
	})
	if n := int64(len(to.numbers)); err == nil && n != rows {
		err = usererr.File(path, 0, rewrite, "column %s has %d values, but the table has %d rows", c.name, n, rows)
	}
	return err
}

// readLists reads a column of lists of d numbers each: x [M,d].
func (c *parquetColumn) readLists(path string) (x []float64, d int, err error) {
	fault := func(row int, format string, args ...any) error {
		return usererr.File(path, 0, "give every row a list of one length", "column %s: the list of row %d %s",
			c.name, row, fmt.Sprintf(format, args...))
	}
	rows, length := 0, 0 // length of the last list
	end := func() error {
		if rows == 1 {
			d = length
		}
		if rows > 1 && length != d {
			return fault(rows, "has %d values, that of row 1 has %d", length, d)
		}
		return nil
	}
	err = c.eachValue(path, func(row int, v parquet.Value) error {
		if row > rows {
			if err := end(); err != nil {
				return err
			}
			rows, length = row, 0
		}
		length++
		if v.IsNull() {
			return fault(row, "is empty or has an empty place")
		}
		number, _ := c.cell(v)
		switch {
		case math.IsInf(number, 0):
			return fault(row, "has the value %v: values must be finite", v)
		case len(x) == maxValues:
			return usererr.File(path, 0, "give fewer points", "holds more than %d values", maxValues)
		}
		x = append(x, number)
		return nil
	})
	if err == nil {
		err = end()
	}
	return x, d, err
}

const inUTF8 = "write it as UTF-8 text"

// readLabels reads a column of m integers or texts: each row's class [M], and the classes' texts.
func (c *parquetColumn) readLabels(path string, m int) (labels []int32, classes []string, err error) {
	var list classList
	err = c.eachValue(path, func(row int, v parquet.Value) error {
		text := ""
		if !v.IsNull() {
			_, text = c.cell(v)
		}
		switch {
		case text == "":
			return usererr.File(path, 0, "fill or leave out this row",
				"column %s: the label of row %d is empty", c.name, row)
		case !utf8.ValidString(text):
			return usererr.File(path, 0, inUTF8, "column %s: the label of row %d is no text", c.name, row)
		}
		list.add(text)
		return nil
	})
	if n := len(list.labels); err == nil && n != m {
		err = usererr.File(path, 0, rewrite, "column %s holds %d labels for %d vectors", c.name, n, m)
	}
	return list.labels, list.classes, err
}

// eachValue calls do with each value of the column, nulls included, and its row, counted from 1. An error that do does
// not explain is a fault of the file.
func (c *parquetColumn) eachValue(path string, do func(row int, v parquet.Value) error) error {
	buffer, row := make([]parquet.Value, 1024), 0
	err := guard(func() error {
		for _, rows := range c.groups {
			values := parquet.NewColumnChunkValueReader(rows.ColumnChunks()[c.index])
			for n, err := 0, error(nil); !errors.Is(err, io.EOF); {
				n, err = values.ReadValues(buffer)
				for _, v := range buffer[:n] {
					if v.RepetitionLevel() == 0 {
						row++
					}
					if err := do(row, v); err != nil {
						return err
					}
				}
				switch {
				case err == nil && n == 0:
					return io.ErrNoProgress
				case err != nil && !errors.Is(err, io.EOF):
					return err
				}
			}
			_ = values.Close()
		}
		return nil
	})
	if err != nil && !usererr.Is(err) {
		return parquetFault(path, err)
	}
	return err
}
