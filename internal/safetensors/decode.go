package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
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

// entry is a tensor as the header tells it; begin and end count from the end of the header.
type entry struct {
	name, dtype string
	shape       []int
	begin, end  int
}

// parser walks the tokens of the header: a map from encoding/json would hide a repeated key.
type parser struct{ dec *json.Decoder }

// parseHeader reads the JSON header into the metadata, nil if there is none, and the tensors in their order.
func parseHeader(header []byte) (map[string]string, []entry, error) {
	p := parser{json.NewDecoder(bytes.NewReader(header))}
	p.dec.UseNumber()
	var metadata map[string]string
	var entries []entry
	err := p.object(func(key string) error {
		if key == metadataKey {
			metadata = map[string]string{}
			return p.object(func(k string) (err error) {
				metadata[k], err = p.text()
				return err
			})
		}
		e, err := p.entry(key)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", key, err)
		}
		if entries = append(entries, e); len(entries) > MaxTensors {
			return fmt.Errorf("there are more than %d tensors", MaxTensors)
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, errors.New("header: text follows the JSON object")
	}
	return metadata, entries, nil
}

// entry reads the object that describes one tensor; each of its three fields is needed, no other is allowed.
func (p parser) entry(name string) (entry, error) {
	e := entry{name: name}
	fields := 0
	err := p.object(func(key string) (err error) {
		fields++
		switch key {
		case "dtype":
			e.dtype, err = p.text()
		case "shape":
			e.shape, err = p.ints()
		case "data_offsets":
			var offsets []int
			if offsets, err = p.ints(); err == nil && len(offsets) != 2 {
				err = fmt.Errorf("data_offsets has %d numbers, want 2", len(offsets))
			}
			if err == nil {
				e.begin, e.end = offsets[0], offsets[1]
			}
		default:
			err = fmt.Errorf("unknown field %q", key)
		}
		return err
	})
	if err == nil && fields != 3 {
		err = errors.New("dtype, shape or data_offsets is missing")
	}
	return e, err
}

// object reads a JSON object and calls value for each key, to read what the key names. A repeated key is an error.
func (p parser) object(value func(key string) error) error {
	if err := p.delim('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for p.dec.More() {
		key, err := p.text()
		if err != nil {
			return err
		}
		if seen[key] {
			return fmt.Errorf("key %q occurs twice", key)
		}
		seen[key] = true
		if err := value(key); err != nil {
			return err
		}
	}
	return p.delim('}')
}

// ints reads an array of integers ≥ 0. It returns an empty slice, not nil, for an empty array.
func (p parser) ints() ([]int, error) {
	if err := p.delim('['); err != nil {
		return nil, err
	}
	numbers := []int{}
	for p.dec.More() {
		text, err := read[json.Number](p, "number")
		if err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(text.String())
		if err != nil || text[0] == '-' {
			return nil, fmt.Errorf("%s is not an integer from 0 to the largest offset", text)
		}
		numbers = append(numbers, n)
	}
	return slices.Clip(numbers), p.delim(']')
}

// text reads a string.
func (p parser) text() (string, error) { return read[string](p, "string") }

// read reads a token of a kind.
func read[T any](p parser, kind string) (T, error) {
	tok, err := p.token()
	value, ok := tok.(T)
	if err == nil && !ok {
		err = fmt.Errorf("%v is not a %s", tok, kind)
	}
	return value, err
}

// delim reads one of { } [ ].
func (p parser) delim(want json.Delim) error {
	tok, err := p.token()
	if err == nil && tok != want {
		err = fmt.Errorf("%v stands where %v should", tok, want)
	}
	return err
}

// token reads the next token. The header's end is an error: an object is still open where this is called.
func (p parser) token() (json.Token, error) {
	tok, err := p.dec.Token()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("the JSON object has no end")
	}
	return tok, err
}
