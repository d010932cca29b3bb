package files

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
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
	width := map[byte]int{1: 2, 2: 4, 3: 4}[start[6]] // of the header's length, by the version
	if width == 0 {
		return npyHeader{}, npyFaultf("has format version %d; versions 1 to 3 are read", start[6])
	}
	size := make([]byte, 4)
	if err := readNPYFull(r, size[:width]); err != nil {
		return npyHeader{}, err
	}
	length := binary.LittleEndian.Uint32(size)
	if length > npyMaxHeader {
		return npyHeader{}, npyFaultf("claims a header of %d bytes", length)
	}
	text := make([]byte, length)
	if err := readNPYFull(r, text); err != nil {
		return npyHeader{}, err
	}
	return parseNPYHeader(string(text))
}

func readNPYFull(r io.Reader, p []byte) error {
	n, err := io.ReadFull(r, p)
	if n < len(p) && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
		return npyShort
	}
	return err
}

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

// readFloats reads the numbers that follow a header, in C order.
func readFloats(r io.Reader, h npyHeader) ([]float32, error) {
	if h.kind == textValues {
		return nil, npyFaultf("holds text (%s), not numbers", h.name)
	}
	var values []float32
	err := eachValue(r, h, func(p []byte) error {
		v := h.number(p)
		if !(math.Abs(v) <= math.MaxFloat32) {
			return npyFaultf("value %d is %v: values must be finite, as 32-bit floats too", len(values), v)
		}
		values = append(values, float32(v))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if h.fortran {
		values = fromFortran(values, h.shape)
	}
	return values, nil
}

// readLabels reads the integers or texts that follow a header of one dimension: each value's class [M], and the
// classes' texts in order of first appearance, as those of a table.
func readLabels(r io.Reader, h npyHeader) (labels []int32, classes []string, err error) {
	if h.kind == realValues {
		return nil, nil, npyFaultf("holds values of type %s; labels must be integers or text", h.name)
	}
	var list classList
	err = eachValue(r, h, func(p []byte) error {
		text, err := h.label(p)
		switch {
		case err != nil:
			return npyFaultf("value %d cannot be read: %v", len(list.labels), err)
		case text == "":
			return npyFaultf("value %d is an empty text", len(list.labels))
		}
		list.add(text)
		return nil
	})
	return list.labels, list.classes, err
}

// eachValue calls do with the bytes of each value that follows a header, in the order of the file. There must be
// exactly as many as the header's shape says. Faults of the file are npyFault.
func eachValue(r io.Reader, h npyHeader, do func([]byte) error) error {
	total, ok := product(h.shape)
	if !ok {
		return npyFaultf("has the shape %s; each dimension must be at least 1 and all together at most %d values", dimsText(h.shape), maxValues)
	}
	chunk := max(1, (1<<16)/h.size)
	buffer := make([]byte, chunk*h.size)
	for done := 0; done < total; {
		count := min(chunk, total-done)
		n, err := io.ReadFull(r, buffer[:count*h.size])
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return npyFaultf("is cut short: %d of %s values are there", done+n/h.size, dimsText(h.shape))
		}
		if err != nil {
			return err
		}
		for i := range count {
			if err := do(buffer[i*h.size : (i+1)*h.size]); err != nil {
				return err
			}
		}
		done += count
	}
	switch n, err := io.ReadFull(r, buffer[:1]); {
	case n > 0:
		return npyFaultf("holds more than the %s values that its header names", dimsText(h.shape))
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// fromFortran reorders values from Fortran order, where the first index varies fastest, to C order.
func fromFortran(values []float32, shape []int) []float32 {
	ordered := make([]float32, len(values))
	for to := range ordered {
		from, rest, outer := 0, to, len(values)
		for axis := len(shape) - 1; axis >= 0; axis-- { // from the axis that varies fastest in C order
			outer /= shape[axis] // the step along the axis in Fortran order
			from += rest % shape[axis] * outer
			rest /= shape[axis]
		}
		ordered[to] = values[from]
	}
	return ordered
}

// maxValues is the largest number of values that a pool may hold: 4 GiB of float32.
const maxValues = 1 << 30

// product multiplies dimensions; ok is false if one is below 1 or the product exceeds maxValues.
func product(dims []int) (n int, ok bool) {
	n = 1
	for _, d := range dims {
		if d < 1 || d > maxValues/n {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// dimsText writes dimensions as 60000×28×28.
func dimsText(dims []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(dims), "[]"), " ", "×")
}
