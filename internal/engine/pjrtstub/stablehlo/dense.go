package stablehlo

import (
	"math"
	"strconv"
	"strings"
)

// dense reads dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>; a single number fills the tensor.
func (p *parser) dense() *Tensor {
	p.want("dense")
	p.want("<")
	var words []string
	for !p.accept(">") {
		if t := p.next(); t != "[" && t != "]" && t != "," {
			words = append(words, t)
		}
	}
	p.want(":")
	typ := p.typ()
	size := typ.Size()
	if size > mostWritten {
		p.fail("a constant of %v is too large", typ)
	}
	t := NewTensor(typ)
	if len(words) != size && (len(words) != 1 || size == 0) {
		p.fail("dense holds %d numbers for %v", len(words), t.Type)
	}
	for i := range size {
		if err := put(t, i, words[min(i, len(words)-1)]); err != nil {
			p.fail("%v", err)
		}
	}
	return t
}

// put writes a number that stands in a program; floats may be given by their bits, 0x….
func put(t *Tensor, i int, text string) error {
	d := t.Type.DType
	switch {
	case d == I1:
		if text == "true" || text == "1" {
			t.Data[i] = 1
		}
		return nil
	case d.Float():
		return putFloat(t, i, text)
	case d.Unsigned():
		n, err := strconv.ParseUint(text, 0, d.Bytes()*8)
		putBits(t, i, n)
		return err
	default:
		n, err := strconv.ParseInt(text, 0, d.Bytes()*8)
		putBits(t, i, uint64(n))
		return err
	}
}

func putFloat(t *Tensor, i int, text string) error {
	d := t.Type.DType
	if strings.HasPrefix(text, "0x") {
		bits, err := strconv.ParseUint(text, 0, d.Bytes()*8)
		putBits(t, i, bits)
		return err
	}
	f, err := strconv.ParseFloat(text, 64)
	switch d {
	case F64:
		putBits(t, i, math.Float64bits(f))
	case F32:
		putBits(t, i, uint64(math.Float32bits(float32(f))))
	default:
		putBits(t, i, uint64(bfloat16(float32(f))))
	}
	return err
}

// putBits writes the low bytes of a number.
func putBits(t *Tensor, i int, bits uint64) {
	width := t.Type.DType.Bytes()
	for b := range width {
		t.Data[i*width+b] = byte(bits >> (8 * b))
	}
}
