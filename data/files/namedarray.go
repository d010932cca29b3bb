package files

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"syscall"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// namedArray is one array of a file that holds several, before it is read.
type namedArray struct {
	name  string
	shape []int
	valueType
	fault error // why its header cannot be read; shape and type are empty then
	// open returns the values' bytes in the order of the header; both are read to the end.
	open func() (npyHeader, io.Reader, error)
}

// String names an array with type and shape, for messages.
func (a namedArray) String() string {
	if a.fault != nil {
		return a.name + " (cannot be read)"
	}
	return fmt.Sprintf("%s %s (%s)", a.name, a.valueType.name, dimsText(a.shape))
}

// openArrays reads vectors, labels and names from the arrays in a file.
func openArrays(path string, arrays []namedArray, o Options) (*Input, error) {
	choice, err := chooseArrays(path, arrays, o)
	if err != nil {
		return nil, err
	}
	x := choice.features
	in := &Input{Pool: &data.Pool{D: x.shape[1]}, Warnings: choice.warnings}
	if in.X, err = readArray(path, *x, readFloats); err != nil {
		return nil, err
	}
	if choice.names != nil {
		index, texts, err := readClasses(path, *choice.names)
		if err != nil {
			return nil, err
		}
		in.Names, in.NameColumn = spread(index, texts), choice.names.name
	}
	if choice.labels == nil || o.NoLabels {
		return in, nil
	}
	in.LabelsFrom = fmt.Sprintf("the array %s", choice.labels.name)
	if in.Labels, in.Classes, err = readClasses(path, *choice.labels); err != nil {
		return nil, err
	}
	if choice.classes != nil && choice.labels.kind == wholeValues {
		err = nameClasses(path, in.Pool, *choice.classes)
	}
	return in, err
}

// spread returns the text of each point, given its number among the different texts.
func spread(index []int32, texts []string) []string {
	each := make([]string, len(index))
	for i, k := range index {
		each[i] = texts[k]
	}
	return each
}

// readClasses reads an array of labels.
func readClasses(path string, a namedArray) (labels []int32, classes []string, err error) {
	labels, err = readArray(path, a, func(r io.Reader, h npyHeader) (labels []int32, err error) {
		labels, classes, err = readLabels(r, h)
		return labels, err
	})
	return labels, classes, err
}

// nameClasses gives the classes, which are numbers so far, the names that they count in.
func nameClasses(path string, pool *data.Pool, a namedArray) error {
	index, texts, err := readClasses(path, a)
	if err != nil {
		return err
	}
	names := spread(index, texts)
	place := make([]int32, len(pool.Classes))
	for k, label := range pool.Classes {
		n, err := strconv.Atoi(label)
		if err != nil || n < 0 || n >= len(names) {
			return usererr.File(path, 0, fmt.Sprintf("number the classes from 0, or leave the array %s out", a.name),
				"label %s is none of the %s in %s", label, text.Count(len(names), "class", "classes"), a.name)
		}
		place[k] = int32(n)
	}
	for i, k := range pool.Labels {
		pool.Labels[i] = place[k]
	}
	pool.Classes = names
	return nil
}

// readArray reads an array and names it in a fault.
func readArray[T any](path string, a namedArray, read func(io.Reader, npyHeader) ([]T, error)) ([]T, error) {
	h, r, err := a.open()
	if err != nil {
		return nil, arrayFault(path, a.name, err)
	}
	values, err := read(r, h)
	if err != nil {
		return nil, arrayFault(path, a.name, err)
	}
	return values, nil
}

// arrayFault explains why an array of a file could not be read.
func arrayFault(path, name string, err error) error {
	var fault npyFault
	if errors.As(err, &fault) {
		return usererr.File(path, 0, rewrite, "the array %s %s", name, fault)
	}
	return archiveFault(path, err)
}

// archiveFault explains an error in reading an archive: that of the system, or else a fault of what the archive says.
func archiveFault(path string, err error) error {
	var system syscall.Errno
	if errors.As(err, &system) {
		return fmt.Errorf("read %s: %w", path, fileio.WithoutPath(err))
	}
	return &usererr.Error{Path: path, Msg: fmt.Sprintf("the archive is damaged or cut short (%v)", fileio.WithoutPath(err)), Hint: rewrite, Err: err}
}
