package files

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

var parquetFormat = fileFormat{
	kind: "Parquet table", starts: regexp.MustCompile(`^PAR[1E]`), endings: []string{".parquet"},
	columns: true, read: openParquet,
}

// openParquet reads a Parquet table: a column of lists of numbers, all of one length, or columns of plain values.
func openParquet(path string, content []byte, o Options) (*Input, error) {
	columns, rows, err := openParquetFile(path, content)
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
	return in, in.readColumns(lay, columns, rows, o)
}

const rewrite = "copy or write it anew"

// parquetLayout returns the layout of the columns, by the rules of a CSV table with a header. It is an error if a
// coordinate has a type that cannot be read.
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
	isVectors := func(c int) bool {
		return columns[c].list && columns[c].kind.isNumber() && !slices.Contains(lay.aside, c)
	}
	if err := lay.keepVector(filter(lay.coords, isVectors), o); err != nil {
		return nil, err
	}
	if err := lay.chooseKinds(o); err != nil { // anew, of those that are left
		return nil, err
	}
	unread := filter(lay.read, func(c int) bool {
		return !columns[c].isPlain() && !(isVectors(c) && slices.Contains(lay.coords, c))
	})
	if len(unread) > 0 {
		shown := mapped(unread, func(c int) string { return columns[c].String() })
		hint := "leave out with " + lay.ignore(unread)
		if lay.cells[unread[0]].known != "" {
			hint = asClustered
		}
		return nil, usererr.File(path, 0, hint, "%s not read: %s",
			text.Count(len(unread), "column has a type that is", "columns have types that are"),
			text.List(shown, shownInANote))
	}
	return lay, nil
}

func (in *Input) readColumns(lay *layout, columns []*parquetColumn, rows int64, o Options) error {
	if rows > int64(maxValues/len(lay.coords)) {
		return usererr.File(lay.path, 0, "give fewer points", "holds more than %d values", maxValues)
	}
	if err := checkRoom(lay.path, 8*int(rows)*len(lay.coords)); err != nil {
		return err
	}
	for _, at := range lay.read {
		c, err := columns[at], error(nil)
		if c.list {
			err = c.readLists(lay.cells[at])
		} else {
			err = c.readCells(lay.cells[at])
		}
		if err != nil {
			return err
		}
	}
	return in.settle(lay, o)
}

func (c *parquetColumn) readCells(to *cells) error {
	to.seconds = c.kind == timeValues
	texts, held := c.kind == textValues || c.kind == wholeValues || to.plainText, 0
	err := c.eachValue(func(row int, v parquet.Value) error {
		number, cell := math.NaN(), ""
		if !v.IsNull() {
			number, cell = c.cell(v)
		}
		switch {
		case !utf8.ValidString(cell):
			return c.fault(asUTF8, ": row %d is no text", row)
		case math.IsInf(number, 0):
			return c.fault(to.remedy(mendOrIgnore), ": row %d has the value %v", row, v)
		}
		to.numbers = append(to.numbers, number)
		if texts {
			to.texts = append(to.texts, cell)
			held += len(cell)
		}
		return checkRoom(c.path, held+cellBytes*len(to.texts))
	})
	if c.kind == textValues || to.plainText {
		to.parse('.')
	} else {
		to.count()
	}
	return err
}

// readLists reads a column of lists of numbers.
func (c *parquetColumn) readLists(to *cells) error {
	return c.eachValue(func(row int, v parquet.Value) error {
		if v.IsNull() {
			return c.fault("fill it, or delete the row", ": the list of row %d is empty or has an empty place", row)
		}
		if row > len(to.lengths) {
			to.lengths = append(to.lengths, 0)
		}
		to.lengths[row-1]++
		number, _ := c.cell(v)
		to.vectors = append(to.vectors, number)
		if len(to.vectors) > maxValues {
			return usererr.File(c.path, 0, "give fewer points", "holds more than %d values", maxValues)
		}
		return nil
	})
}

const asUTF8 = "write it as UTF-8 text"

// eachValue calls do with each value of the column, nulls included, and its row, counted from 1. It is a fault of the
// file if the column has other rows than the table, or if do returns an error that is not a *usererr.Error.
func (c *parquetColumn) eachValue(do func(row int, v parquet.Value) error) error {
	strange, row := c.fault(rewrite, " does not have the %d rows of the table", c.rows), int64(0)
	each := parquet.ValueWriterFunc(func(values []parquet.Value) (int, error) {
		for _, v := range values {
			if v.RepetitionLevel() == 0 {
				row++
			}
			if row < 1 || row > c.rows {
				return 0, strange
			}
			if err := do(int(row), v); err != nil {
				return 0, err
			}
		}
		return len(values), nil
	})
	err := guard(func() error {
		for _, rows := range c.groups {
			values := parquet.NewColumnChunkValueReader(rows.ColumnChunks()[c.index])
			if _, err := parquet.CopyValues(each, values); err != nil {
				return err
			}
			_ = values.Close()
		}
		return nil
	})
	switch {
	case err == nil && row != c.rows:
		return strange
	case err != nil && !usererr.Is(err):
		return parquetFault(c.path, err)
	}
	return err
}
