package files

import (
	"bufio"
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

// openIDX makes a pool of an IDX file of images, with labels from the file beside it if there is one.
func openIDX(path string, in io.Reader, o Options) (*data.Pool, *Conversion, error) {
	images, err := ReadIDX(path, in, 3)
	if err != nil {
		return nil, nil, err
	}
	size := Size{images.Dims[1], images.Dims[2]}
	c := newCollector(path, "IDX images", o)
	for i := range images.Dims[0] {
		pix := UnitPixels(images.Values[i*size.pixels() : (i+1)*size.pixels()])
		if err := c.add(strconv.Itoa(i), picture{size: size, pix: pix}); err != nil {
			return nil, nil, err
		}
	}
	pool, conv := c.finish()
	conv.Divided = true
	beside, err := labelsBeside(path)
	if err != nil || beside == "" || o.Labels == "no" {
		return pool, conv, err
	}
	if err := addIDXLabels(pool, beside); err != nil {
		return nil, nil, err
	}
	conv.Labels = filepath.Base(beside)
	return pool, conv, nil
}

// addIDXLabels reads the labels of an IDX file into the pool. The classes are the values that occur, in ascending order.
func addIDXLabels(pool *data.Pool, path string) error {
	var labels IDX
	err := fileio.WithFile(path, func(in *bufio.Reader) error {
		var err error
		labels, err = ReadIDX(path, in, 1)
		return err
	})
	if err != nil {
		return err
	}
	if n := labels.Dims[0]; n != pool.Len() {
		return usererr.File(path, 0, "mend it or move it away", "holds %d labels for the %d images of %s", n, pool.Len(), filepath.Base(pool.Name))
	}
	var index [256]int32
	for _, v := range labels.Values {
		index[v] = 1
	}
	for v, occurs := range index {
		if occurs == 1 {
			index[v] = int32(len(pool.Classes))
			pool.Classes = append(pool.Classes, strconv.Itoa(v))
		}
	}
	pool.Labels = make([]int32, len(labels.Values))
	for i, v := range labels.Values {
		pool.Labels[i] = index[v]
	}
	return nil
}

// openNPY makes a pool of an .npy array of vectors or images.
func openNPY(path string, in io.Reader, o Options) (*data.Pool, *Conversion, error) {
	pool, conv, err := npyPool(path, in, o)
	if err != nil || o.Labels == "no" {
		return pool, conv, err
	}
	beside, err := npyLabelsBeside(path)
	if err != nil || beside == "" {
		return pool, conv, err
	}
	if pool.Labels, pool.Classes, err = readNPYLabels(beside); err != nil {
		return nil, nil, err
	}
	if n := len(pool.Labels); n != pool.Len() {
		return nil, nil, usererr.File(beside, 0, "mend it or move it away", "holds %d labels for the %d points of %s", n, pool.Len(), filepath.Base(path))
	}
	conv.Labels = filepath.Base(beside)
	return pool, conv, nil
}

// npyPool makes a pool of an .npy array, without labels.
func npyPool(path string, in io.Reader, o Options) (*data.Pool, *Conversion, error) {
	a, err := readNPY(path, in)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case len(a.shape) == 2:
		conv := &Conversion{Kind: "NumPy vectors", Names: numbers(a.shape[0])}
		return &data.Pool{Name: path, X: a.values, D: a.shape[1]}, conv, nil
	case len(a.shape) == 3:
		return npyImages(path, a, 1, o)
	case len(a.shape) == 4 && (a.shape[3] == 1 || a.shape[3] == 3):
		return npyImages(path, a, a.shape[3], o)
	case len(a.shape) == 4 && (a.shape[1] == 1 || a.shape[1] == 3):
		return nil, nil, usererr.File(path, 0, "put the channels last with numpy.moveaxis(a, 1, -1)", "has the shape %s with the channels first", dimsText(a.shape))
	}
	return nil, nil, usererr.File(path, 0, "save vectors [M,D] or images [M,H,W], [M,H,W,1] or [M,H,W,3]", "has %s (%s)",
		text.Count(len(a.shape), "dimension"), dimsText(a.shape))
}

// npyLabelsBeside returns the path of the labels that belong to NAME.npy, NAME-labels.npy, or "" if there are none.
func npyLabelsBeside(path string) (string, error) {
	ext := filepath.Ext(path)
	if !strings.EqualFold(ext, ".npy") {
		return "", nil
	}
	return besideFile(strings.TrimSuffix(path, ext) + "-labels.npy")
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

// npyImages makes a pool of images with 1 or 3 channels. Values up to 1 are taken as they are, others up to 255 divided.
func npyImages(path string, a npyArray, channels int, o Options) (*data.Pool, *Conversion, error) {
	low, high := slices.Min(a.values), slices.Max(a.values)
	if low < 0 || high > 255 {
		return nil, nil, usererr.File(path, 0, "scale images to 0..1 or 0..255, or save vectors [M,D]", "has values from %v to %v, which are no pixels", low, high)
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
			return nil, nil, err
		}
	}
	pool, conv := c.finish()
	conv.Divided = scale != 1
	return pool, conv, nil
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
