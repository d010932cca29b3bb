package files

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/usererr"
)

// maxArrays bounds the arrays in a file: each of them is opened to read its header.
const maxArrays = 1000

var npzFormat = fileFormat{
	kind: "NumPy archive", starts: magic("PK\x03\x04", "PK\x05\x06"), named: ending(".npz"),
	seeks: true, columns: true, read: openNPZ,
}

// openNPZ reads an .npz archive: a zip file of .npy files (NumPy, numpy.savez). Only the headers of all arrays are
// unpacked, and the arrays that are read; memory grows with what these really hold, up to maxValues.
func openNPZ(from *opened, o Options) (*Input, error) {
	path := from.path
	archive, err := zip.NewReader(from.file, from.size)
	if err != nil {
		return nil, archiveFault(path, err)
	}
	var arrays []namedArray
	for _, entry := range archive.File {
		name, is := strings.CutSuffix(entry.Name, ".npy")
		if entry.Name == "xl/workbook.xml" {
			return nil, usererr.File(path, 0, saveSheet, isSpreadsheet)
		}
		if !is {
			continue
		}
		if len(arrays) == maxArrays {
			return nil, usererr.File(path, 0, "save the features and the labels alone",
				"holds more than %d arrays", maxArrays)
		}
		a, err := npzArray(name, entry)
		if err != nil {
			return nil, archiveFault(path, err)
		}
		arrays = append(arrays, a)
	}
	if len(arrays) == 0 {
		return nil, usererr.File(path, 0, "save arrays with numpy.savez, or unpack it",
			"is an archive without a NumPy array")
	}
	return openArrays(path, arrays, o)
}

// npzArray describes an entry by its header, which may be damaged; a damaged archive is an error.
func npzArray(name string, entry *zip.File) (namedArray, error) {
	content, err := entry.Open()
	if err != nil {
		return namedArray{}, err
	}
	defer func() { _ = content.Close() }()
	a := namedArray{name: name, open: func() (io.Reader, error) {
		content, err := entry.Open() // its checksum is tested at the end; there is nothing to close
		if err != nil {
			return nil, err
		}
		in := bufio.NewReaderSize(content, 1<<16)
		_, err = readNPYHeader(in)
		return in, err
	}}
	if a.npyHeader, err = readNPYHeader(content); errors.As(err, new(npyFault)) {
		a.fault, err = err, nil
	}
	return a, err
}

// classesKey is the key of the metadata of a .safetensors file that holds the classes' names, a JSON list.
const classesKey = "classes"

var tensorsFormat = fileFormat{
	kind: "safetensors", starts: isTensors, named: ending(".safetensors"),
	seeks: true, columns: true, read: openTensors,
}

// isTensors reports whether a file begins as one of tensors does: with a header of less than 4 GiB of JSON.
func isTensors(start []byte) bool {
	return len(start) >= 9 && start[8] == '{' && slices.Equal(start[4:8], make([]byte, 4))
}

func openTensors(from *opened, o Options) (*Input, error) {
	path := from.path
	file, err := safetensors.ReadFile(path)
	if err != nil {
		var fault *usererr.Error
		if errors.As(err, &fault) { // its remedy is one for weights
			named := *fault
			named.Hint = "write it anew, with the tensors features [M,D] and labels [M]"
			return nil, &named
		}
		return nil, err
	}
	var arrays []namedArray
	for _, t := range file.Tensors {
		arrays = append(arrays, arrayOf(t.Name, npyHeader{shape: t.Shape, valueType: tensorType(t.DType)}, t.Data))
	}
	text, unread := file.Metadata[classesKey]
	var names []string
	if json.Unmarshal([]byte(text), &names) == nil {
		h, values := textArray(names)
		arrays, unread = append(arrays, arrayOf(classesKey, h, values)), false
	}
	in, err := openArrays(path, arrays, o)
	if err == nil && unread {
		in.Warnings = append(in.Warnings,
			fmt.Sprintf("the metadata %q are no JSON list of names and are not read", classesKey))
	}
	return in, err
}

// arrayOf is an array whose values are at hand.
func arrayOf(name string, h npyHeader, values []byte) namedArray {
	return namedArray{name: name, npyHeader: h, open: func() (io.Reader, error) { return bytes.NewReader(values), nil }}
}
