package files

import (
	"errors"
	"io"
	"math"

	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// npyArray is the content of an .npy file; the last dimension varies fastest.
type npyArray struct {
	shape  []int
	values []float32
}

// readNPY reads an .npy array of numbers as float32. path stands for the file in messages. Values that are not finite,
// or not as float32, are faults. Memory grows with what the file really holds, not with what its header claims.
func readNPY(path string, r io.Reader) (npyArray, error) {
	a, err := parseNPY(r)
	return a, npyFaultOf(path, err)
}

// npyFaultOf names the file in an error of reading it.
func npyFaultOf(path string, err error) error {
	var fault npyFault
	switch {
	case errors.As(err, &fault):
		return usererr.File(path, 0, "save a plain array with numpy.save", "%s", fault)
	case err != nil:
		return fileio.ReadFault(path, err)
	}
	return nil
}

// parseNPY is readNPY without the file's name.
func parseNPY(r io.Reader) (npyArray, error) {
	h, err := readNPYHeader(r)
	if err != nil {
		return npyArray{}, err
	}
	values, err := readFloats(r, h)
	return npyArray{h.shape, values}, err
}

// readFloats reads the numbers that follow a header, in C order.
func readFloats(r io.Reader, h npyHeader) ([]float32, error) {
	if h.value == nil {
		return nil, npyFaultf("holds text (%s), not numbers", h.name)
	}
	var values []float32
	err := eachValue(r, h, func(p []byte) error {
		v := h.value(p)
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
	if h.label == nil {
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
	strides := make([]int, len(shape)) // steps in values
	step := 1
	for i, d := range shape {
		strides[i] = step
		step *= d
	}
	ordered := make([]float32, len(values))
	index := make([]int, len(shape))
	from := 0
	for to := range ordered {
		ordered[to] = values[from]
		for axis := len(shape) - 1; axis >= 0; axis-- { // the next index in C order
			index[axis]++
			from += strides[axis]
			if index[axis] < shape[axis] {
				break
			}
			from -= strides[axis] * shape[axis]
			index[axis] = 0
		}
	}
	return ordered
}
