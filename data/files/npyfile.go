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

var npyFormat = fileFormat{kind: "NumPy array", starts: magic(npyMagic), named: ending(".npy"), read: openNPY}

// openNPY reads an .npy array of vectors or images.
func openNPY(from *opened, o Options) (*Input, error) {
	in, err := npyPoints(from.path, from.in, o)
	if err != nil || o.NoLabels {
		return in, err
	}
	beside, err := npyLabelsBeside(from.path)
	if err != nil || beside == "" {
		return in, err
	}
	if in.Labels, in.Classes, err = readNPYLabels(beside); err != nil {
		return nil, err
	}
	if n := len(in.Labels); n != in.Len() {
		return nil, usererr.File(beside, 0, "mend it or move it away", "holds %d labels for the %d points of %s", n, in.Len(), filepath.Base(from.path))
	}
	in.LabelsFrom = filepath.Base(beside)
	return in, nil
}

// npyPoints reads the points of an .npy array, without labels.
func npyPoints(path string, r io.Reader, o Options) (*Input, error) {
	a, err := readNPY(path, r)
	if err != nil {
		return nil, err
	}
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
