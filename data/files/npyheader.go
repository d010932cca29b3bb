package files

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// npyMagic begins every .npy file (NEP 1, "A simple file format for NumPy arrays").
const npyMagic = "\x93NUMPY"

// npyMaxHeader bounds the header in bytes; NumPy itself writes a few hundred.
const npyMaxHeader = 1 << 20

// npyHeader describes the array in an .npy file.
type npyHeader struct {
	valueType
	shape   []int
	fortran bool // the first index varies fastest
}

// npyFault is what is wrong with an .npy file, without its name.
type npyFault string

// Error implements error.
func (f npyFault) Error() string { return string(f) }

// npyShort is the fault of a file that ends in its header.
const npyShort = npyFault("is cut short in its header")

func npyFaultf(format string, args ...any) error { return npyFault(fmt.Sprintf(format, args...)) }

var (
	npyDescr   = regexp.MustCompile(`['"]descr['"]\s*:\s*['"]([^'"]*)['"]`)
	npyFortran = regexp.MustCompile(`['"]fortran_order['"]\s*:\s*(True|False)`)
	npyShape   = regexp.MustCompile(`['"]shape['"]\s*:\s*\(([^)]*)\)`)
)

// readNPYHeader reads the header of format version 1, 2 or 3. Faults of the file are npyFault.
func readNPYHeader(r io.Reader) (npyHeader, error) {
	var start [8]byte
	n, err := io.ReadFull(r, start[:])
	switch magic := start[:min(n, len(npyMagic))]; {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return npyHeader{}, err
	case n == 0 || !strings.HasPrefix(npyMagic, string(magic)):
		return npyHeader{}, npyFaultf("is not an .npy file: it starts with the bytes % x", magic)
	case err != nil:
		return npyHeader{}, npyShort
	}
	length, err := readNPYLength(r, start[6])
	if err != nil {
		return npyHeader{}, err
	}
	if length > npyMaxHeader {
		return npyHeader{}, npyFaultf("claims a header of %d bytes", length)
	}
	text := make([]byte, length)
	if err := readNPYFull(r, text); err != nil {
		return npyHeader{}, err
	}
	return parseNPYHeader(string(text))
}

// readNPYLength reads the header's length in bytes: two bytes in version 1, four later.
func readNPYLength(r io.Reader, version byte) (int, error) {
	length := make([]byte, 4)
	switch version {
	case 1:
		err := readNPYFull(r, length[:2])
		return int(binary.LittleEndian.Uint16(length)), err
	case 2, 3:
		err := readNPYFull(r, length)
		return int(binary.LittleEndian.Uint32(length)), err
	}
	return 0, npyFaultf("has format version %d; versions 1 to 3 are read", version)
}

// readNPYFull fills p from the header.
func readNPYFull(r io.Reader, p []byte) error {
	n, err := io.ReadFull(r, p)
	if n < len(p) && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
		return npyShort
	}
	return err
}

// parseNPYHeader reads the header's Python dictionary.
func parseNPYHeader(text string) (npyHeader, error) {
	descr, fortran, shape := npyDescr.FindStringSubmatch(text), npyFortran.FindStringSubmatch(text), npyShape.FindStringSubmatch(text)
	switch {
	case descr == nil && strings.Contains(text, "descr"):
		return npyHeader{}, npyFault("holds records; only plain numbers are read")
	case descr == nil || fortran == nil || shape == nil:
		return npyHeader{}, npyFaultf("has a header that cannot be understood: %.80q", text)
	}
	h := npyHeader{fortran: fortran[1] == "True"}
	for _, word := range strings.Split(shape[1], ",") {
		word = strings.TrimSuffix(strings.TrimSpace(word), "L") // Python 2 wrote 3L
		if word == "" {                                         // after the last comma
			continue
		}
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 {
			return npyHeader{}, npyFaultf("has the shape (%s), which cannot be understood", shape[1])
		}
		h.shape = append(h.shape, n)
	}
	var known bool
	if h.valueType, known = numpyType(descr[1]); !known {
		return npyHeader{}, npyFaultf("holds values of type %q; float16, float32, float64, integers, bool and text are read", descr[1])
	}
	return h, nil
}
