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
	choice, err := chooseColumns(path, columns, o)
	if err != nil {
		return nil, err
	}
	in := &Input{Pool: &data.Pool{}, Warnings: choice.warnings}
	if in.X, in.D, err = readPoints(path, choice.coords, rows); err != nil {
		return nil, err
	}
	if !choice.coords[0].list {
		in.Columns = columnNames(choice.coords)
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

// readPoints reads columns of numbers, or one of lists of numbers, of a table with the given number of rows: X [M,D].
func readPoints(path string, columns []*parquetColumn, rows int64) (x []float32, d int, err error) {
	if rows > int64(maxValues/len(columns)) {
		return nil, 0, usererr.File(path, 0, "give fewer points", "holds more than %d values", maxValues)
	}
	read := make([][]float32, len(columns))
	for j, c := range columns {
		if rows > 0 {
			read[j], d, err = c.readNumbers(path, rows)
		}
		n := int64(len(read[j]))
		switch {
		case err != nil:
			return nil, 0, err
		case rows < 1 || c.list && n == 0:
			return nil, 0, usererr.File(path, 0, "give at least one point", "the table has no rows")
		case c.list:
			return read[j], d, nil
		case n != rows:
			return nil, 0, usererr.File(path, 0, rewrite,
				"column %s has %d values, but the table has %d rows", c.name, n, rows)
		}
	}
	for i := range int(rows) {
		for _, values := range read {
			x = append(x, values[i])
		}
	}
	return x, len(columns), nil
}

// readNumbers reads a column of numbers, or one of lists of d numbers each.
func (c *parquetColumn) readNumbers(path string, rows int64) (x []float32, d int, err error) {
	place, empty, ragged := "row", "is empty", "give every row a list of one length"
	const other = " or leave out this row, or choose columns with --columns"
	fill, mend := "fill"+other, "mend"+other
	if c.list {
		place, empty, fill, mend = "the list of row", "is empty or has an empty place", ragged, ragged
	}
	row, length := 0, 0 // of the list that is being read; a plain value is one of one number
	fault := func(hint, format string, args ...any) error {
		return usererr.File(path, 0, hint, "column %s: %s %d %s", c.name, place, row, fmt.Sprintf(format, args...))
	}
	end := func() error {
		if row == 1 {
			d = length
		}
		if row > 1 && length != d {
			return fault(ragged, "has %d values, that of row 1 has %d", length, d)
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
			return fault(fill, "%s", empty)
		case !(math.Abs(number) <= math.MaxFloat32):
			return fault(mend, "has the value %v: values must be finite, as 32-bit floats too", v)
		case !c.list && int64(row) > rows:
			return usererr.File(path, 0, rewrite, "column %s has more values than the table has rows, %d", c.name, rows)
		case len(x) == maxValues:
			return usererr.File(path, 0, "give fewer points", "holds more than %d values", maxValues)
		}
		x = append(x, float32(number))
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
