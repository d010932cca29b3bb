package safetensors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json/v2"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/x448/float16"
)

// Encode writes f to w. The bytes depend only on the content: tensors are in the order of their names, metadata keys
// are sorted, and the header is padded with spaces so that the data starts at a multiple of 8. It does not change f.
//
// It fails for text that is not UTF-8, and for a tensor whose Data do not fit its Shape.
func Encode(w io.Writer, f *File) error {
	header, err := f.header()
	if err != nil {
		return err
	}
	parts := [][]byte{binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header}
	for _, name := range f.names() {
		parts = append(parts, f.bytes(f.Tensors[name].Data))
	}
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) names() []string { return slices.Sorted(maps.Keys(f.Tensors)) }

// header returns the padded JSON header.
func (f *File) header() ([]byte, error) {
	entries := map[string]any{}
	if len(f.Metadata) > 0 {
		entries[metadataKey] = f.Metadata
	}
	dtype, size := f.element()
	end := 0
	for _, name := range f.names() {
		t := f.Tensors[name]
		count := 1
		for _, n := range t.Shape {
			count *= n
		}
		if name == metadataKey || count != len(t.Data) {
			return nil, fmt.Errorf("tensor %q: %d numbers of shape %v", name, len(t.Data), t.Shape)
		}
		begin := end
		end += size * count
		entries[name] = entry{dtype, t.Shape, [2]int{begin, end}}
	}
	header, err := json.Marshal(entries, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if pad := len(header) % 8; pad != 0 {
		header = append(header, bytes.Repeat([]byte{' '}, 8-pad)...)
	}
	if len(header) > MaxHeader {
		return nil, fmt.Errorf("the header takes %d bytes, more than %d", len(header), MaxHeader)
	}
	return header, nil
}

// bytes returns numbers as the file has them.
func (f *File) bytes(values []float32) []byte {
	var numbers any = values
	if f.Half {
		halves := make([]uint16, len(values))
		for i, v := range values {
			halves[i] = float16.Fromfloat32(v).Bits()
		}
		numbers = halves
	}
	data, _ := binary.Append(nil, binary.LittleEndian, numbers) // numbers of a fixed size: no error
	return data
}

// MetaSum is the metadata key of a file's Checksum.
const MetaSum = "gfncp.sha256"

// Checksum returns the SHA-256, as hexadecimal digits, of the bytes that Encode writes for f without MetaSum. It covers
// names, types, shapes, values and all other metadata. It fails as Encode does, and does not change f.
func Checksum(f *File) (string, error) {
	bare := *f
	bare.Metadata = maps.Clone(f.Metadata)
	delete(bare.Metadata, MetaSum)
	h := sha256.New()
	if err := Encode(h, &bare); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
