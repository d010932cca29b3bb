package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/x448/float16"

	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Decode reads a safetensors file that Encode has written.
//
// A file that Encode would write differently is refused, although the format may allow it. Memory is bounded by a small
// multiple of MaxHeader and of data.
func Decode(data []byte) (*File, error) {
	n, err := headerLen(data)
	if err != nil {
		return nil, err
	}
	if n > len(data)-prefixLen {
		return nil, fmt.Errorf("the header takes %d bytes, %d are there", n, len(data)-prefixLen)
	}
	header, body := data[prefixLen:prefixLen+n], data[prefixLen+n:]
	var entries map[string]jsontext.Value
	if err := json.Unmarshal(header, &entries); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	f := &File{Tensors: map[string]Tensor{}}
	if text, ok := entries[metadataKey]; ok {
		if err := json.Unmarshal(text, &f.Metadata); err != nil {
			return nil, fmt.Errorf("header: %s: %w", metadataKey, err)
		}
		delete(entries, metadataKey)
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if body, err = f.add(name, entries[name], body); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
	}
	if len(body) > 0 {
		return nil, fmt.Errorf("%d bytes follow the last tensor", len(body))
	}
	written, err := f.header()
	if err == nil && !bytes.Equal(written, header) {
		err = errors.New("the header is not written as gfncp writes it")
	}
	return f, err
}

// headerLen returns the length of the JSON header of a file that starts so.
func headerLen(start []byte) (int, error) {
	if len(start) <= prefixLen {
		return 0, fmt.Errorf("%d bytes cannot hold a header", len(start))
	}
	n := binary.LittleEndian.Uint64(start)
	if n > MaxHeader {
		return 0, fmt.Errorf("header length %d is more than %d", n, MaxHeader)
	}
	if n < 2 || start[prefixLen] != '{' {
		return 0, errors.New("there is no JSON header")
	}
	return int(n), nil
}

// add reads a tensor that text describes from the start of body, and returns the rest of body.
func (f *File) add(name string, text jsontext.Value, body []byte) (rest []byte, err error) {
	var e entry
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, err
	}
	f.Half = e.DType == "F16"
	_, size := f.element()
	most, count := len(body)/size, 1
	for _, n := range e.Shape {
		if n < 0 || n > 0 && count > most/n {
			count = most + 1
			break
		}
		count *= n
	}
	if count > most {
		return nil, fmt.Errorf("it has shape %v, but %d bytes are there", e.Shape, len(body))
	}
	t := Tensor{Shape: e.Shape, Data: make([]float32, count)}
	for i := range t.Data {
		if f.Half {
			t.Data[i] = float16.Frombits(binary.LittleEndian.Uint16(body[2*i:])).Float32()
		} else {
			t.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))
		}
	}
	f.Tensors[name] = t
	return body[size*count:], nil
}

// ReadFile reads the safetensors file at path. A file that is missing, unreadable, no regular file, cut short or of
// another format is a *usererr.Error; a foreign file is refused by its first bytes, however large it is.
func ReadFile(path string) (*File, error) {
	f, err := fileio.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, prefixLen+1))
	if err == nil {
		_, err = headerLen(data)
	}
	if err == nil {
		var rest []byte
		rest, err = io.ReadAll(f)
		data = append(data, rest...)
	}
	var file *File
	if err == nil {
		file, err = Decode(data)
	}
	if err != nil {
		return nil, usererr.File(path, 0, "copy it again, or give a checkpoint written by gfncp train or gfncp export",
			"is damaged or cut short, or no safetensors file of gfncp (%v)", err).Because(err)
	}
	return file, nil
}
