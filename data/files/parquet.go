package files

import (
	"fmt"
	"os"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
)

// openParquet makes a pool of a Parquet table: of one column of lists of numbers, all of one length, or of columns of numbers.
// The label column is found as that of a CSV table is.
func openParquet(path string, f *os.File, size int64, o Options) (*data.Pool, *Conversion, error) {
	columns, rows, err := openParquetFile(f, size)
	if err != nil {
		return nil, nil, parquetFault(path, err)
	}
	choice, err := chooseColumns(path, columns, o.Table)
	if err != nil {
		return nil, nil, err
	}
	pool := &data.Pool{Name: path, D: len(choice.coords)}
	if choice.coords[0].list {
		pool.X, pool.D, err = listRows(path, choice.coords[0])
	} else {
		pool.X, err = columnRows(path, choice.coords, rows)
	}
	if err != nil {
		return nil, nil, err
	}
	conv := &Conversion{Kind: kindParquet, Names: numbers(pool.Len()), Warnings: choice.warnings}
	if choice.labels == nil || o.Labels == "no" {
		return pool, conv, nil
	}
	conv.Labels = "the column " + choice.labels.name
	if pool.Labels, pool.Classes, err = choice.labels.readLabels(path); err != nil {
		return nil, nil, err
	}
	if n := len(pool.Labels); n != pool.Len() {
		return nil, nil, usererr.File(path, 0, rewrite, "column %s holds %d labels for %d vectors", choice.labels.name, n, pool.Len())
	}
	return pool, conv, nil
}

// rewrite is the remedy for a file that contradicts itself.
const rewrite = "copy or write it anew"

// listRows reads a column of lists: X [M,D] and D, the length of all of them.
func listRows(path string, c parquetColumn) (x []float32, d int, err error) {
	fault := func(row int, format string, args ...any) error {
		return usererr.File(path, 0, "give every row a list of one length", "column %s: the list of row %d %s", c.name, row, fmt.Sprintf(format, args...))
	}
	row, length := 0, 0 // of the list that is being read
	end := func() error {
		switch {
		case row == 1:
			d = length
		case row > 1 && length != d:
			return fault(row, "has %d values, that of row 1 has %d", length, d)
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
		if v.IsNull() {
			return fault(row, "is empty or has an empty place")
		}
		number, ok := c.number(v)
		switch {
		case !ok:
			return fault(row, "has the value %v: values must be finite, as 32-bit floats too", v)
		case len(x) == maxValues:
			return usererr.File(path, 0, "give fewer points", "holds more than %d values", maxValues)
		}
		x = append(x, number)
		return nil
	})
	if err == nil {
		err = end()
	}
	if err == nil && row == 0 {
		err = usererr.File(path, 0, "give at least one point", "the table has no rows")
	}
	return x, d, err
}

// columnRows reads columns of numbers: X [M,D].
func columnRows(path string, columns []parquetColumn, rows int64) ([]float32, error) {
	if rows < 1 {
		return nil, usererr.File(path, 0, "give at least one point", "the table has no rows")
	}
	if rows > int64(maxValues/len(columns)) {
		return nil, usererr.File(path, 0, "give fewer points", "holds more than %d values", maxValues)
	}
	read := make([][]float32, len(columns))
	for j, c := range columns {
		err := c.eachValue(path, func(v parquet.Value) error {
			row := len(read[j]) + 1
			if v.IsNull() {
				return usererr.File(path, 0, "fill or leave out this row, or choose columns with --columns", "column %s: row %d is empty", c.name, row)
			}
			number, ok := c.number(v)
			if !ok {
				return usererr.File(path, 0, "mend or leave out this row, or choose columns with --columns",
					"column %s: row %d has the value %v: values must be finite, as 32-bit floats too", c.name, row, v)
			}
			if int64(row) > rows {
				return usererr.File(path, 0, rewrite, "column %s has more values than the table has rows, %d", c.name, rows)
			}
			read[j] = append(read[j], number)
			return nil
		})
		if err != nil {
			return nil, err
		}
		if n := len(read[j]); int64(n) != rows {
			return nil, usererr.File(path, 0, rewrite, "column %s has %d values, but the table has %d rows", c.name, n, rows)
		}
	}
	x := make([]float32, int(rows)*len(columns))
	for j, values := range read {
		for i, v := range values {
			x[i*len(columns)+j] = v
		}
	}
	return x, nil
}

// readLabels reads a column of integers or texts: each row's class [M] and the classes' texts, in order of first appearance.
func (c parquetColumn) readLabels(path string) (labels []int32, classes []string, err error) {
	var list classList
	err = c.eachValue(path, func(v parquet.Value) error {
		text := c.text(v)
		switch {
		case v.IsNull() || text == "":
			return usererr.File(path, 0, "fill or leave out this row", "column %s: the label of row %d is empty", c.name, len(list.labels)+1)
		case !utf8.ValidString(text):
			return usererr.File(path, 0, "write it as UTF-8 text", "column %s: the label of row %d is no text", c.name, len(list.labels)+1)
		}
		list.add(text)
		return nil
	})
	return list.labels, list.classes, err
}
