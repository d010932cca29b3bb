package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Decode reads a safetensors file that Encode has written from data. The tensors' Data are parts of data, not copies,
// so data must not change while they are in use. They come in the order of their names.
//
// A file that Encode would write differently is refused, although the format may allow it. Errors wrap ErrTruncated
// where data is only the beginning of a file. Memory is bounded by a small multiple of MaxHeader.
func Decode(data []byte) (*File, error) {
	n, err := headerLen(data, int64(len(data)))
	if err != nil {
		return nil, err
	}
	header, body := data[prefixLen:prefixLen+n], data[prefixLen+n:]
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(header, &fields); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	f := &File{}
	if text, ok := fields[metadataKey]; ok {
		if err := json.Unmarshal(text, &f.Metadata); err != nil {
			return nil, fmt.Errorf("header: %s: %w", metadataKey, err)
		}
		delete(fields, metadataKey)
	}
	at := 0
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		t, err := tensorAt(name, fields[name], body, at)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		at += len(t.Data)
		f.Tensors = append(f.Tensors, t)
	}
	if at < len(body) {
		return nil, fmt.Errorf("%d bytes follow the last tensor", len(body)-at)
	}
	written, err := encodeHeader(f.Metadata, f.Tensors)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(written, header) {
		return nil, errors.New("the header is not written as gfncp writes it")
	}
	return f, nil
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

// entry describes a tensor in the header. The offsets count from the end of the header.
type entry struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// tensorAt returns the tensor that text describes, whose data begin at a place of body.
func tensorAt(name string, text json.RawMessage, body []byte, at int) (Tensor, error) {
	var e entry
	if err := json.Unmarshal(text, &e); err != nil {
		return Tensor{}, err
	}
	size, err := byteSize(e.DType, e.Shape)
	if err != nil {
		return Tensor{}, err
	}
	if size > len(body)-at {
		return Tensor{}, fmt.Errorf("%w: it takes %d bytes, %d are there", ErrTruncated, size, len(body)-at)
	}
	return Tensor{Name: name, DType: e.DType, Shape: e.Shape, Data: body[at : at+size : at+size]}, nil
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
