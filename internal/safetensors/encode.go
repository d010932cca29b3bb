package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Encode writes f to w. The bytes depend on the content alone: tensors lie in the order of their names, metadata keys
// are sorted, and the header is padded with spaces so that the data starts at a multiple of 8. It does not change f.
//
// It fails for a name that is repeated, reserved or not UTF-8, for an unknown element type, and where Data has not the
// size that Shape tells; nothing is written then.
func Encode(w io.Writer, f *File) error {
	tensors := slices.SortedFunc(slices.Values(f.Tensors), func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	for i, t := range tensors {
		if i > 0 && t.Name == tensors[i-1].Name {
			return fmt.Errorf("two tensors are called %q", t.Name)
		}
		if err := checkName(t.Name); err != nil {
			return err
		}
		if err := checkTensor(t); err != nil {
			return err
		}
	}
	header, err := encodeHeader(f.Metadata, tensors)
	if err != nil {
		return err
	}
	if _, err := w.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))); err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, t := range tensors {
		if _, err := w.Write(t.Data); err != nil {
			return err
		}
	}
	return nil
}

// checkName refuses what cannot be a header key.
func checkName(name string) error {
	if name == metadataKey {
		return fmt.Errorf("a tensor cannot be called %q", name)
	}
	if !utf8.ValidString(name) {
		return fmt.Errorf("the tensor name %q is not UTF-8", name)
	}
	return nil
}

// encodeHeader returns the padded JSON header of tensors that lie one after the other.
func encodeHeader(metadata map[string]string, tensors []Tensor) ([]byte, error) {
	var entries []string
	if len(metadata) > 0 {
		text, err := encodeMetadata(metadata)
		if err != nil {
			return nil, err
		}
		entries = append(entries, quote(metadataKey)+":"+text)
	}
	end := 0
	for _, t := range tensors {
		begin := end
		end += len(t.Data)
		entries = append(entries, fmt.Sprintf(`%s:{"dtype":"%s","shape":[%s],"data_offsets":[%d,%d]}`,
			quote(t.Name), t.DType, joinInts(t.Shape), begin, end))
	}
	header := []byte("{" + strings.Join(entries, ",") + "}")
	if pad := len(header) % 8; pad != 0 {
		header = append(header, bytes.Repeat([]byte{' '}, 8-pad)...)
	}
	if len(header) > MaxHeader {
		return nil, fmt.Errorf("the header takes %d bytes, more than %d", len(header), MaxHeader)
	}
	return header, nil
}

// encodeMetadata returns the JSON object of metadata in the order of its keys.
func encodeMetadata(metadata map[string]string) (string, error) {
	var entries []string
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		if !utf8.ValidString(key) || !utf8.ValidString(metadata[key]) {
			return "", fmt.Errorf("the metadata of key %q is not UTF-8", key)
		}
		entries = append(entries, quote(key)+":"+quote(metadata[key]))
	}
	return "{" + strings.Join(entries, ",") + "}", nil
}

// quote returns s, which is UTF-8, as a JSON string.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return strconv.Quote(s) // not reached: a string can always be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// joinInts returns the numbers with commas between them.
func joinInts(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}
