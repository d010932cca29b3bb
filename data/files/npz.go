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
	opened := func() (h npyHeader, content io.ReadCloser, err error) {
		if content, err = entry.Open(); err == nil {
			h, err = readNPYHeader(content)
		}
		return h, content, err
	}
	h, content, err := opened()
	if content != nil {
		_ = content.Close()
	}
	a := namedArray{name: name, npyHeader: h, open: func() (io.Reader, error) {
		_, content, err := opened() // its checksum is tested at the end; there is nothing to close
		return bufio.NewReaderSize(content, 1<<16), err
	}}
	if errors.As(err, new(npyFault)) {
		a.fault, err = err, nil
	}
	return a, err
}
