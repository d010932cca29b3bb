package files

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/gfncp/gfncp/internal/usererr"
)

// parquetFault names the file in a fault of its content.
func parquetFault(path string, err error) error {
	return &usererr.Error{
		Path: path, Msg: fmt.Sprintf("is a damaged or unsupported Parquet file (%v)", err), Hint: rewrite, Err: err,
	}
}

// guard makes an error of a panic in the Parquet library, which trusts what a file says.
func guard(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return work()
}

// openParquetFile reads the footer of a Parquet file: its columns and the number of rows.
func openParquetFile(r io.ReaderAt, size int64) (columns []*parquetColumn, rows int64, err error) {
	if err := checkFooter(r, size); err != nil {
		return nil, 0, err
	}
	err = guard(func() error {
		file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		if err != nil {
			return err
		}
		columns, rows = parquetColumns(file), file.NumRows()
		return nil
	})
	return columns, rows, err
}

// checkFooter refuses a footer that is larger than the file, or that claims lists which it cannot hold: the library
// would make room for them before it reads them. The footer is a structure of the Thrift compact protocol, then its
// length in four bytes, then PAR1 (parquet.apache.org, "File Format").
func checkFooter(r io.ReaderAt, size int64) error {
	const tail = 8
	if size < 4+tail {
		return fmt.Errorf("%d bytes are no Parquet file", size)
	}
	end := make([]byte, tail)
	if err := readAll(r, end, size-tail); err != nil {
		return err
	}
	if magic := string(end[4:]); magic == "PARE" {
		return errors.New("it is encrypted")
	} else if magic != "PAR1" {
		return errors.New("it does not end as one does; is it cut short?")
	}
	length := int64(binary.LittleEndian.Uint32(end))
	if length > size-tail-4 {
		return fmt.Errorf("its footer claims %d of %d bytes", length, size)
	}
	footer := make([]byte, length)
	if err := readAll(r, footer, size-tail-length); err != nil {
		return err
	}
	w := thriftWalk{r: (&thrift.CompactProtocol{}).NewReaderFromBytes(footer), size: len(footer)}
	return guard(func() error { return w.value(thrift.STRUCT, 0) })
}

func readAll(r io.ReaderAt, p []byte, at int64) error {
	_, err := io.ReadFull(io.NewSectionReader(r, at, int64(len(p))), p)
	return err
}

// thriftWalk reads over a value of the Thrift compact protocol and checks that its lists fit.
type thriftWalk struct {
	r    thrift.Reader
	size int // bytes of all
}

// value reads over a value. Each element of a list takes at least a byte.
func (w thriftWalk) value(t thrift.Type, depth int) error {
	const deepest = 64
	if depth > deepest {
		return fmt.Errorf("its footer is nested more than %d levels deep", deepest)
	}
	switch t {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err := w.r.ReadInt8()
		return err
	case thrift.I16, thrift.I32, thrift.I64:
		_, err := w.r.ReadInt64()
		return err
	case thrift.DOUBLE:
		_, err := w.r.ReadFloat64()
		return err
	case thrift.BINARY:
		_, err := w.r.ReadBytes()
		return err
	case thrift.LIST, thrift.SET:
		list, err := w.r.ReadList()
		if err != nil {
			return err
		}
		if left := w.size - w.r.BytesRead(); int(list.Size) > left {
			return fmt.Errorf("its footer claims a list of %d elements in %d bytes", list.Size, left)
		}
		for range list.Size {
			if err := w.value(list.Type, depth+1); err != nil {
				return err
			}
		}
		return nil
	case thrift.STRUCT:
		return w.fields(depth)
	}
	return fmt.Errorf("its footer holds a value of type %v", t)
}

// fields reads over the fields of a structure. A truth value lies in the field's type alone.
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
	name     string
	index    int                // in the file
	groups   []parquet.RowGroup // of the file
	typeName string             // of its values, for messages
	kind     valueKind
	list     bool // each row holds a list of values
	unsigned bool // its integers are
	// perSecond is how many units of a time make a second; 0 for what is no time.
	perSecond float64
}

// String names a column with its type, for messages.
func (c *parquetColumn) String() string {
	if c.list {
		return fmt.Sprintf("%s (list of %s)", c.name, c.typeName)
	}
	return fmt.Sprintf("%s (%s)", c.name, c.typeName)
}

// columnChoice says which columns of a table are read.
type columnChoice struct {
	coords   []*parquetColumn // one list column, or plain ones
	lay      *layout          // of the plain ones
	labels   *parquetColumn   // or nil
	names    *parquetColumn   // or nil
	warnings []string
}

// parquetColumns lists the columns. Those in groups are named GROUP.NAME, lists by the list's name.
func parquetColumns(file *parquet.File) (columns []*parquetColumn) {
	for _, path := range file.Schema().Columns() {
		leaf, _ := file.Schema().Lookup(path...)
		c := &parquetColumn{
			name: strings.Join(path, "."), index: int(leaf.ColumnIndex), groups: file.RowGroups(),
			typeName: strings.ToLower(leaf.Node.Type().String()), list: leaf.MaxRepetitionLevel > 0,
		}
		if leaf.MaxRepetitionLevel <= 1 {
			c.kind, c.unsigned = parquetKind(leaf.Node.Type())
			if c.perSecond = parquetTime(leaf.Node.Type()); c.perSecond != 0 {
				c.kind = timeValues
			}
		}
		if leaf.MaxRepetitionLevel == 1 && len(path) == 3 { // LIST: name, "list" or "bag", then "element" or "item"
			c.name = path[0]
		}
		columns = append(columns, c)
	}
	return columns
}

// parquetTime is how many units of a time or a date make a second; 0 for other types.
func parquetTime(t parquet.Type) float64 {
	logical := t.LogicalType()
	if logical == nil {
		return 0
	}
	switch logical := logical.Value.(type) {
	case *format.DateType:
		return 1.0 / (24 * 60 * 60)
	case *format.TimestampType:
		if unit := logical.Unit.Value; unit != nil {
			return float64(time.Second) / float64(unit.Duration())
		}
	}
	return 0
}

// parquetKind tells what the values of a type are; decimals and the like count as none of the kinds.
func parquetKind(t parquet.Type) (kind valueKind, unsigned bool) {
	if logical := t.LogicalType(); logical != nil && logical.Value != nil {
		switch logical := logical.Value.(type) {
		case *format.IntType:
			return wholeValues, !logical.IsSigned
		case *format.StringType, *format.EnumType:
			return textValues, false
		}
		return 0, false
	}
	switch t.Kind() {
	case parquet.Boolean, parquet.Int32, parquet.Int64:
		return wholeValues, false
	case parquet.Float, parquet.Double:
		return realValues, false
	case parquet.ByteArray:
		return textValues, false
	}
	return 0, false
}

// chooseColumns finds the coordinates, the labels and the names by the rules of a CSV table with a header. If no
// columns are wanted by name, a column of lists is all the coordinates; without one they are the columns of numbers.
func chooseColumns(path string, columns []*parquetColumn, o Options) (c columnChoice, err error) {
	o.Header = "yes"
	lay, err := newLayout(path, 0, columnNames(columns), nil, o)
	if err != nil {
		return c, err
	}
	if lay.label >= 0 {
		switch a := columns[lay.label]; {
		case !a.list && a.kind.isLabel():
			c.labels, c.warnings = a, lay.warnings
		case o.LabelColumn != "":
			return c, usererr.File(path, 0, "save labels as integers or text", "the labels %s are neither", a)
		}
	}
	if c.lay = lay; len(o.Columns) == 0 && o.Encoding == nil {
		return c, c.find(path, columns, o)
	}
	for _, i := range lay.coords {
		c.coords = append(c.coords, columns[i])
	}
	if lay.name >= 0 {
		c.takeNames(columns[lay.name])
	}
	plain := !slices.ContainsFunc(c.coords, func(a *parquetColumn) bool { return a.list || a.kind == 0 })
	if !plain && (len(c.coords) > 1 || !c.coords[0].list || !c.coords[0].kind.isNumber()) {
		return c, usererr.File(path, 0, "choose columns of numbers, or one of lists of numbers",
			"--columns are no vectors: %s", listed(c.coords))
	}
	return c, nil
}

// takeNames takes a column for the points' names if its values can be that.
func (c *columnChoice) takeNames(a *parquetColumn) bool {
	if c.names != nil || a.list || !a.kind.isLabel() || !isRowName(a.name) {
		return false
	}
	c.names = a
	return true
}

func columnNames(columns []*parquetColumn) []string {
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.name
	}
	return names
}

// find sets coords to the only column of lists, or the one that featureNames name, or else to all plain columns but the
// label's and the row numbers that pandas adds. It warns of columns that are not read.
func (c *columnChoice) find(path string, columns []*parquetColumn, o Options) error {
	rest := filter(columns, func(a *parquetColumn) bool { return a != c.labels })
	lists := filter(rest, func(a *parquetColumn) bool { return a.list && a.kind.isNumber() })
	if len(lists) > 1 {
		named := filter(lists, func(a *parquetColumn) bool { return slices.Contains(featureNames, a.name) })
		if len(named) != 1 {
			return usererr.File(path, 0, "name one with --columns",
				"several columns could be the features: %s", listed(lists))
		}
		lists = named
	}
	if c.coords = lists; len(lists) == 0 {
		if err := c.plain(columns, o); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(c.coords, func(a *parquetColumn) bool { return a.kind.isNumber() }) {
		return usererr.File(path, 0, "give columns of numbers, or one of lists of numbers",
			"holds no vectors: %s", listed(columns))
	}
	rest = filter(rest, func(a *parquetColumn) bool {
		ignored := slices.Contains(o.Ignore, a.name)
		return !ignored && !slices.Contains(c.coords, a) && !c.takeNames(a)
	})
	if len(rest) > 0 {
		c.warnings = append(c.warnings, "not read: "+listed(rest))
	}
	return nil
}

// plain takes those of the layout's coordinates that are neither lists, nor of a type that is not read, nor marked as
// labels or row numbers.
func (c *columnChoice) plain(columns []*parquetColumn, o Options) error {
	chosen := *c.lay
	chosen.coords = nil
	for _, i := range c.lay.coords {
		a := columns[i]
		isLabel := a.name != "y" && slices.Contains(labelNames, strings.ToLower(a.name))
		marked := isLabel || strings.HasPrefix(a.name, "__index_level_")
		if a.kind != 0 && !a.list && !marked && a != c.labels {
			c.coords, chosen.coords = append(c.coords, a), append(chosen.coords, i)
		}
	}
	c.lay = &chosen
	return c.lay.chooseKinds(o)
}

// featureNames mark the column of lists that holds the vectors, where there are several.
var featureNames = []string{"features", "X", "x", "embeddings", "data"}

func filter[T any](all []T, keep func(T) bool) (kept []T) {
	for _, v := range all {
		if keep(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// listed names columns, the first ones of many.
func listed(all []*parquetColumn) string {
	const most = 12
	if len(all) == 0 {
		return "nothing"
	}
	var texts []string
	for _, v := range all[:min(most, len(all))] {
		texts = append(texts, v.String())
	}
	if rest := len(all) - most; rest > 0 {
		texts = append(texts, fmt.Sprintf("%d more", rest))
	}
	return strings.Join(texts, ", ")
}
