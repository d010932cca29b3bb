package safetensors

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Decode reads a safetensors file from data. The tensors' Data are parts of data, not copies, so data must not change
// while they are in use. They come in the order of their names.
//
// It checks everything the format demands: header length, UTF-8, unique names, known element types, shapes that fit
// their data, and data that follows without overlap, hole or rest. Errors wrap ErrFormat, and ErrTruncated where data
// is only the beginning of a file. Memory is bounded by a small multiple of the header.
func Decode(data []byte) (*File, error) {
	f, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return f, nil
}

// decode is Decode before its errors are wrapped.
func decode(data []byte) (*File, error) {
	n, err := headerLen(data, int64(len(data)))
	if err != nil {
		return nil, err
	}
	header, body := data[prefixLen:prefixLen+n], data[prefixLen+n:]
	if !utf8.Valid(header) {
		return nil, errors.New("the header is not UTF-8")
	}
	metadata, entries, err := parseHeader(header)
	if err != nil {
		return nil, err
	}
	if err := checkLayout(entries, len(body)); err != nil {
		return nil, err
	}
	f := &File{Metadata: metadata, Tensors: make([]Tensor, len(entries))}
	for i, e := range entries {
		f.Tensors[i] = Tensor{Name: e.name, DType: e.dtype, Shape: e.shape, Data: body[e.begin:e.end:e.end]}
	}
	slices.SortFunc(f.Tensors, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
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

// checkLayout sorts the entries by their place and checks that they fill the data from 0 to size, each with as many
// bytes as its type and shape tell.
func checkLayout(entries []entry, size int) error {
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end), strings.Compare(a.name, b.name))
	})
	end := 0
	for _, e := range entries {
		if e.begin > e.end {
			return fmt.Errorf("tensor %q ends at %d, before its begin at %d", e.name, e.end, e.begin)
		}
		if e.begin != end {
			return fmt.Errorf("tensor %q begins at %d, want %d: the data overlaps or has a hole", e.name, e.begin, end)
		}
		want, err := byteSize(e.dtype, e.shape)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", e.name, err)
		}
		if want != e.end-e.begin {
			return fmt.Errorf("tensor %q: shape %v of %s takes %d bytes, its offsets %d",
				e.name, e.shape, e.dtype, want, e.end-e.begin)
		}
		end = e.end
	}
	if end > size {
		return fmt.Errorf("%w: the tensors take %d bytes, %d are there", ErrTruncated, end, size)
	}
	if end < size {
		return fmt.Errorf("%d bytes follow the last tensor", size-end)
	}
	return nil
}
