package files

import (
	"archive/zip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/usererr"
)

// WriteFeatures writes the points of a pool to a file that Open, NumPy and the safetensors library read. path ends in
// .npz or .safetensors; any other ending is a *usererr.Error, and so is a path that cannot be written. The file is
// there whole or not at all, and the same pool gives the same bytes.
//
// The arrays are features [M,D] float32 and, if the pool has labels, labels [M] int64 and the classes' names [K]: the
// array classes of Unicode text in .npz, the metadata "classes", a JSON list, in .safetensors. Images are written as
// vectors of pixels.
func WriteFeatures(path string, p *data.Pool) error {
	if err := p.Check(); err != nil {
		return err
	}
	if p.Len() == 0 {
		return fmt.Errorf("%s: there are no features to write into %s", p.Name, path)
	}
	var fill func(io.Writer, *data.Pool) error
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".npz":
		fill = writeNPZ
	case ".safetensors":
		fill = writeTensors
	default:
		return usererr.File(path, 0, "end the name in .npz or .safetensors", "features cannot be written as %q", ext)
	}
	return atomicfile.Write(path, func(w io.Writer) error { return fill(w, p) })
}

func writeNPZ(w io.Writer, p *data.Pool) error {
	archive := zip.NewWriter(w)
	add := func(name string, h npyHeader, values func(io.Writer) error) error {
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		if _, err := entry.Write(encodeNPYHeader(h)); err != nil {
			return err
		}
		return values(entry)
	}
	array := func(descr string, shape ...int) npyHeader {
		return npyHeader{valueType: valueType{name: descr}, shape: shape}
	}
	err := add("features", array("<f4", p.Len(), p.D), func(w io.Writer) error { return writeFloats(w, p.X) })
	if err == nil && p.Labels != nil {
		err = add("labels", array("<i8", p.Len()), func(w io.Writer) error { return writeAll(w, labelBytes(p.Labels)) })
	}
	if err == nil && p.Labels != nil && len(p.Classes) > 0 {
		h, values := textArray(p.Classes)
		err = add("classes", h, func(w io.Writer) error { return writeAll(w, values) })
	}
	if err != nil {
		return err
	}
	return archive.Close()
}

func writeTensors(w io.Writer, p *data.Pool) error {
	features, err := safetensors.FromFloat32s("features", []int{p.Len(), p.D}, p.X)
	if err != nil {
		return err
	}
	file := &safetensors.File{Tensors: []safetensors.Tensor{features}}
	if p.Labels != nil {
		file.Tensors = append(file.Tensors, safetensors.Tensor{Name: "labels", DType: "I64", Shape: []int{p.Len()}, Data: labelBytes(p.Labels)})
		names, err := json.Marshal(p.Classes)
		if err != nil {
			return fmt.Errorf("write the classes' names: %w", err)
		}
		file.Metadata = map[string]string{classesKey: string(names)}
	}
	return safetensors.Encode(w, file)
}

// encodeNPYHeader writes a header of format version 1 (NEP 1): the magic text, the version, the length in two bytes,
// and a Python dictionary that ends in spaces and a line feed, so that the values start at a multiple of 64.
func encodeNPYHeader(h npyHeader) []byte {
	shape := ""
	for _, n := range h.shape {
		shape += fmt.Sprintf("%d, ", n)
	}
	if len(h.shape) > 1 {
		shape = strings.TrimSuffix(shape, ", ")
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", h.name, strings.TrimSuffix(shape, " "))
	start := len(npyMagic) + 4
	length := (start+len(text)+1+63)/64*64 - start
	raw := append([]byte(npyMagic), 1, 0)
	raw = binary.LittleEndian.AppendUint16(raw, uint16(length))
	return fmt.Appendf(raw, "%-*s\n", length-1, text)
}

// textArray lays texts out as NumPy does: code points of four bytes, each text as long as the longest, at least one.
func textArray(texts []string) (npyHeader, []byte) {
	longest := 1
	for _, text := range texts {
		longest = max(longest, utf8.RuneCountInString(text))
	}
	raw := make([]byte, 4*longest*len(texts))
	for i, text := range texts {
		at := 4 * longest * i
		for _, r := range text { // a byte that is no text becomes U+FFFD
			binary.LittleEndian.PutUint32(raw[at:], uint32(r))
			at += 4
		}
	}
	t, _ := numpyType(fmt.Sprintf("<U%d", longest))
	return npyHeader{valueType: t, shape: []int{len(texts)}}, raw
}

func labelBytes(labels []int32) []byte {
	raw := make([]byte, 0, 8*len(labels))
	for _, v := range labels {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(int64(v)))
	}
	return raw
}

// writeFloats writes values in pieces, without a second copy of all of them.
func writeFloats(w io.Writer, values []float32) error {
	const piece = 1 << 14
	raw := make([]byte, 0, 4*piece)
	for len(values) > 0 {
		n := min(piece, len(values))
		raw = raw[:0]
		for _, v := range values[:n] {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		}
		if err := writeAll(w, raw); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}

func writeAll(w io.Writer, raw []byte) error {
	_, err := w.Write(raw)
	return err
}
