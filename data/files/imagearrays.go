package files

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

var npyFormat = fileFormat{kind: "NumPy array", starts: magic(npyMagic), named: ending(".npy"), read: openNPY}

func openNPY(from *opened, o Options) (*Input, error) {
	h, err := readNPYHeader(from.in)
	if err != nil {
		return nil, npyFaultOf(from.path, err)
	}
	in, err := npyPoints(from, h, o)
	ext := filepath.Ext(from.path)
	if err != nil || o.NoLabels || !strings.EqualFold(ext, ".npy") {
		return in, err
	}
	beside := strings.TrimSuffix(from.path, ext) + "-labels.npy"
	return in, in.addBeside(from.path, "points", []string{beside}, readNPYLabels)
}

// npyArray is the content of an .npy file; the last dimension varies fastest.
type npyArray struct {
	shape  []int
	values []float32
}

// readNPYValues reads the numbers that follow a header as float32. Values that are not finite, or not as float32, are
// faults.
func readNPYValues(path string, r io.Reader, h npyHeader) (npyArray, error) {
	values, err := readFloats(r, h)
	return npyArray{h.shape, values}, npyFaultOf(path, err)
}

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

// npyPoints reads the numbers that follow a header: vectors or images. Memory grows with what the file really holds,
// not with what its header claims.
func npyPoints(from *opened, h npyHeader, o Options) (*Input, error) {
	path := from.path
	if len(h.shape) == 2 {
		in := &Input{Pool: &data.Pool{}}
		return in, npyFaultOf(path, readVectors(from.in, h, in))
	}
	a, err := readNPYValues(path, from.in, h)
	if err != nil {
		return nil, err
	}
	switch {
	case len(a.shape) == 3:
		return npyImages(path, a, 1, o)
	case len(a.shape) == 4 && (a.shape[3] == 1 || a.shape[3] == 3):
		return npyImages(path, a, a.shape[3], o)
	case len(a.shape) == 4 && (a.shape[1] == 1 || a.shape[1] == 3):
		return nil, usererr.File(path, 0, "put the channels last with numpy.moveaxis(a, 1, -1)",
			"has the shape %s with the channels first", dimsText(a.shape))
	}
	return nil, usererr.File(path, 0, "save vectors [M,D] or images [M,H,W], [M,H,W,1] or [M,H,W,3]", "has %s (%s)",
		text.Count(len(a.shape), "dimension"), dimsText(a.shape))
}

// readNPYLabels reads labels [M], integers or text, and the classes' names.
func readNPYLabels(path string) (labels []int32, classes []string, err error) {
	err = fileio.WithFile(path, func(in *bufio.Reader) error {
		h, err := readNPYHeader(in)
		if err == nil && len(h.shape) != 1 {
			err = npyFaultf("has the shape %s; labels have one dimension", dimsText(h.shape))
		}
		if err == nil {
			labels, classes, err = readLabels(in, h)
		}
		return npyFaultOf(path, err)
	})
	return labels, classes, err
}

// npyImages reads images with 1 or 3 channels. Values up to 1 are taken as they are, others up to 255 divided.
func npyImages(path string, a npyArray, channels int, o Options) (*Input, error) {
	low, high := slices.Min(a.values), slices.Max(a.values)
	if low < 0 || high > 255 {
		return nil, usererr.File(path, 0, "scale images to 0..1 or 0..255, or save vectors [M,D]",
			"has values from %v to %v, which are no pixels", low, high)
	}
	scale := float32(1)
	if high > 1 {
		scale = 255
	}
	in, err := arrayImages(newCollector(path, "NumPy images", o), a, channels, scale)
	if err == nil {
		in.Images.Divided = scale != 1
	}
	return in, err
}

// arrayImages collects the images of an array [M,H,W] or [M,H,W,channels], whose values are divided by scale.
func arrayImages(c *collector, a npyArray, channels int, scale float32) (*Input, error) {
	size := Size{a.shape[1], a.shape[2]}
	each := size.pixels() * channels
	for i := range a.shape[0] {
		if err := c.add(strconv.Itoa(i), arrayPicture(a.values[i*each:(i+1)*each], size, channels, scale)); err != nil {
			return nil, err
		}
	}
	return c.finish(), nil
}

// arrayPicture makes a picture of values [H,W,channels] divided by scale.
func arrayPicture(values []float32, size Size, channels int, scale float32) picture {
	p := picture{size: size, pix: make([]float32, size.pixels())}
	for i := range p.pix {
		v := values[i*channels]
		if channels == 3 {
			g, b := values[i*3+1], values[i*3+2]
			p.colour = p.colour || v != g || g != b
			v = luma(v, g, b)
		}
		p.pix[i] = min(v/scale, 1)
	}
	return p
}

var idxFormat = fileFormat{kind: "IDX images", starts: isIDX, read: openIDX, named: func(base string) bool {
	return strings.Contains(base, "idx3") || strings.Contains(base, "idx1")
}}

// openIDX reads an IDX file of images, with labels from the file beside it if there is one.
func openIDX(from *opened, o Options) (*Input, error) {
	images, err := ReadIDX(from.path, from.in, 3)
	if err != nil {
		return nil, err
	}
	in, err := arrayImages(newCollector(from.path, "", o), npyArray{images.Dims, UnitPixels(images.Values)}, 1, 1)
	if err != nil {
		return nil, err
	}
	in.Images.Divided = true
	base := filepath.Base(from.path)
	other := strings.Replace(base, "images-idx3", "labels-idx1", 1)
	if other == base || o.NoLabels {
		return in, nil
	}
	var besides []string
	for _, name := range []string{other, strings.TrimSuffix(other, ".gz"), other + ".gz"} {
		besides = append(besides, filepath.Join(filepath.Dir(from.path), name))
	}
	return in, in.addBeside(from.path, "images", besides, readIDXLabels)
}

// readIDXLabels reads the labels of an IDX file. The classes are the values that occur, in ascending order.
func readIDXLabels(path string) (labels []int32, classes []string, err error) {
	var a IDX
	err = fileio.WithFile(path, func(in *bufio.Reader) (err error) {
		a, err = ReadIDX(path, in, 1)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	var index [256]int32
	for _, v := range slices.Compact(slices.Sorted(slices.Values(a.Values))) {
		index[v] = int32(len(classes))
		classes = append(classes, strconv.Itoa(int(v)))
	}
	for _, v := range a.Values {
		labels = append(labels, index[v])
	}
	return labels, classes, nil
}

// idxTypes are the value types by their code, the third byte of a file (LeCun, "The IDX file format").
var idxTypes = map[byte]string{
	0x08: "unsigned byte", 0x09: "signed byte", 0x0b: "short", 0x0c: "int", 0x0d: "float", 0x0e: "double",
}

const idxUbyte = 0x08

// IDX is the content of an IDX file of unsigned bytes; the last dimension varies fastest.
type IDX struct {
	Dims   []int
	Values []byte
}

// isIDX reports whether start, the first bytes of a file, begins as an IDX file does.
func isIDX(start []byte) bool {
	return len(start) >= 4 && start[0] == 0 && start[1] == 0 && idxTypes[start[2]] != "" &&
		start[3] >= 1 && start[3] <= 8
}

// ReadIDX reads an IDX array of unsigned bytes with the wanted number of dimensions, 3 for images and 1 for labels.
// path stands for the file in messages. Memory grows with what the file really holds, not with what its header claims.
func ReadIDX(path string, r io.Reader, want int) (IDX, error) {
	fault := func(format string, args ...any) (IDX, error) {
		return IDX{}, usererr.File(path, 0, "give a whole IDX file of unsigned bytes, as MNIST's are", format, args...)
	}
	in := bufio.NewReader(r)
	start, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return IDX{}, fileio.ReadFault(path, err)
	}
	switch {
	case !isIDX(start):
		return fault("is not an IDX file: it starts with the bytes % x", start)
	case start[2] != idxUbyte:
		return fault("holds values of type %s", idxTypes[start[2]])
	case int(start[3]) != want && want == 3 && start[3] == 1:
		return fault("holds labels, not images: it has 1 dimension")
	case int(start[3]) != want:
		return fault("has %d dimensions, not %d", start[3], want)
	}
	header := make([]byte, 4+4*want)
	if _, err := io.ReadFull(in, header); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fault("is cut short in its header")
		}
		return IDX{}, fileio.ReadFault(path, err)
	}
	a := IDX{Dims: make([]int, want)}
	for i := range a.Dims {
		a.Dims[i] = int(binary.BigEndian.Uint32(header[4+4*i:]))
	}
	total, ok := product(a.Dims)
	if !ok {
		return fault("claims %s values; each dimension must be at least 1 and all together at most %d",
			dimsText(a.Dims), maxValues)
	}
	if a.Values, err = io.ReadAll(io.LimitReader(in, int64(total)+1)); err != nil {
		return IDX{}, fileio.ReadFault(path, err)
	}
	switch n := len(a.Values); {
	case n < total:
		return fault("is cut short: %d of %s values are there", n, dimsText(a.Dims))
	case n > total:
		return fault("holds more than the %s values that its header names", dimsText(a.Dims))
	}
	return a, nil
}

// UnitPixels maps bytes 0..255 to 0..1.
func UnitPixels(bytes []byte) []float32 {
	x := make([]float32, len(bytes))
	for i, v := range bytes {
		x[i] = float32(v) / 255
	}
	return x
}
