package files

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
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
	in := &Input{Pool: &data.Pool{}, Warnings: choice.warnings}
	err = x.read(path, func(r io.Reader) error { return readVectors(r, x.npyHeader, in) })
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
	return &usererr.Error{Path: path, Msg: fmt.Sprintf("the archive is damaged or cut short (%v)",
		fileio.WithoutPath(err)), Hint: rewrite, Err: err}
}

// The names by which the arrays of a file say what they are.
var (
	featureNames   = []string{"features", "X", "x", "embeddings", "data"}
	classListNames = []string{"classes", "class_names"}
)

type arrayChoice struct {
	features *namedArray // [M,D]
	labels   *namedArray // [M], or nil
	classes  *namedArray // [K] the names of classes, or nil
	names    *namedArray // [M] the points' names, or nil
	warnings []string
}

// chooseArrays finds the vectors [M,D] and the labels [M] among the arrays of a file: by the names in o, else by
// featureNames and labelNames, else the only array of floats with two dimensions, and the only one of integers or text
// with one dimension of length M. Where several could be meant, it is a fault.
func chooseArrays(path string, all []namedArray, o Options) (c arrayChoice, err error) {
	var arrays []*namedArray
	for i := range all {
		arrays = append(arrays, &all[i])
	}
	if c.features, err = chooseFeatures(path, arrays, o.Columns); err != nil {
		return c, err
	}
	for _, a := range arrays {
		if slices.Contains(classListNames, a.name) && a.kind == textValues && len(a.shape) == 1 {
			c.classes = a
		}
	}
	if c.labels, err = c.chooseLabels(path, arrays, o.LabelColumn); err != nil {
		return c, err
	}
	for _, a := range arrays {
		if a != c.labels && c.names == nil && isRowName(a.name) && c.perPoint(a) {
			c.names = a
		}
	}
	for _, a := range arrays {
		if a != c.features && a != c.labels && a != c.classes && a != c.names {
			c.warnings = append(c.warnings, fmt.Sprintf("the array %s is not read", a))
		}
	}
	return c, nil
}

func chooseFeatures(path string, arrays []*namedArray, wanted []string) (*namedArray, error) {
	vectors := func(a *namedArray) bool { return len(a.shape) == 2 && a.kind.isNumber() }
	switch len(wanted) {
	case 0:
	case 1:
		a, err := findArray(path, arrays, wanted[0], "--columns")
		if err == nil && !vectors(a) {
			err = usererr.File(path, 0, "choose an array of numbers with two dimensions [M,D]", "%s are no vectors", a)
		}
		return a, err
	default:
		return nil, usererr.File(path, 0, "name the one array of features", "--columns names %d arrays", len(wanted))
	}
	named := filter(arrays, func(a *namedArray) bool { return slices.Contains(featureNames, a.name) })
	found := filter(named, vectors)
	if len(found) == 0 {
		for _, a := range named {
			if a.fault != nil {
				return nil, arrayFault(path, a.name, a.fault)
			}
		}
		found = filter(arrays, func(a *namedArray) bool { return vectors(a) && a.kind == realValues })
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, usererr.File(path, 0, `save vectors as an array "features" of floats [M,D]`,
			"holds no array of vectors: %s", listed(arrays))
	}
	return nil, usererr.File(path, 0, `call the right one "features", or name it with --columns`,
		"several arrays could be the features: %s", listed(found))
}

// chooseLabels needs c.features and c.classes; it returns nil if there are no labels.
func (c *arrayChoice) chooseLabels(path string, arrays []*namedArray, wanted string) (*namedArray, error) {
	var found []*namedArray
	if wanted != "" {
		a, err := findArray(path, arrays, wanted, "--labels")
		switch {
		case err != nil:
			return nil, err
		case a == c.features:
			return nil, usererr.File(path, 0, "name another array with --labels",
				"the array %s holds the features", a.name)
		case a.fault != nil:
			return nil, arrayFault(path, a.name, a.fault)
		case !a.kind.isLabel():
			return nil, usererr.File(path, 0, "save labels as integers or text", "the labels %s are neither", a)
		}
		found = []*namedArray{a}
	} else {
		found = filter(arrays, func(a *namedArray) bool {
			return slices.Contains(labelNames, strings.ToLower(a.name)) && a.kind.isLabel() && a != c.features
		})
		if len(found) == 0 {
			found = filter(arrays, func(a *namedArray) bool { return c.perPoint(a) && a != c.classes })
		}
	}
	switch {
	case len(found) == 0:
		return nil, nil
	case len(found) > 1:
		return nil, usererr.File(path, 0, `call the right one "labels", or name it with --labels`,
			"several arrays could be the labels: %s", listed(found))
	case !c.perPoint(found[0]):
		return nil, usererr.File(path, 0, "save one label for each vector, or leave them out",
			"the labels %s do not fit the %d vectors of %s",
			found[0], c.features.shape[0], c.features.name)
	}
	return found[0], nil
}

// perPoint reports whether an array holds an integer or a text for each vector.
func (c *arrayChoice) perPoint(a *namedArray) bool {
	return a.kind.isLabel() && len(a.shape) == 1 && a.shape[0] == c.features.shape[0]
}

// isRowName reports whether a column's or an array's name says that it holds the points' names.
func isRowName(name string) bool { return slices.Contains(rowNames, strings.ToLower(name)) }

func findArray(path string, arrays []*namedArray, name, flag string) (*namedArray, error) {
	if i := slices.IndexFunc(arrays, func(a *namedArray) bool { return a.name == name }); i >= 0 {
		return arrays[i], nil
	}
	return nil, usererr.File(path, 0, "use one of them in "+flag,
		"no array is named %q: it holds %s", name, listed(arrays))
}

func filter[T any](all []T, keep func(T) bool) (kept []T) {
	for _, v := range all {
		if keep(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// listed names arrays or columns, the first ones of many.
func listed[T fmt.Stringer](all []T) string {
	const most = 12
	if len(all) == 0 {
		return "nothing"
	}
	var texts []string
	for _, v := range all[:min(most, len(all))] {
		texts = append(texts, v.String())
	}
	if rest := len(all) - most; rest > 0 {
		texts = append(texts, fmt.Sprintf("%d more", rest))
	}
	return strings.Join(texts, ", ")
}
