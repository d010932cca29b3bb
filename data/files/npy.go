package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gomlx/compute/dtypes/float16"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// npyMagic begins every .npy file (NEP 1, "A simple file format for NumPy arrays"). The version in two bytes follows,
// then the length of the header, the header, and the values.
const npyMagic = "\x93NUMPY"

// npyHeader matches the header: byte order, letter and size of the values' type, the order of the indices, the shape.
var npyHeader = regexp.MustCompile(`^\{\s*['"]descr['"]\s*:\s*['"]([<>|=])([a-zA-Z])(\d*)[^'"]*['"]\s*,` +
	`\s*['"]fortran_order['"]\s*:\s*(True|False)\s*,\s*['"]shape['"]\s*:\s*\(([^)]*)\)`)

// npyTypes are the letters and sizes of the numbers that are read.
var npyTypes = map[string]valueKind{
	"b1": wholeValues, "u1": wholeValues, "i1": wholeValues, "u2": wholeValues, "i2": wholeValues, "u4": wholeValues,
	"i4": wholeValues, "u8": wholeValues, "i8": wholeValues, "f2": realValues, "f4": realValues, "f8": realValues,
}

// array is the content of an .npy file.
type array struct {
	kind    valueKind
	letter  byte // NumPy's for the kind: b, u, i, f, U or S
	size    int  // bytes of a value
	order   binary.ByteOrder
	shape   []int
	fortran bool // the first index varies fastest
	total   int  // number of values
	bytes   []byte
}

// npyFault is a fault of an .npy file, without its name.
func npyFault(format string, args ...any) error {
	return usererr.New("save a plain array with numpy.save", format, args...)
}

// parseNPY reads format version 1, 2 or 3. Faults are *usererr.Error without the name of the file.
func parseNPY(raw []byte) (*array, error) {
	if !bytes.HasPrefix(raw, []byte(npyMagic)) {
		return nil, npyFault("is not an .npy file: it starts with the bytes % x", raw[:min(len(raw), len(npyMagic))])
	}
	var length int
	switch at := len(npyMagic) + 2; {
	case len(raw) < at+4:
		return nil, npyFault("is cut short in its header")
	case raw[at-2] == 1:
		length, raw = int(binary.LittleEndian.Uint16(raw[at:])), raw[at+2:]
	default:
		length, raw = int(binary.LittleEndian.Uint32(raw[at:])), raw[at+4:]
	}
	if length > len(raw) {
		return nil, npyFault("is cut short in its header")
	}
	a, err := parseHeader(string(raw[:length]))
	if err != nil {
		return nil, err
	}
	a.bytes = raw[length:]
	switch there := len(a.bytes) / a.size; {
	case there < a.total:
		return nil, npyFault("is cut short: %d of %s values are there", there, a.dims())
	case len(a.bytes) > a.total*a.size:
		return nil, npyFault("holds more than the %s values that its header names", a.dims())
	}
	return a, nil
}

func parseHeader(text string) (*array, error) {
	m := npyHeader.FindStringSubmatch(text)
	if m == nil {
		return nil, npyFault("holds records, or has a header that cannot be understood: %.80q", text)
	}
	a := &array{letter: m[2][0], order: binary.LittleEndian, fortran: m[4] == "True", total: 1}
	if m[1] == ">" {
		a.order = binary.BigEndian
	}
	a.size, _ = strconv.Atoi(m[3])
	switch a.kind = npyTypes[m[2]+m[3]]; a.letter {
	case 'U': // texts of one length, filled up with zeros: code points of four bytes, or bytes
		a.kind, a.size = textValues, 4*a.size
	case 'S':
		a.kind = textValues
	}
	if a.kind == 0 || a.size < 1 {
		return nil, npyFault("holds values of type %q; float16, float32, float64, integers, bool and text are read",
			strings.Join(m[1:4], ""))
	}
	for word := range strings.SplitSeq(strings.TrimRight(m[5], ", "), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 || n > maxValues/a.total {
			return nil, npyFault("has the shape (%s); each dimension must be at least 1, and all together at most %d",
				m[5], maxValues)
		}
		a.shape, a.total = append(a.shape, n), a.total*n
	}
	return a, nil
}

// maxValues is the largest number of values of a pool: 4 GiB of float32.
const maxValues = 1 << 30

// dims writes the shape as 60000×28×28.
func (a *array) dims() string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(a.shape), "[]"), " ", "×")
}

// value returns the bytes of value i, in the order of the file.
func (a *array) value(i int) []byte { return a.bytes[i*a.size : (i+1)*a.size] }

func (a *array) bits(i int) uint64 {
	p := a.value(i)
	switch a.size {
	case 1:
		return uint64(p[0])
	case 2:
		return uint64(a.order.Uint16(p))
	case 4:
		return uint64(a.order.Uint32(p))
	}
	return a.order.Uint64(p)
}

// signed is value i as a signed integer.
func (a *array) signed(i int) int64 {
	unused := 64 - 8*a.size
	return int64(a.bits(i)<<unused) >> unused
}

func (a *array) number(i int) float64 {
	bits := a.bits(i)
	switch {
	case a.letter == 'i':
		return float64(a.signed(i))
	case a.letter == 'f' && a.size == 2:
		return float16.FromBits(uint16(bits)).Float64()
	case a.letter == 'f' && a.size == 4:
		return float64(math.Float32frombits(uint32(bits)))
	case a.letter == 'f':
		return math.Float64frombits(bits)
	}
	return float64(bits)
}

// label returns value i as text: an integer in full, or a text.
func (a *array) label(i int) string {
	switch a.letter {
	case 'i':
		return strconv.FormatInt(a.signed(i), 10)
	case 'S':
		return strings.TrimRight(string(a.value(i)), "\x00")
	case 'U':
		var runes []rune
		for p := a.value(i); len(p) > 0; p = p[4:] {
			runes = append(runes, rune(a.order.Uint32(p)))
		}
		return strings.TrimRight(string(runes), "\x00")
	}
	return strconv.FormatUint(a.bits(i), 10)
}

// numbers returns the values of a matrix in row-major order. An infinite one is a fault.
func numbers[T float32 | float64](a *array) ([]T, error) {
	rows, columns := a.shape[0], a.shape[1]
	values := make([]T, a.total)
	for i := range values {
		at := i
		if a.fortran {
			at = i%columns*rows + i/columns
		}
		v := a.number(at)
		if math.IsInf(v, 0) {
			return nil, npyFault("value %d is %v: values must be finite, as 32-bit floats too", at, v)
		}
		values[i] = T(v)
	}
	return values, nil
}

var npyFormat = fileFormat{
	kind: "NumPy array", starts: regexp.MustCompile(`^.NUMPY`), endings: []string{".npy"}, read: openNPY,
}

// openNPY reads vectors [M,D], and labels [M] from the file NAME-labels.npy beside NAME.npy if there is one.
func openNPY(path string, content []byte, o Options) (*Input, error) {
	in := &Input{Pool: &data.Pool{}}
	if err := usererr.In(path, in.readVectors(content)); err != nil {
		return nil, err
	}
	ext := filepath.Ext(path)
	if o.NoLabels || !strings.EqualFold(ext, ".npy") {
		return in, nil
	}
	return in, in.addBeside(path, strings.TrimSuffix(path, ext)+"-labels.npy")
}

// readVectors reads the numbers of an .npy file; NaN is a missing value.
func (in *Input) readVectors(raw []byte) error {
	a, err := parseNPY(raw)
	switch {
	case err != nil:
		return err
	case len(a.shape) != 2:
		return usererr.New("save vectors [M,D]; images are read from a folder of PNG or JPEG files",
			"has %s (%s)", text.Count(len(a.shape), "dimension"), a.dims())
	case a.kind == textValues:
		return npyFault("holds text, not numbers")
	}
	if err := checkRoom("", 8*a.total); err != nil {
		return err
	}
	if in.D = a.shape[1]; a.size < 4 || a.size == 4 && a.letter == 'f' { // the 24 bits of a float32 hold the values
		in.X, err = numbers[float32](a)
		return err
	}
	values, err := numbers[float64](a)
	if err == nil {
		in.table = tabular.Matrix(values, in.D)
	}
	return err
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
	raw, err := fileio.ReadInput(beside)
	if err != nil {
		return err
	}
	if err := usererr.In(beside, in.readLabels(raw)); err != nil {
		return err
	}
	if n := len(in.Labels); n != in.Len() {
		return usererr.File(beside, 0, "mend it or move it away",
			"holds %d labels for the %d points of %s", n, in.Len(), filepath.Base(path))
	}
	in.LabelsFrom = filepath.Base(beside)
	return nil
}

// readLabels reads the integers or texts of an .npy file of one dimension.
func (in *Input) readLabels(raw []byte) error {
	a, err := parseNPY(raw)
	switch {
	case err != nil:
		return err
	case len(a.shape) != 1:
		return npyFault("has the shape %s; labels have one dimension", a.dims())
	case a.kind == realValues:
		return npyFault("holds fractions; labels must be integers or text")
	}
	var list classList
	for i := range a.total {
		label := a.label(i)
		if label == "" || !utf8.ValidString(label) || strings.ContainsRune(label, utf8.RuneError) {
			return npyFault("value %d is empty or no Unicode text", i)
		}
		list.add(label)
	}
	in.Labels, in.Classes = list.labels, list.classes
	return nil
}
