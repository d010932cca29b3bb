package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/dtypes/float16"
)

// valueKind tells what the values of an array or a column are. The zero value stands for those that nothing here reads.
type valueKind int

const (
	wholeValues valueKind = iota + 1 // integers and truth values
	realValues
	textValues
)

// isNumber reports whether the values are numbers.
func (k valueKind) isNumber() bool { return k == realValues || k == wholeValues }

// isLabel reports whether the values may be labels: integers or text.
func (k valueKind) isLabel() bool { return k == wholeValues || k == textValues }

// maxText is the largest size in bytes of a text in an array.
const maxText = 1 << 16

// valueType tells how one value of an array lies in a file.
type valueType struct {
	name   string    // as the file writes it, e.g. "<f4" or "BF16"
	kind   valueKind // what it is
	size   int       // bytes of a value
	letter byte      // NumPy's for the kind: b, u, i, f, U or S; B for bfloat16, which it does not have
	order  binary.ByteOrder
}

// byteOrders are NumPy's signs.
var byteOrders = map[byte]binary.ByteOrder{
	'<': binary.LittleEndian, '|': binary.LittleEndian, '>': binary.BigEndian, '=': binary.NativeEndian,
}

// numberTypes are the types of numbers by their names in the safetensors format: NumPy's letter and size.
var numberTypes = map[string]string{
	"BOOL": "b1", "U8": "u1", "I8": "i1", "U16": "u2", "I16": "i2", "U32": "u4", "I32": "i4", "U64": "u8", "I64": "i8",
	"F16": "f2", "BF16": "B2", "F32": "f4", "F64": "f8",
}

// numpyType is the type that NumPy writes as byte order, kind and size, such as "<f4"; ok is false for those that are
// not read: complex numbers, dates, objects.
func numpyType(descr string) (t valueType, ok bool) {
	if len(descr) < 3 || byteOrders[descr[0]] == nil {
		return t, false
	}
	code, order := descr[1:], byteOrders[descr[0]]
	if code[0] != 'U' && code[0] != 'S' {
		known := slices.Contains(slices.Collect(maps.Values(numberTypes)), code)
		return numberType(descr, code, order), known && code[0] != 'B'
	}
	// Texts of one length, filled up with zeros: code points of four bytes, or bytes.
	n, err := strconv.Atoi(code[1:])
	if code[0] == 'U' {
		n *= 4
	}
	return valueType{descr, textValues, n, code[0], order}, err == nil && n >= 1 && n <= maxText
}

// tensorType is a type of the safetensors format, such as "F32".
func tensorType(dtype string) valueType {
	return numberType(dtype, numberTypes[dtype], binary.LittleEndian)
}

func numberType(name, code string, order binary.ByteOrder) valueType {
	t := valueType{name, wholeValues, int(code[1] - '0'), code[0], order}
	if t.letter == 'f' || t.letter == 'B' {
		t.kind = realValues
	}
	return t
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
	case t.letter == 'B':
		return bfloat16.FromBits(uint16(bits)).Float64()
	case t.letter == 'f' && t.size == 2:
		return float16.FromBits(uint16(bits)).Float64()
	case t.letter == 'f' && t.size == 4:
		return float64(math.Float32frombits(uint32(bits)))
	case t.letter == 'f':
		return math.Float64frombits(bits)
	}
	return float64(bits)
}

// label is the text of an integer or a text, for a class. Integers are written in full: those of 64 bits do not all
// fit a float64.
func (t valueType) label(p []byte) (string, error) {
	switch t.letter {
	case 'i':
		return strconv.FormatInt(t.signed(p), 10), nil
	case 'S':
		p = bytes.TrimRight(p, "\x00")
		if !utf8.Valid(p) {
			return "", errors.New("it is not UTF-8 text")
		}
		return string(p), nil
	case 'U':
		return wideText(p, t.order)
	}
	return strconv.FormatUint(t.bits(p), 10), nil
}

// wideText is the text in code points of four bytes that end in zeros.
func wideText(p []byte, order binary.ByteOrder) (string, error) {
	var text []rune
	for ; len(p) >= 4; p = p[4:] {
		r := rune(order.Uint32(p))
		if !utf8.ValidRune(r) {
			return "", errors.New("it is not Unicode text")
		}
		text = append(text, r)
	}
	for len(text) > 0 && text[len(text)-1] == 0 {
		text = text[:len(text)-1]
	}
	return string(text), nil
}
