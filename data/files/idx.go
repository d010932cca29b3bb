package files

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// idxTypes are the value types by their code, the third byte of a file (LeCun, "The IDX file format").
var idxTypes = map[byte]string{
	0x08: "unsigned byte", 0x09: "signed byte", 0x0b: "short", 0x0c: "int", 0x0d: "float", 0x0e: "double",
}

const idxUbyte = 0x08

// IDX is the content of an IDX file of unsigned bytes; the last dimension varies fastest.
type IDX struct {
	Dims   []int
	Values []byte
}

// isIDX reports whether start, the first bytes of a file, begins as an IDX file does.
func isIDX(start []byte) bool {
	return len(start) >= 4 && start[0] == 0 && start[1] == 0 && idxTypes[start[2]] != "" &&
		start[3] >= 1 && start[3] <= 8
}

// ReadIDX reads an IDX array of unsigned bytes with the wanted number of dimensions, 3 for images and 1 for labels.
// path stands for the file in messages. Memory grows with what the file really holds, not with what its header claims.
func ReadIDX(path string, r io.Reader, want int) (IDX, error) {
	fault := func(format string, args ...any) (IDX, error) {
		return IDX{}, usererr.File(path, 0, "give a whole IDX file of unsigned bytes, as MNIST's are", format, args...)
	}
	in := bufio.NewReader(r)
	start, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return IDX{}, fileio.ReadFault(path, err)
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
		return IDX{}, fileio.ReadFault(path, err)
	}
	a := IDX{Dims: make([]int, want)}
	for i := range a.Dims {
		a.Dims[i] = int(binary.BigEndian.Uint32(header[4+4*i:]))
	}
	total, ok := product(a.Dims)
	if !ok {
		return fault("claims %s values; each dimension must be at least 1 and all together at most %d",
			dimsText(a.Dims), maxValues)
	}
	if a.Values, err = io.ReadAll(io.LimitReader(in, int64(total)+1)); err != nil {
		return IDX{}, fileio.ReadFault(path, err)
	}
	switch n := len(a.Values); {
	case n < total:
		return fault("is cut short: %d of %s values are there", n, dimsText(a.Dims))
	case n > total:
		return fault("holds more than the %s values that its header names", dimsText(a.Dims))
	}
	return a, nil
}

// UnitPixels maps bytes 0..255 to 0..1.
func UnitPixels(bytes []byte) []float32 {
	x := make([]float32, len(bytes))
	for i, v := range bytes {
		x[i] = float32(v) / 255
	}
	return x
}
