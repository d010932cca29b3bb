package files

import (
	"fmt"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
)

var parquetFormat = fileFormat{
	kind: "Parquet table", starts: magic("PAR1", "PARE"), named: ending(".parquet"), seeks: true, columns: true, read: openParquet,
}

// openParquet reads a Parquet table: of one column of lists of numbers, all of one length, or of columns of numbers.
// Labels and names are found as those of a CSV table are.
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
	in := &Input{Pool: &data.Pool{D: len(choice.coords)}, Warnings: choice.warnings}
	if choice.coords[0].list {
		in.X, in.D, err = listRows(path, choice.coords[0])
	} else {
		in.X, err = columnRows(path, choice.coords, rows)
		in.Columns = columnNames(choice.coords)
	}
	if err != nil {
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

// readLabels reads a column of m integers or texts: each row's class [M] and the classes' texts, in order of first
// appearance.
func (c parquetColumn) readLabels(path string, m int) (labels []int32, classes []string, err error) {
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
	if n := len(list.labels); err == nil && n != m {
		err = usererr.File(path, 0, rewrite, "column %s holds %d labels for %d vectors", c.name, n, m)
	}
	return list.labels, list.classes, err
}
