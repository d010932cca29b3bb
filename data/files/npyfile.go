package files

import (
	"bufio"
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

// openNPY reads an .npy array of vectors or images.
func openNPY(from *opened, o Options) (*Input, error) {
	a, err := readNPY(from.path, from.in)
	if err != nil {
		return nil, err
	}
	in, err := npyPoints(from.path, a, o)
	ext := filepath.Ext(from.path)
	if err != nil || o.NoLabels || !strings.EqualFold(ext, ".npy") {
		return in, err
	}
	return in, in.addBeside(from.path, "points", []string{strings.TrimSuffix(from.path, ext) + "-labels.npy"}, readNPYLabels)
}

// npyArray is the content of an .npy file; the last dimension varies fastest.
type npyArray struct {
	shape  []int
	values []float32
}

// readNPY reads an .npy array of numbers as float32. path stands for the file in messages. Values that are not finite,
// or not as float32, are faults. Memory grows with what the file really holds, not with what its header claims.
func readNPY(path string, r io.Reader) (a npyArray, err error) {
	h, err := readNPYHeader(r)
	if err == nil {
		a.shape = h.shape
		a.values, err = readFloats(r, h)
	}
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

// npyPoints makes points of an array.
func npyPoints(path string, a npyArray, o Options) (*Input, error) {
	switch {
	case len(a.shape) == 2:
		return &Input{Pool: &data.Pool{X: a.values, D: a.shape[1]}}, nil
	case len(a.shape) == 3:
		return npyImages(path, a, 1, o)
	case len(a.shape) == 4 && (a.shape[3] == 1 || a.shape[3] == 3):
		return npyImages(path, a, a.shape[3], o)
	case len(a.shape) == 4 && (a.shape[1] == 1 || a.shape[1] == 3):
		return nil, usererr.File(path, 0, "put the channels last with numpy.moveaxis(a, 1, -1)", "has the shape %s with the channels first", dimsText(a.shape))
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
		return nil, usererr.File(path, 0, "scale images to 0..1 or 0..255, or save vectors [M,D]", "has values from %v to %v, which are no pixels", low, high)
	}
	scale := float32(1)
	if high > 1 {
		scale = 255
	}
	c := newCollector(path, "NumPy images", o)
	size := Size{a.shape[1], a.shape[2]}
	each := size.pixels() * channels
	for i := range a.shape[0] {
		if err := c.add(strconv.Itoa(i), arrayPicture(a.values[i*each:(i+1)*each], size, channels, scale)); err != nil {
			return nil, err
		}
	}
	in := c.finish()
	in.Images.Divided = scale != 1
	return in, nil
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
