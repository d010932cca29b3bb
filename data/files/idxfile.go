package files

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

var idxFormat = fileFormat{kind: "IDX images", starts: isIDX, read: openIDX, named: func(base string) bool {
	return strings.Contains(base, "idx3") || strings.Contains(base, "idx1")
}}

// openIDX reads an IDX file of images, with labels from the file beside it if there is one.
func openIDX(from *opened, o Options) (*Input, error) {
	images, err := ReadIDX(from.path, from.in, 3)
	if err != nil {
		return nil, err
	}
	size := Size{images.Dims[1], images.Dims[2]}
	c := newCollector(from.path, "", o)
	for i := range images.Dims[0] {
		pix := UnitPixels(images.Values[i*size.pixels() : (i+1)*size.pixels()])
		if err := c.add(strconv.Itoa(i), picture{size: size, pix: pix}); err != nil {
			return nil, err
		}
	}
	in := c.finish()
	in.Images.Divided = true
	beside, err := labelsBeside(from.path)
	if err != nil || beside == "" || o.NoLabels {
		return in, err
	}
	in.LabelsFrom = filepath.Base(beside)
	return in, addIDXLabels(in.Pool, from.path, beside)
}

// addIDXLabels reads the labels of an IDX file into the pool. The classes are the values that occur, in ascending
// order.
func addIDXLabels(pool *data.Pool, images, path string) error {
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
		return usererr.File(path, 0, "mend it or move it away", "holds %d labels for the %d images of %s", n, pool.Len(), filepath.Base(images))
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

// labelsBeside returns the path of the labels file that belongs to an IDX images file, or "" if there is none.
func labelsBeside(path string) (string, error) {
	base := filepath.Base(path)
	other := strings.Replace(base, "images-idx3", "labels-idx1", 1)
	if other == base {
		return "", nil
	}
	for _, name := range []string{other, strings.TrimSuffix(other, ".gz"), other + ".gz"} {
		found, err := besideFile(filepath.Join(filepath.Dir(path), name))
		if found != "" || err != nil {
			return found, err
		}
	}
	return "", nil
}

// besideFile returns path if a file of labels is there, else "".
func besideFile(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.Mode().IsRegular():
		return path, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("look for labels: %w", err)
	}
	return "", nil
}
