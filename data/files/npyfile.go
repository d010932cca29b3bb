package files

import (
	"bufio"
	"path/filepath"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

var npyFormat = fileFormat{kind: "NumPy array", starts: magic(npyMagic), named: ending(".npy"), read: openNPY}

// openNPY reads vectors [M,D], and labels [M] from the file NAME-labels.npy beside NAME.npy if there is one. Memory
// grows with the values in the file, not with the size that its header claims.
func openNPY(from *opened, o Options) (*Input, error) {
	h, err := readNPYHeader(from.in)
	if err != nil {
		return nil, of(from.path, err)
	}
	if len(h.shape) != 2 {
		return nil, usererr.File(from.path, 0, "save vectors [M,D]; images are read from a folder of PNG or JPEG files",
			"has %s (%s)", text.Count(len(h.shape), "dimension"), dimsText(h.shape))
	}
	in := &Input{Pool: &data.Pool{}}
	if err := of(from.path, readVectors(from.in, h, in)); err != nil {
		return nil, err
	}
	ext := filepath.Ext(from.path)
	if o.NoLabels || !strings.EqualFold(ext, ".npy") {
		return in, nil
	}
	return in, in.addBeside(from.path, strings.TrimSuffix(from.path, ext)+"-labels.npy")
}

// readNPYLabels reads labels [M], integers or text, and the classes' names.
func readNPYLabels(path string) (labels []int32, classes []string, err error) {
	err = fileio.WithFile(path, func(in *bufio.Reader) error {
		h, err := readNPYHeader(in)
		if err == nil && len(h.shape) != 1 {
			err = npyFault("has the shape %s; labels have one dimension", dimsText(h.shape))
		}
		if err == nil {
			labels, classes, err = readLabels(in, h)
		}
		return of(path, err)
	})
	return labels, classes, err
}
