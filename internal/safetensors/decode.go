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
	"strings"

	"github.com/x448/float16"

	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Decode reads a safetensors file that Encode has written.
//
// A file that Encode would write differently is refused, although the format may allow it. Errors wrap ErrTruncated
// where data is only the beginning of a file. Memory is bounded by a small multiple of MaxHeader and of data.
func Decode(data []byte) (*File, error) {
	n, err := headerLen(data, int64(len(data)))
	if err != nil {
		return nil, err
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

// headerLen returns the length of the JSON header. start holds at least the first 9 bytes of a file of total bytes, or
// all of a shorter one.
func headerLen(start []byte, total int64) (int, error) {
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
	if int64(n) > total-prefixLen {
		return 0, fmt.Errorf("%w: the header takes %d bytes, %d are there", ErrTruncated, n, total-prefixLen)
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
	count := 1
	for _, n := range e.Shape {
		if n < 0 || n > 0 && count > len(body)/n {
			return nil, fmt.Errorf("%w: it has shape %v, %d bytes are there", ErrTruncated, e.Shape, len(body))
		}
		count *= n
	}
	if size*count > len(body) {
		return nil, fmt.Errorf("%w: it takes %d bytes, %d are there", ErrTruncated, size*count, len(body))
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

const give = "give a checkpoint written by gfncp train or gfncp export"

// ReadFile reads the safetensors file at path. A file that is missing, unreadable, no regular file, cut short or of
// another format is a *usererr.Error; a foreign file is refused by its first bytes, however large it is.
func ReadFile(path string) (*File, error) {
	f, err := fileio.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, fileio.OpenFault(path, err)
	}
	start := make([]byte, min(info.Size(), prefixLen+1))
	if _, err := io.ReadFull(f, start); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if _, err := headerLen(start, info.Size()); err != nil {
		return nil, contentFault(path, "is not a safetensors file", err)
	}
	data := make([]byte, info.Size())
	copy(data, start)
	if _, err := io.ReadFull(f, data[len(start):]); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	file, err := Decode(data)
	if err != nil {
		return nil, contentFault(path, "is a damaged or unsupported safetensors file", err)
	}
	return file, nil
}

// contentFault explains why the content of path could not be used; what is a phrase about path.
func contentFault(path, what string, err error) error {
	hint := give
	if errors.Is(err, ErrTruncated) {
		what, hint = "is a safetensors file that is cut short", "copy it again, or "+give
	}
	detail := strings.TrimPrefix(err.Error(), ErrTruncated.Error()+": ")
	return usererr.File(path, 0, hint, "%s (%s)", what, detail).Because(err)
}
