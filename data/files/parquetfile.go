package files

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"

	"github.com/gfncp/gfncp/internal/usererr"
)

// parquetFault names the file in a fault of its content.
func parquetFault(path string, err error) error {
	return &usererr.Error{Path: path, Msg: fmt.Sprintf("is a damaged or unsupported Parquet file (%v)", err), Hint: rewrite, Err: err}
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

// readAll fills p from the place at.
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
