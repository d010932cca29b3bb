package safetensors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

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
		entries = append(entries, e)
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
		tok, err := p.token()
		if err != nil {
			return nil, err
		}
		text, ok := tok.(json.Number)
		if !ok {
			return nil, fmt.Errorf("%v is not a number", tok)
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
func (p parser) text() (string, error) {
	tok, err := p.token()
	if err != nil {
		return "", err
	}
	s, ok := tok.(string)
	if !ok {
		return "", fmt.Errorf("%v is not a string", tok)
	}
	return s, nil
}

// delim reads one of { } [ ].
func (p parser) delim(want json.Delim) error {
	tok, err := p.token()
	if err != nil {
		return err
	}
	if tok != want {
		return fmt.Errorf("%v stands where %v should", tok, want)
	}
	return nil
}

// token reads the next token. The header's end is an error: an object is still open where this is called.
func (p parser) token() (json.Token, error) {
	tok, err := p.dec.Token()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("the JSON object has no end")
	}
	return tok, err
}
