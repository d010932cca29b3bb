package files

import (
	"bufio"
	"errors"
	"path/filepath"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

var npyFormat = fileFormat{kind: "NumPy array", starts: magic(npyMagic), named: ending(".npy"), read: openNPY}

// openNPY reads vectors [M,D], and labels [M] from the file NAME-labels.npy beside NAME.npy if there is one. Memory
// grows with what the file really holds, not with what its header claims.
func openNPY(from *opened, o Options) (*Input, error) {
	h, err := readNPYHeader(from.in)
	if err != nil {
		return nil, npyFaultOf(from.path, err)
	}
	if len(h.shape) != 2 {
		return nil, usererr.File(from.path, 0, "save vectors [M,D]; images are read from a folder of PNG or JPEG files",
			"has %s (%s)", text.Count(len(h.shape), "dimension"), dimsText(h.shape))
	}
	in := &Input{Pool: &data.Pool{}}
	if err := npyFaultOf(from.path, readVectors(from.in, h, in)); err != nil {
		return nil, err
	}
	ext := filepath.Ext(from.path)
	if o.NoLabels || !strings.EqualFold(ext, ".npy") {
		return in, nil
	}
	return in, in.addBeside(from.path, strings.TrimSuffix(from.path, ext)+"-labels.npy")
}

func npyFaultOf(path string, err error) error {
	var fault npyFault
	var full *usererr.Error // of the memory
	switch {
	case errors.As(err, &fault):
		return usererr.File(path, 0, "save a plain array with numpy.save", "%s", fault)
	case errors.As(err, &full):
		full.Path = path
		return full
	case err != nil:
		return fileio.ReadFault(path, err)
	}
	return nil
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
