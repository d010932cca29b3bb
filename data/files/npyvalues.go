package files

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gomlx/compute/dtypes/float16"
	"golang.org/x/text/encoding/unicode/utf32"
)

// maxText is the largest size in bytes of a text in an array.
const maxText = 1 << 16

// valueType is how a value of an array is stored in a file.
type valueType struct {
	name   string    // as the file writes it, e.g. "<f4"
	kind   valueKind // kind of the value
	size   int       // bytes of a value
	letter byte      // NumPy's for the kind: b, u, i, f, U or S
	order  binary.ByteOrder
}

// byteOrders are NumPy's signs for byte orders.
var byteOrders = map[byte]binary.ByteOrder{
	'<': binary.LittleEndian, '|': binary.LittleEndian, '>': binary.BigEndian, '=': binary.NativeEndian,
}

// numberTypes are NumPy's letters and sizes of the numbers that are read.
var numberTypes = []string{"b1", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"}

// numpyType returns the type that NumPy writes as byte order, kind and size, such as "<f4"; ok is false for types that
// are not read: complex numbers, dates, objects.
func numpyType(descr string) (t valueType, ok bool) {
	if len(descr) < 3 || byteOrders[descr[0]] == nil {
		return t, false
	}
	code, order := descr[1:], byteOrders[descr[0]]
	if code[0] != 'U' && code[0] != 'S' {
		t = valueType{descr, wholeValues, int(code[1] - '0'), code[0], order}
		if t.letter == 'f' {
			t.kind = realValues
		}
		return t, slices.Contains(numberTypes, code)
	}
	// Texts of one length, filled up with zeros: code points of four bytes, or bytes.
	n, err := strconv.Atoi(code[1:])
	if code[0] == 'U' {
		n *= 4
	}
	return valueType{descr, textValues, n, code[0], order}, err == nil && n >= 1 && n <= maxText
}

func (t valueType) bits(p []byte) uint64 {
	switch t.size {
	case 1:
		return uint64(p[0])
	case 2:
		return uint64(t.order.Uint16(p))
	case 4:
		return uint64(t.order.Uint32(p))
	}
	return t.order.Uint64(p)
}

// signed is the value of a signed integer.
func (t valueType) signed(p []byte) int64 {
	unused := 64 - 8*t.size
	return int64(t.bits(p)<<unused) >> unused
}

func (t valueType) number(p []byte) float64 {
	bits := t.bits(p)
	switch {
	case t.letter == 'i':
		return float64(t.signed(p))
	case t.letter == 'f' && t.size == 2:
		return float16.FromBits(uint16(bits)).Float64()
	case t.letter == 'f' && t.size == 4:
		return float64(math.Float32frombits(uint32(bits)))
	case t.letter == 'f':
		return math.Float64frombits(bits)
	}
	return float64(bits)
}

// label returns the text of an integer, in full, or of a text, which is filled up with zeros.
func (t valueType) label(p []byte) (string, error) {
	switch t.letter {
	case 'i':
		return strconv.FormatInt(t.signed(p), 10), nil
	case 'U':
		order := utf32.LittleEndian
		if t.order == binary.BigEndian {
			order = utf32.BigEndian
		}
		p, _ = utf32.UTF32(order, utf32.IgnoreBOM).NewDecoder().Bytes(p) // U+FFFD for what is no letter
	case 'S':
	default:
		return strconv.FormatUint(t.bits(p), 10), nil
	}
	text := strings.TrimRight(string(p), "\x00")
	if !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) {
		return "", errors.New("it is no Unicode text")
	}
	return text, nil
}
