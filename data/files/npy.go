package files

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// npyMagic begins every .npy file (NEP 1, "A simple file format for NumPy arrays").
const npyMagic = "\x93NUMPY"

const npyMaxHeader = 1 << 20

type npyHeader struct {
	valueType
	shape   []int
	fortran bool // the first index varies fastest
}

// npyFault is a fault of an .npy file, without its name.
func npyFault(format string, args ...any) error {
	return usererr.New("save a plain array with numpy.save", format, args...)
}

func npyShort() error { return npyFault("is cut short in its header") }

var (
	npyDescr   = regexp.MustCompile(`['"]descr['"]\s*:\s*['"]([^'"]*)['"]`)
	npyFortran = regexp.MustCompile(`['"]fortran_order['"]\s*:\s*(True|False)`)
	npyShape   = regexp.MustCompile(`['"]shape['"]\s*:\s*\(([^)]*)\)`)
)

// readNPYHeader reads the header of format version 1, 2 or 3. Faults of the file are *usererr.Error without its name.
func readNPYHeader(r io.Reader) (npyHeader, error) {
	var start [8]byte
	n, err := io.ReadFull(r, start[:])
	switch magic := start[:min(n, len(npyMagic))]; {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return npyHeader{}, err
	case n == 0 || !strings.HasPrefix(npyMagic, string(magic)):
		return npyHeader{}, npyFault("is not an .npy file: it starts with the bytes % x", magic)
	case err != nil:
		return npyHeader{}, npyShort()
	}
	width := map[byte]int{1: 2, 2: 4, 3: 4}[start[6]] // of the header's length, by the version
	if width == 0 {
		return npyHeader{}, npyFault("has format version %d; versions 1 to 3 are read", start[6])
	}
	size := make([]byte, 4)
	if err := readNPYFull(r, size[:width]); err != nil {
		return npyHeader{}, err
	}
	length := binary.LittleEndian.Uint32(size)
	if length > npyMaxHeader {
		return npyHeader{}, npyFault("claims a header of %d bytes", length)
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
		return npyShort()
	}
	return err
}

func parseNPYHeader(text string) (npyHeader, error) {
	descr, fortran, shape := npyDescr.FindStringSubmatch(text), npyFortran.FindStringSubmatch(text),
		npyShape.FindStringSubmatch(text)
	switch {
	case descr == nil && strings.Contains(text, "descr"):
		return npyHeader{}, npyFault("holds records; only plain numbers are read")
	case descr == nil || fortran == nil || shape == nil:
		return npyHeader{}, npyFault("has a header that cannot be understood: %.80q", text)
	}
	h := npyHeader{fortran: fortran[1] == "True"}
	for _, word := range strings.Split(shape[1], ",") {
		word = strings.TrimSuffix(strings.TrimSpace(word), "L") // Python 2 wrote 3L
		if word == "" {                                         // after the last comma
			continue
		}
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 {
			return npyHeader{}, npyFault("has the shape (%s), which cannot be understood", shape[1])
		}
		h.shape = append(h.shape, n)
	}
	var known bool
	if h.valueType, known = numpyType(descr[1]); !known {
		return npyHeader{}, npyFault(
			"holds values of type %q; float16, float32, float64, integers, bool and text are read", descr[1],
		)
	}
	return h, nil
}

// readVectors reads the numbers behind a header into in, in C order; NaN is a missing value.
func readVectors(r io.Reader, h npyHeader, in *Input) (err error) {
	in.D = h.shape[1]
	if h.size < 4 || h.size == 4 && h.letter == 'f' { // the 24 bits of a float32 hold the values
		in.X, err = readNumbers[float32](r, h)
		return err
	}
	values, err := readNumbers[float64](r, h)
	if err == nil {
		in.table = tabular.Matrix(values, in.D)
	}
	return err
}

// readNumbers returns the numbers behind a header, in C order. An infinite one is a fault.
func readNumbers[T float32 | float64](r io.Reader, h npyHeader) ([]T, error) {
	if h.kind == textValues {
		return nil, npyFault("holds text (%s), not numbers", h.name)
	}
	var values []T
	err := eachValue(r, h, func(p []byte) error {
		v := h.number(p)
		if math.IsInf(v, 0) {
			return npyFault("value %d is %v: values must be finite, as 32-bit floats too", len(values), v)
		}
		values = append(values, T(v))
		if len(values)%(1<<20) == 0 {
			return checkRoom("", 8*len(values))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if h.fortran && len(h.shape) == 2 {
		values = fromFortran(values, h.shape[0])
	}
	return values, nil
}

// readLabels reads the integers or texts behind a header of one dimension. It returns each value's class [M], and the
// classes' texts in order of first appearance.
func readLabels(r io.Reader, h npyHeader) (labels []int32, classes []string, err error) {
	if h.kind == realValues {
		return nil, nil, npyFault("holds values of type %s; labels must be integers or text", h.name)
	}
	var list classList
	err = eachValue(r, h, func(p []byte) error {
		text, err := h.label(p)
		switch {
		case err != nil:
			return npyFault("value %d cannot be read: %v", len(list.labels), err)
		case text == "":
			return npyFault("value %d is an empty text", len(list.labels))
		}
		list.add(text)
		return nil
	})
	return list.labels, list.classes, err
}

// eachValue calls do with the bytes of each value behind a header, in the order of the file. There must be exactly as
// many values as the header's shape says. Faults of the file are *usererr.Error without its name.
func eachValue(r io.Reader, h npyHeader, do func([]byte) error) error {
	total, ok := product(h.shape)
	if !ok {
		return npyFault("has the shape %s; each dimension must be at least 1 and all together at most %d values",
			dimsText(h.shape), maxValues)
	}
	chunk := max(1, (1<<16)/h.size)
	buffer := make([]byte, chunk*h.size)
	for done := 0; done < total; {
		count := min(chunk, total-done)
		n, err := io.ReadFull(r, buffer[:count*h.size])
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return npyFault("is cut short: %d of %s values are there", done+n/h.size, dimsText(h.shape))
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
		return npyFault("holds more than the %s values that its header names", dimsText(h.shape))
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// fromFortran returns a matrix in row-major order from one in column-major order.
func fromFortran[T any](values []T, rows int) []T {
	ordered := make([]T, len(values))
	columns := len(values) / rows
	for i, v := range values {
		ordered[i%rows*columns+i/rows] = v
	}
	return ordered
}

// maxValues is the largest number of values of a pool: 4 GiB of float32.
const maxValues = 1 << 30

// product returns the product of dimensions; ok is false if one is below 1 or the product exceeds maxValues.
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

var npyFormat = fileFormat{kind: "NumPy array", starts: magic(npyMagic), named: ending(".npy"), read: openNPY}

// openNPY reads vectors [M,D], and labels [M] from the file NAME-labels.npy beside NAME.npy if there is one. Memory
// grows with the values in the file, not with the size that its header claims.
func openNPY(from *opened, o Options) (*Input, error) {
	h, err := readNPYHeader(from.in)
	if err != nil {
		return nil, readFault(from.path, err)
	}
	if len(h.shape) != 2 {
		return nil, usererr.File(from.path, 0, "save vectors [M,D]; images are read from a folder of PNG or JPEG files",
			"has %s (%s)", text.Count(len(h.shape), "dimension"), dimsText(h.shape))
	}
	in := &Input{Pool: &data.Pool{}}
	if err := readFault(from.path, readVectors(from.in, h, in)); err != nil {
		return nil, err
	}
	ext := filepath.Ext(from.path)
	if o.NoLabels || !strings.EqualFold(ext, ".npy") {
		return in, nil
	}
	return in, in.addBeside(from.path, strings.TrimSuffix(from.path, ext)+"-labels.npy")
}

// addBeside adds the labels [M], integers or text, in the file beside, if it exists; path is for messages.
func (in *Input) addBeside(path, beside string) error {
	info, err := os.Stat(beside)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular():
		return nil
	case err != nil:
		return fmt.Errorf("look for labels: %w", err)
	}
	err = fileio.WithFile(beside, func(file *bufio.Reader) error {
		h, err := readNPYHeader(file)
		if err == nil && len(h.shape) != 1 {
			err = npyFault("has the shape %s; labels have one dimension", dimsText(h.shape))
		}
		if err == nil {
			in.Labels, in.Classes, err = readLabels(file, h)
		}
		return readFault(beside, err)
	})
	if n := len(in.Labels); err == nil && n != in.Len() {
		return usererr.File(beside, 0, "mend it or move it away",
			"holds %d labels for the %d points of %s", n, in.Len(), filepath.Base(path))
	}
	in.LabelsFrom = filepath.Base(beside)
	return err
}
