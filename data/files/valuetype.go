package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"
)

// valueKind tells what the values of an array are. The zero value stands for those that nothing here reads.
type valueKind int

const (
	wholeValues valueKind = iota + 1 // integers and truth values
	realValues
	textValues
)

// maxText is the largest size in bytes of a text in an array.
const maxText = 1 << 16

// valueType tells how one value lies in a file.
type valueType struct {
	name  string                       // as the file writes it, e.g. "<f4" or "BF16"
	kind  valueKind                    // what it is
	size  int                          // bytes of a value
	value func([]byte) float64         // nil for text
	label func([]byte) (string, error) // its text, for a class; nil for real numbers
}

// numpyType is the type that NumPy writes as byte order, kind and size, such as "<f4"; ok is false for those that are
// not read: complex numbers, dates, objects.
func numpyType(descr string) (t valueType, ok bool) {
	if len(descr) < 3 {
		return t, false
	}
	var order binary.ByteOrder
	switch descr[0] {
	case '<', '|':
		order = binary.LittleEndian
	case '>':
		order = binary.BigEndian
	case '=':
		order = binary.NativeEndian
	default:
		return t, false
	}
	if descr[1] == 'U' || descr[1] == 'S' {
		t, ok = textType(descr[1], descr[2:], order)
	} else {
		t, ok = numberType(descr[1:], order)
	}
	t.name = descr
	return t, ok
}

// numberType is a type of numbers, named by kind and size in bytes.
func numberType(name string, order binary.ByteOrder) (valueType, bool) {
	var value func([]byte) float64
	switch name {
	case "b1", "u1":
		value = func(p []byte) float64 { return float64(p[0]) }
	case "i1":
		value = func(p []byte) float64 { return float64(int8(p[0])) }
	case "u2":
		value = func(p []byte) float64 { return float64(order.Uint16(p)) }
	case "i2":
		value = func(p []byte) float64 { return float64(int16(order.Uint16(p))) }
	case "u4":
		value = func(p []byte) float64 { return float64(order.Uint32(p)) }
	case "i4":
		value = func(p []byte) float64 { return float64(int32(order.Uint32(p))) }
	case "u8":
		value = func(p []byte) float64 { return float64(order.Uint64(p)) }
	case "i8":
		value = func(p []byte) float64 { return float64(int64(order.Uint64(p))) }
	case "f2":
		value = func(p []byte) float64 { return float16(order.Uint16(p)) }
	case "f4":
		value = func(p []byte) float64 { return float64(math.Float32frombits(order.Uint32(p))) }
	case "f8":
		value = func(p []byte) float64 { return math.Float64frombits(order.Uint64(p)) }
	default:
		return valueType{}, false
	}
	t := valueType{kind: realValues, size: int(name[1] - '0'), value: value}
	if name[0] != 'f' {
		t.kind, t.label = wholeValues, wholeLabel(name, order, value)
	}
	return t, true
}

// wholeLabel writes integers in full: those of 64 bits do not all fit a float64.
func wholeLabel(name string, order binary.ByteOrder, value func([]byte) float64) func([]byte) (string, error) {
	switch name {
	case "u8":
		return func(p []byte) (string, error) { return strconv.FormatUint(order.Uint64(p), 10), nil }
	case "i8":
		return func(p []byte) (string, error) { return strconv.FormatInt(int64(order.Uint64(p)), 10), nil }
	}
	return func(p []byte) (string, error) { return strconv.FormatInt(int64(value(p)), 10), nil }
}

// textType is a type of texts of one length, filled up with zeros: "U" counts code points of four bytes, "S" bytes.
func textType(kind byte, length string, order binary.ByteOrder) (valueType, bool) {
	n, err := strconv.Atoi(length)
	if kind == 'U' {
		n *= 4
	}
	if err != nil || n < 1 || n > maxText {
		return valueType{}, false
	}
	t := valueType{kind: textValues, size: n, label: byteText}
	if kind == 'U' {
		t.label = func(p []byte) (string, error) { return wideText(p, order) }
	}
	return t, true
}

// byteText is the text in bytes that end in zeros.
func byteText(p []byte) (string, error) {
	p = bytes.TrimRight(p, "\x00")
	if !utf8.Valid(p) {
		return "", errors.New("it is not UTF-8 text")
	}
	return string(p), nil
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

// tensorType is a type of the safetensors format, such as "F32"; ok is false for one that is not known.
func tensorType(dtype string) (t valueType, ok bool) {
	if dtype == "BF16" {
		value := func(p []byte) float64 { return bfloat16(binary.LittleEndian.Uint16(p)) }
		return valueType{name: dtype, kind: realValues, size: 2, value: value}, true
	}
	same, known := map[string]string{
		"BOOL": "b1", "U8": "u1", "I8": "i1", "U16": "u2", "I16": "i2", "U32": "u4", "I32": "i4", "U64": "u8", "I64": "i8",
		"F16": "f2", "F32": "f4", "F64": "f8",
	}[dtype]
	if known {
		t, ok = numberType(same, binary.LittleEndian)
	}
	t.name = dtype
	return t, ok
}

// float16 is the value of a half-precision number (IEEE 754 binary16): 1 bit of sign, 5 of exponent, 10 of fraction.
func float16(bits uint16) float64 {
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	v := 0.0
	switch exponent {
	case 0: // subnormal
		v = math.Ldexp(fraction, -24)
	case 0x1f:
		if v = math.Inf(1); fraction != 0 {
			v = math.NaN()
		}
	default:
		v = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits>>15 != 0 {
		return -v
	}
	return v
}

// bfloat16 is the value of a number that holds the upper half of a float32.
func bfloat16(bits uint16) float64 {
	return float64(math.Float32frombits(uint32(bits) << 16))
}
