package safetensors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Encode writes f to w. The bytes depend only on the content: tensors are in the order of their names, metadata keys
// are sorted, and the header is padded with spaces so that the data starts at a multiple of 8. It does not change f.
//
// It writes nothing for a name that is repeated, reserved or not UTF-8, and for a tensor whose Data do not fit.
func Encode(w io.Writer, f *File) error {
	tensors := slices.SortedFunc(slices.Values(f.Tensors),
		func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	for i, t := range tensors {
		if i > 0 && t.Name == tensors[i-1].Name {
			return fmt.Errorf("two tensors are called %q", t.Name)
		}
		if t.Name == metadataKey {
			return fmt.Errorf("a tensor cannot be called %q", t.Name)
		}
		if !utf8.ValidString(t.Name) {
			return fmt.Errorf("the tensor name %q is not UTF-8", t.Name)
		}
		if err := checkTensor(t); err != nil {
			return err
		}
	}
	header, err := encodeHeader(f.Metadata, tensors)
	if err != nil {
		return err
	}
	parts := [][]byte{binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header}
	for _, t := range tensors {
		parts = append(parts, t.Data)
	}
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// encodeHeader returns the padded JSON header of tensors that lie one after the other.
func encodeHeader(metadata map[string]string, tensors []Tensor) ([]byte, error) {
	var entries []string
	if len(metadata) > 0 {
		for _, key := range slices.Sorted(maps.Keys(metadata)) {
			if !utf8.ValidString(key) || !utf8.ValidString(metadata[key]) {
				return nil, fmt.Errorf("the metadata of key %q is not UTF-8", key)
			}
		}
		entries = append(entries, toJSON(metadataKey)+":"+toJSON(metadata))
	}
	end := 0
	for _, t := range tensors {
		begin := end
		end += len(t.Data)
		e := entry{t.DType, append([]int{}, t.Shape...), [2]int{begin, end}}
		entries = append(entries, toJSON(t.Name)+":"+toJSON(e))
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

// toJSON returns the JSON of strings, which are UTF-8, and integers.
func toJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // strings and integers always have JSON
	return strings.TrimSuffix(b.String(), "\n")
}

// MetaSum is the metadata key of a file's Checksum.
const MetaSum = "gfncp.sha256"

// Checksum returns the SHA-256, as hexadecimal digits, of the bytes that Encode writes for f without MetaSum. It covers
// names, types, shapes, values and all other metadata. It fails as Encode does, and does not change f.
func Checksum(f *File) (string, error) {
	bare := File{Metadata: maps.Clone(f.Metadata), Tensors: f.Tensors}
	delete(bare.Metadata, MetaSum)
	h := sha256.New()
	if err := Encode(h, &bare); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
