package files

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/usererr"
)

var parquetFormat = fileFormat{
	kind: "Parquet table", starts: magic("PAR1", "PARE"), named: ending(".parquet"),
	seeks: true, columns: true, read: openParquet,
}

// openParquet reads a Parquet table: of one column of lists of numbers, all of one length, or of columns of numbers.
func openParquet(from *opened, o Options) (*Input, error) {
	path := from.path
	columns, rows, err := openParquetFile(from.file, from.size)
	if err != nil {
		return nil, parquetFault(path, err)
	}
	o = o.alike(columnNames(columns))
	choice, err := chooseColumns(path, columns, o)
	if err != nil {
		return nil, err
	}
	in := &Input{Pool: &data.Pool{}, Warnings: choice.warnings}
	if err := in.readColumns(path, choice, rows, o); err != nil {
		return nil, err
	}
	if choice.names != nil {
		index, texts, err := choice.names.readLabels(path, in.Len())
		if err != nil {
			return nil, err
		}
		in.Names, in.NameColumn = spread(index, texts), choice.names.name
	}
	if choice.labels == nil || o.NoLabels {
		return in, nil
	}
	in.LabelsFrom = "the label column"
	in.Labels, in.Classes, err = choice.labels.readLabels(path, in.Len())
	return in, err
}

const rewrite = "copy or write it anew"

// readColumns reads the coordinates of a table with the given number of rows.
func (in *Input) readColumns(path string, choice columnChoice, rows int64, o Options) error {
	columns := choice.coords
	if rows > int64(maxValues/len(columns)) {
		return usererr.File(path, 0, "give fewer points", "holds more than %d values", maxValues)
	}
	if rows < 1 {
		return usererr.File(path, 0, "give at least one point", "the table has no rows")
	}
	if columns[0].list {
		x, d, err := columns[0].readLists(path)
		if err == nil && len(x) == 0 {
			err = usererr.File(path, 0, "give at least one point", "the table has no rows")
		}
		if err != nil {
			return err
		}
		in.D, in.table = d, tabular.Matrix(x, d)
		return nil
	}
	all := choice.lay.cells()
	for j, c := range columns {
		if err := c.readCells(path, rows, all[j]); err != nil {
			return err
		}
	}
	return in.settle(path, choice.lay, all, o)
}

// readCells reads a column of plain values.
func (c *parquetColumn) readCells(path string, rows int64, to *cells) error {
	to.seconds = c.kind == timeValues
	err := c.eachValue(path, func(v parquet.Value) error {
		number, cell := math.NaN(), ""
		switch {
		case int64(len(to.numbers)) == rows:
			return usererr.File(path, 0, rewrite, "column %s has more values than the table has rows, %d", c.name, rows)
		case v.IsNull():
		case c.kind == textValues:
			cell = c.text(v)
			if !utf8.ValidString(cell) {
				return usererr.File(path, 0, "write it as UTF-8 text", "column %s: row %d is no text", c.name,
					len(to.numbers)+1)
			}
			if fault := to.add(cell, '.'); fault != nil {
				return usererr.File(path, 0, fault.Hint, "column %s: row %d: %s", c.name, len(to.numbers)+1, fault.Msg)
			}
			return nil
		default:
			number = c.number(v)
			if math.IsInf(number, 0) {
				return usererr.File(path, 0, notNumber,
					"column %s: row %d has the value %v", c.name, len(to.numbers)+1, v)
			}
			if !math.IsNaN(number) {
				cell = strconv.FormatFloat(number, 'g', -1, 64)
			}
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
	const ragged = "give every row a list of one length"
	row, length := 0, 0 // of the list that is being read
	fault := func(format string, args ...any) error {
		return usererr.File(path, 0, ragged, "column %s: the list of row %d %s", c.name, row,
			fmt.Sprintf(format, args...))
	}
	end := func() error {
		if row == 1 {
			d = length
		}
		if row > 1 && length != d {
			return fault("has %d values, that of row 1 has %d", length, d)
		}
		return nil
	}
	err = c.eachValue(path, func(v parquet.Value) error {
		if v.RepetitionLevel() == 0 {
			if err := end(); err != nil {
				return err
			}
			row, length = row+1, 0
		}
		length++
		number := c.number(v)
		switch {
		case v.IsNull():
			return fault("is empty or has an empty place")
		case math.IsInf(number, 0):
			return fault("has the value %v: values must be finite", v)
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

// readLabels reads a column of m integers or texts: each row's class [M], and the classes' texts.
func (c *parquetColumn) readLabels(path string, m int) (labels []int32, classes []string, err error) {
	var list classList
	err = c.eachValue(path, func(v parquet.Value) error {
		text := c.text(v)
		switch {
		case v.IsNull() || text == "":
			return usererr.File(path, 0, "fill or leave out this row",
				"column %s: the label of row %d is empty", c.name, len(list.labels)+1)
		case !utf8.ValidString(text):
			return usererr.File(path, 0, "write it as UTF-8 text", "column %s: the label of row %d is no text",
				c.name, len(list.labels)+1)
		}
		list.add(text)
		return nil
	})
	if n := len(list.labels); err == nil && n != m {
		err = usererr.File(path, 0, rewrite, "column %s holds %d labels for %d vectors", c.name, n, m)
	}
	return list.labels, list.classes, err
}

// whole is the value of an integer or a truth value, 0 for any other; unsigned ones have the same bits.
func (c *parquetColumn) whole(v parquet.Value) int64 {
	switch {
	case v.Kind() == parquet.Boolean && v.Boolean():
		return 1
	case v.Kind() == parquet.Int32 && c.unsigned:
		return int64(v.Uint32())
	case v.Kind() == parquet.Int32:
		return int64(v.Int32())
	case v.Kind() == parquet.Int64:
		return v.Int64()
	}
	return 0
}

// number is the value of a number; that of anything else is NaN.
func (c *parquetColumn) number(v parquet.Value) float64 {
	switch v.Kind() {
	case parquet.Boolean, parquet.Int32, parquet.Int64:
		if c.perSecond != 0 {
			return float64(c.whole(v)) / c.perSecond
		}
		if c.unsigned {
			return float64(uint64(c.whole(v)))
		}
		return float64(c.whole(v))
	case parquet.Float:
		return float64(v.Float())
	case parquet.Double:
		return v.Double()
	}
	return math.NaN()
}

func (c *parquetColumn) text(v parquet.Value) string {
	switch {
	case v.Kind() == parquet.ByteArray:
		return string(v.ByteArray())
	case c.unsigned:
		return strconv.FormatUint(uint64(c.whole(v)), 10)
	}
	return strconv.FormatInt(c.whole(v), 10)
}

// eachValue calls do with each value of the column, nulls included. What is not do's fault is the file's.
func (c *parquetColumn) eachValue(path string, do func(parquet.Value) error) error {
	buffer := make([]parquet.Value, 1024)
	err := guard(func() error {
		for _, rows := range c.groups {
			values := parquet.NewColumnChunkValueReader(rows.ColumnChunks()[c.index])
			for n, err := 0, error(nil); !errors.Is(err, io.EOF); {
				n, err = values.ReadValues(buffer)
				for _, v := range buffer[:n] {
					if err := do(v); err != nil {
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
