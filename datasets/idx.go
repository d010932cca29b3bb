package datasets

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/gfncp/gfncp/internal/usererr"
)

// idxTypes are the value types of the IDX format by their code, the third byte of a file (LeCun, "The IDX file format").
var idxTypes = map[byte]string{
	0x08: "unsigned byte", 0x09: "signed byte", 0x0b: "short", 0x0c: "int", 0x0d: "float", 0x0e: "double",
}

const idxUbyte = 0x08

// idxArray is the content of an IDX file of unsigned bytes; the last dimension varies fastest.
type idxArray struct {
	dims   []int
	values []byte
}

// isIDX reports whether start, the first bytes of a file, begins as an IDX file does.
func isIDX(start []byte) bool {
	return len(start) >= 4 && start[0] == 0 && start[1] == 0 && idxTypes[start[2]] != "" && start[3] >= 1 && start[3] <= 8
}

// readIDX reads an IDX array of unsigned bytes with the wanted number of dimensions, 3 for images and 1 for labels. path
// stands for the file in messages. Memory grows with what the file really holds, not with what its header claims.
func readIDX(path string, r io.Reader, want int) (idxArray, error) {
	fault := func(format string, args ...any) (idxArray, error) {
		return idxArray{}, usererr.File(path, 0, "give a whole IDX file of unsigned bytes, as MNIST's are", format, args...)
	}
	in := bufio.NewReader(r)
	start, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return idxArray{}, readFault(path, err)
	}
	switch {
	case !isIDX(start):
		return fault("is not an IDX file: it starts with the bytes % x", start)
	case start[2] != idxUbyte:
		return fault("holds values of type %s", idxTypes[start[2]])
	case int(start[3]) != want && want == 3 && start[3] == 1:
		return fault("holds labels, not images: it has 1 dimension")
	case int(start[3]) != want:
		return fault("has %d dimensions, not %d", start[3], want)
	}
	header := make([]byte, 4+4*want)
	if _, err := io.ReadFull(in, header); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fault("is cut short in its header")
		}
		return idxArray{}, readFault(path, err)
	}
	a := idxArray{dims: make([]int, want)}
	for i := range a.dims {
		a.dims[i] = int(binary.BigEndian.Uint32(header[4+4*i:]))
	}
	total, ok := product(a.dims)
	if !ok {
		return fault("claims %s values; each dimension must be at least 1 and all together at most %d", dimsText(a.dims), maxValues)
	}
	if a.values, err = io.ReadAll(io.LimitReader(in, int64(total)+1)); err != nil {
		return idxArray{}, readFault(path, err)
	}
	switch n := len(a.values); {
	case n < total:
		return fault("is cut short: %d of %s values are there", n, dimsText(a.dims))
	case n > total:
		return fault("holds more than the %s values that its header names", dimsText(a.dims))
	}
	return a, nil
}

// dimsText writes dimensions as 60000×28×28.
func dimsText(dims []int) string {
	text := ""
	for i, d := range dims {
		if i > 0 {
			text += "×"
		}
		text += fmt.Sprint(d)
	}
	return text
}
