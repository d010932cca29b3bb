package files

import (
	"errors"
	"io"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// number is a value as float32; ok is false if it is not finite.
func (c parquetColumn) number(v parquet.Value) (number float32, ok bool) {
	var x float64
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			x = 1
		}
	case parquet.Int32:
		if x = float64(v.Int32()); c.unsigned {
			x = float64(v.Uint32())
		}
	case parquet.Int64:
		if x = float64(v.Int64()); c.unsigned {
			x = float64(v.Uint64())
		}
	case parquet.Float:
		x = float64(v.Float())
	case parquet.Double:
		x = v.Double()
	default:
		return 0, false
	}
	return float32(x), math.Abs(x) <= math.MaxFloat32
}

// text is a value as the name of a class.
func (c parquetColumn) text(v parquet.Value) string {
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			return "1"
		}
		return "0"
	case parquet.Int32:
		if c.unsigned {
			return strconv.FormatUint(uint64(v.Uint32()), 10)
		}
		return strconv.Itoa(int(v.Int32()))
	case parquet.Int64:
		if c.unsigned {
			return strconv.FormatUint(v.Uint64(), 10)
		}
		return strconv.FormatInt(v.Int64(), 10)
	case parquet.ByteArray:
		return string(v.ByteArray())
	}
	return ""
}

// eachValue calls do with each value of the column, nulls included.
func (c parquetColumn) eachValue(path string, do func(parquet.Value) error) error {
	buffer := make([]parquet.Value, 1024)
	for _, rows := range c.groups {
		var values parquet.ColumnChunkValueReader
		if err := guard(func() error {
			values = parquet.NewColumnChunkValueReader(rows.ColumnChunks()[c.leaf.Index()])
			return nil
		}); err != nil {
			return parquetFault(path, err)
		}
		err := eachOf(path, values, buffer, do)
		_ = guard(values.Close)
		if err != nil {
			return err
		}
	}
	return nil
}

// eachOf calls do with each value of a reader.
func eachOf(path string, values parquet.ValueReader, buffer []parquet.Value, do func(parquet.Value) error) error {
	for {
		n := 0
		err := guard(func() (err error) { n, err = values.ReadValues(buffer); return err })
		for _, v := range buffer[:n] {
			if err := do(v); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err == nil && n == 0:
			return parquetFault(path, io.ErrNoProgress)
		case err != nil:
			return parquetFault(path, err)
		}
	}
}
