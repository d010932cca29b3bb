package files

import (
	"archive/zip"
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
)

// maxArrays bounds the arrays in a file: each of them is opened to read its header.
const maxArrays = 1000

var npzFormat = fileFormat{
	kind: "NumPy archive", starts: magic("PK\x03\x04", "PK\x05\x06"), named: ending(".npz"), seeks: true, columns: true, read: openNPZ,
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
			return nil, usererr.File(path, 0, "save the features and the labels alone", "holds more than %d arrays", maxArrays)
		}
		a, err := npzArray(name, entry)
		if err != nil {
			return nil, archiveFault(path, err)
		}
		arrays = append(arrays, a)
	}
	if len(arrays) == 0 {
		return nil, usererr.File(path, 0, "save arrays with numpy.savez, or unpack it", "is an archive without a NumPy array")
	}
	return openArrays(path, arrays, o)
}

// npzArray describes an entry by its header. A header that is damaged is a fault of the array, a damaged archive an
// error.
func npzArray(name string, entry *zip.File) (namedArray, error) {
	a := namedArray{name: name}
	content, err := entry.Open()
	if err != nil {
		return a, err
	}
	defer func() { _ = content.Close() }()
	h, err := readNPYHeader(content)
	var fault npyFault
	switch {
	case errors.As(err, &fault):
		a.fault = fault
		return a, nil
	case err != nil:
		return a, err
	}
	a.shape, a.valueType = h.shape, h.valueType
	a.open = func() (npyHeader, io.Reader, error) {
		content, err := entry.Open() // its checksum is tested at the end; there is nothing to close
		if err != nil {
			return npyHeader{}, nil, err
		}
		in := bufio.NewReaderSize(content, 1<<16)
		h, err := readNPYHeader(in)
		return h, in, err
	}
	return a, nil
}
