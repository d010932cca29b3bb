package datasets

import (
	"errors"
	"io"
	"math"

	"github.com/gfncp/gfncp/internal/usererr"
)

// npyArray is the content of an .npy file; the last dimension varies fastest.
type npyArray struct {
	shape  []int
	values []float32
}

// readNPY reads an .npy array of numbers as float32. path stands for the file in messages. Values that are not finite, or
// not as float32, are faults. Memory grows with what the file really holds, not with what its header claims.
func readNPY(path string, r io.Reader) (npyArray, error) {
	a, err := parseNPY(r)
	var fault npyFault
	if errors.As(err, &fault) {
		return a, usererr.File(path, 0, "save a plain array of numbers with numpy.save", "%s", fault)
	}
	if err != nil {
		return a, readFault(path, err)
	}
	return a, nil
}

// parseNPY is readNPY without the file's name.
func parseNPY(r io.Reader) (npyArray, error) {
	h, err := readNPYHeader(r)
	if err != nil {
		return npyArray{}, err
	}
	total, ok := product(h.shape)
	if !ok {
		return npyArray{}, npyFaultf("has the shape %s; each dimension must be at least 1 and all together at most %d values", dimsText(h.shape), maxValues)
	}
	values, err := readNPYValues(r, h, total)
	if err != nil {
		return npyArray{}, err
	}
	if h.fortran {
		values = fromFortran(values, h.shape)
	}
	return npyArray{h.shape, values}, nil
}

// readNPYValues reads exactly total values in the order of the file.
func readNPYValues(r io.Reader, h npyHeader, total int) ([]float32, error) {
	const chunk = 1 << 13
	buffer := make([]byte, chunk*h.size)
	values := make([]float32, 0, min(total, chunk))
	for len(values) < total {
		want := min(chunk, total-len(values)) * h.size
		n, err := io.ReadFull(r, buffer[:want])
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, npyFaultf("is cut short: %d of %s values are there", len(values)+n/h.size, dimsText(h.shape))
		}
		if err != nil {
			return nil, err
		}
		for at := 0; at < want; at += h.size {
			v := h.value(buffer[at:])
			if !(math.Abs(v) <= math.MaxFloat32) {
				return nil, npyFaultf("value %d is %v: values must be finite, as 32-bit floats too", len(values), v)
			}
			values = append(values, float32(v))
		}
	}
	switch n, err := io.ReadFull(r, buffer[:1]); {
	case n > 0:
		return nil, npyFaultf("holds more than the %s values that its header names", dimsText(h.shape))
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return values, nil
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
