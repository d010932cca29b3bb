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
	name string
	npyHeader
	fault error                     // why the header cannot be read, which is empty then
	open  func() (io.Reader, error) // the values' bytes in the order of the header; they are read to the end
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
	err = x.read(path, func(r io.Reader) (err error) {
		in.X, err = readFloats(r, x.npyHeader)
		return err
	})
	if err != nil {
		return nil, err
	}
	if choice.names != nil {
		if in.Names, err = choice.names.texts(path); err != nil {
			return nil, err
		}
		in.NameColumn = choice.names.name
	}
	if choice.labels == nil || o.NoLabels {
		return in, nil
	}
	in.LabelsFrom = "the array " + choice.labels.name
	if in.Labels, in.Classes, err = choice.labels.classes(path); err != nil {
		return nil, err
	}
	if choice.classes != nil && choice.labels.kind == wholeValues {
		err = nameClasses(path, in.Pool, choice.classes)
	}
	return in, err
}

// read reads an array's values and names it in a fault.
func (a *namedArray) read(path string, read func(io.Reader) error) error {
	r, err := a.open()
	if err == nil {
		err = read(r)
	}
	if err != nil {
		return arrayFault(path, a.name, err)
	}
	return nil
}

// classes reads an array of labels: see readLabels.
func (a *namedArray) classes(path string) (labels []int32, classes []string, err error) {
	err = a.read(path, func(r io.Reader) (err error) {
		labels, classes, err = readLabels(r, a.npyHeader)
		return err
	})
	return labels, classes, err
}

// texts reads an array of names.
func (a *namedArray) texts(path string) ([]string, error) {
	index, texts, err := a.classes(path)
	return spread(index, texts), err
}

// nameClasses gives the classes, which are numbers so far, the names that they count in.
func nameClasses(path string, pool *data.Pool, a *namedArray) error {
	names, err := a.texts(path)
	if err != nil {
		return err
	}
	place := make([]int32, len(pool.Classes))
	for k, label := range pool.Classes {
		n, err := strconv.Atoi(label)
		if err != nil || n < 0 || n >= len(names) {
			return usererr.File(path, 0, fmt.Sprintf("number the classes from 0, or leave the array %s out", a.name),
				"label %s is none of the %s in %s", label, text.Count(len(names), "class", "classes"), a.name)
		}
		place[k] = int32(n)
	}
	pool.Labels, pool.Classes = spread(pool.Labels, place), names
	return nil
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
