package files

import (
	"archive/zip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
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
	err := addNPY(archive, "features", "<f4", p.X, p.Len(), p.D)
	if err == nil && p.Labels != nil {
		err = addNPY(archive, "labels", "<i8", labelBytes(p.Labels), p.Len())
	}
	if err == nil && p.Labels != nil && len(p.Classes) > 0 {
		h, values := textArray(p.Classes)
		err = addNPY(archive, "classes", h.name, values, h.shape...)
	}
	if err != nil {
		return err
	}
	return archive.Close()
}

// addNPY writes an array into an archive, in pieces, without a second copy of all values.
func addNPY[T float32 | byte](archive *zip.Writer, name, descr string, values []T, shape ...int) error {
	entry, err := archive.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
	if err != nil {
		return err
	}
	if _, err := entry.Write(encodeNPYHeader(descr, shape)); err != nil {
		return err
	}
	for piece := range slices.Chunk(values, 1<<16) {
		if err := binary.Write(entry, binary.LittleEndian, piece); err != nil {
			return err
		}
	}
	return nil
}

func writeTensors(w io.Writer, p *data.Pool) error {
	features, err := safetensors.FromFloat32s("features", []int{p.Len(), p.D}, p.X)
	if err != nil {
		return err
	}
	file := &safetensors.File{Tensors: []safetensors.Tensor{features}}
	if p.Labels != nil {
		file.Tensors = append(file.Tensors,
			safetensors.Tensor{Name: "labels", DType: "I64", Shape: []int{p.Len()}, Data: labelBytes(p.Labels)})
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
func encodeNPYHeader(descr string, shape []int) []byte {
	sizes := strings.ReplaceAll(dimsText(shape), "×", ", ")
	if len(shape) == 1 {
		sizes += ","
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, sizes)
	start := len(npyMagic) + 4
	length := (start+len(text)+1+63)/64*64 - start
	raw := append([]byte(npyMagic), 1, 0)
	raw = binary.LittleEndian.AppendUint16(raw, uint16(length))
	return fmt.Appendf(raw, "%-*s\n", length-1, text)
}

// textArray lays texts out as NumPy does: code points of four bytes, each text as long as the longest, at least one. A
// byte that is no text becomes U+FFFD.
func textArray(texts []string) (npyHeader, []byte) {
	longest := 1
	for _, text := range texts {
		longest = max(longest, utf8.RuneCountInString(text))
	}
	codes := make([]rune, longest*len(texts))
	for i, text := range texts {
		copy(codes[longest*i:], []rune(text))
	}
	t, _ := numpyType(fmt.Sprintf("<U%d", longest))
	return npyHeader{valueType: t, shape: []int{len(texts)}}, littleEndian(codes)
}

func labelBytes(labels []int32) []byte {
	wide := make([]int64, len(labels))
	for i, v := range labels {
		wide[i] = int64(v)
	}
	return littleEndian(wide)
}

// littleEndian are the bytes of integers.
func littleEndian(values any) []byte {
	raw, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(err) // integers of a fixed size can always be written
	}
	return raw
}
