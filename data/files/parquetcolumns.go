package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/gomlx/compute/dtypes/float16"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// parquetFault names the file in a fault of its content.
func parquetFault(path string, err error) error {
	return &usererr.Error{
		Path: path, Msg: fmt.Sprintf("is a damaged or unsupported Parquet file (%v)", err), Hint: rewrite, Err: err,
	}
}

// guard turns a panic of the Parquet library, which trusts the file, into an error.
func guard(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return work()
}

// openParquetFile reads the footer of a Parquet file: its columns and the number of rows.
func openParquetFile(path string, content []byte) (columns []*parquetColumn, rows int64, err error) {
	if err := checkFooter(content); err != nil {
		return nil, 0, err
	}
	err = guard(func() error {
		file, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)),
			parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		if err == nil {
			columns, rows = parquetColumns(path, file), file.NumRows()
		}
		return err
	})
	return columns, rows, err
}

// checkFooter returns an error for a footer that is larger than the file, or that claims lists which it cannot hold:
// the library would allocate memory for them first. The footer is a structure of the Thrift compact protocol, then its
// length in four bytes, then PAR1 (parquet.apache.org, "File Format").
func checkFooter(content []byte) error {
	const head, tail = 4, 8
	end := len(content) - tail
	switch {
	case end < head:
		return fmt.Errorf("%d bytes are no Parquet file", len(content))
	case bytes.HasSuffix(content, []byte("PARE")):
		return errors.New("it is encrypted")
	case !bytes.HasSuffix(content, []byte("PAR1")):
		return errors.New("it does not end as one does; is it cut short?")
	}
	length := int(binary.LittleEndian.Uint32(content[end:]))
	if length > end-head {
		return fmt.Errorf("its footer claims %d of %d bytes", length, len(content))
	}
	footer := content[end-length : end]
	w := thriftWalk{r: (&thrift.CompactProtocol{}).NewReaderFromBytes(footer), size: len(footer)}
	return guard(func() error { return w.value(thrift.STRUCT, 0) })
}

// thriftWalk reads a value of the Thrift compact protocol and checks that its lists fit into the bytes.
type thriftWalk struct {
	r    thrift.Reader
	size int // bytes of all
}

// value reads a value. Each element of a list takes at least a byte.
func (w thriftWalk) value(t thrift.Type, depth int) error {
	const deepest = 64
	if depth > deepest {
		return fmt.Errorf("its footer is nested more than %d levels deep", deepest)
	}
	var err error
	switch t {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err = w.r.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = w.r.ReadInt64()
	case thrift.DOUBLE:
		_, err = w.r.ReadFloat64()
	case thrift.BINARY:
		_, err = w.r.ReadBytes()
	case thrift.LIST, thrift.SET:
		err = w.elements(depth)
	case thrift.STRUCT:
		err = w.fields(depth)
	default:
		err = fmt.Errorf("its footer holds a value of type %v", t)
	}
	return err
}

func (w thriftWalk) elements(depth int) error {
	list, err := w.r.ReadList()
	if left := w.size - w.r.BytesRead(); err == nil && int(list.Size) > left {
		err = fmt.Errorf("its footer claims a list of %d elements in %d bytes", list.Size, left)
	}
	for n := 0; n < int(list.Size) && err == nil; n++ {
		err = w.value(list.Type, depth+1)
	}
	return err
}

// fields reads the fields of a structure. A truth value is part of the field's type.
func (w thriftWalk) fields(depth int) error {
	for {
		field, err := w.r.ReadField()
		switch {
		case err != nil:
			return err
		case field.Type == thrift.STOP:
			return nil
		case field.Type == thrift.TRUE || field.Type == thrift.FALSE:
			continue
		}
		if err := w.value(field.Type, depth+1); err != nil {
			return err
		}
	}
}

// parquetColumn is a column of a Parquet table: of plain values, or of lists.
type parquetColumn struct {
	path     string // the file, for messages
	name     string
	index    int                // in the file
	rows     int64              // of the table
	groups   []parquet.RowGroup // of the file
	typeName string             // of its values, for messages
	kind     valueKind          // 0 for types that are not read
	list     bool               // each row holds a list of values
	// cell returns the number of a value, NaN for text, and its text in full.
	cell func(parquet.Value) (float64, string)
}

// isPlain reports whether each row holds one value that can be read.
func (c *parquetColumn) isPlain() bool { return !c.list && c.kind != 0 }

// String names a column with its type, for messages.
func (c *parquetColumn) String() string {
	return fmt.Sprintf("%s (%s)", text.Quote(c.name), c.typeName)
}

// fault is a fault of the column, whose name goes before it.
func (c *parquetColumn) fault(hint, format string, args ...any) error {
	return usererr.File(c.path, 0, hint, "column %s%s", c.name, fmt.Sprintf(format, args...))
}

func columnNames(columns []*parquetColumn) []string {
	return mapped(columns, func(c *parquetColumn) string { return c.name })
}

// parquetColumns lists the columns. A column in a group has the name GROUP.NAME, a list has the list's name.
func parquetColumns(path string, file *parquet.File) (columns []*parquetColumn) {
	leaves := filter(file.Metadata().Schema, func(e format.SchemaElement) bool { return e.Type.Valid })
	for _, names := range file.Schema().Columns() {
		leaf, _ := file.Schema().Lookup(names...)
		c := &parquetColumn{
			path: path, name: strings.Join(names, "."), index: int(leaf.ColumnIndex), rows: file.NumRows(),
			groups: file.RowGroups(), typeName: strings.ToLower(leaf.Node.Type().String()),
			list: leaf.MaxRepetitionLevel > 0,
		}
		_, half := leaves[c.index].LogicalType.Value.(*format.Float16Type) // the library's type does not show it
		switch {
		case leaf.MaxRepetitionLevel > 1:
		case half:
			c.kind, c.cell = realValues, halfCell
		default:
			c.kind, c.cell = parquetCell(leaf.Node.Type())
		}
		if c.list {
			c.typeName = "list of " + c.typeName
		}
		if leaf.MaxRepetitionLevel == 1 && len(names) == 3 { // LIST: name, "list" or "bag", then "element" or "item"
			c.name = names[0]
		}
		columns = append(columns, c)
	}
	return columns
}

// parquetCell returns the kind of a type's values and their reader; 0 and nil for types that are not read.
func parquetCell(t parquet.Type) (valueKind, func(parquet.Value) (float64, string)) {
	if logical := t.LogicalType(); logical != nil && logical.Value != nil {
		switch logical := logical.Value.(type) {
		case *format.IntType:
			if !logical.IsSigned {
				return wholeValues, unsignedCell
			}
			return wholeValues, wholeCell
		case *format.StringType, *format.EnumType, *format.JsonType:
			return textValues, textCell
		case *format.DecimalType:
			if logical.Scale >= 0 {
				return realValues, decimalCell(int(logical.Scale))
			}
		case *format.DateType:
			return timeValues, timeCell(24 * time.Hour)
		case *format.TimestampType:
			return unitCell(logical.Unit)
		case *format.TimeType:
			return unitCell(logical.Unit)
		}
		return 0, nil
	}
	switch t.Kind() {
	case parquet.Boolean, parquet.Int32, parquet.Int64:
		return wholeValues, wholeCell
	case parquet.Int96:
		return timeValues, int96Cell
	case parquet.Float:
		return realValues, func(v parquet.Value) (float64, string) { return realCell(float64(v.Float())) }
	case parquet.Double:
		return realValues, func(v parquet.Value) (float64, string) { return realCell(v.Double()) }
	case parquet.ByteArray:
		return textValues, textCell
	}
	return 0, nil
}

func realCell(v float64) (float64, string) { return v, strconv.FormatFloat(v, 'g', -1, 64) }

func halfCell(v parquet.Value) (float64, string) {
	return realCell(float16.FromBits(binary.LittleEndian.Uint16(v.ByteArray())).Float64())
}

func textCell(v parquet.Value) (float64, string) { return math.NaN(), string(v.ByteArray()) }

// whole is the value of an integer or a truth value.
func whole(v parquet.Value) int64 {
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			return 1
		}
		return 0
	case parquet.Int32:
		return int64(v.Int32())
	}
	return v.Int64()
}

func wholeCell(v parquet.Value) (float64, string) {
	n := whole(v)
	return float64(n), strconv.FormatInt(n, 10)
}

func unsignedCell(v parquet.Value) (float64, string) {
	n := uint64(whole(v))
	if v.Kind() == parquet.Int32 {
		n = uint64(v.Uint32())
	}
	return float64(n), strconv.FormatUint(n, 10)
}

// timeCell returns the reader of times as seconds, which are counted in a unit.
func timeCell(unit time.Duration) func(parquet.Value) (float64, string) {
	perSecond := float64(time.Second) / float64(unit)
	return func(v parquet.Value) (float64, string) { return realCell(float64(whole(v)) / perSecond) }
}

func unitCell(unit format.TimeUnit) (valueKind, func(parquet.Value) (float64, string)) {
	if unit.Value == nil {
		return 0, nil
	}
	return timeValues, timeCell(unit.Value.Duration())
}

// int96Cell reads the seconds since 1970 of an INT96 time: nanoseconds of the day, and the Julian day.
func int96Cell(v parquet.Value) (float64, string) {
	const day1970 = 2440588
	t := v.Int96()
	nanoseconds := uint64(t[1])<<32 | uint64(t[0])
	return realCell((float64(t[2])-day1970)*24*60*60 + float64(nanoseconds)/1e9)
}

// decimalCell reads decimals of a scale: integers, or big-endian integers of any length, times 10^−scale.
func decimalCell(scale int) func(parquet.Value) (float64, string) {
	return func(v parquet.Value) (float64, string) {
		n := new(big.Int)
		switch v.Kind() {
		case parquet.Int32, parquet.Int64:
			n.SetInt64(whole(v))
		default:
			bytes := v.ByteArray()
			if n.SetBytes(bytes); len(bytes) > 0 && bytes[0] >= 0x80 {
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes))))
			}
		}
		number, _ := strconv.ParseFloat(fmt.Sprintf("%de-%d", n, scale), 64)
		return realCell(number)
	}
}
