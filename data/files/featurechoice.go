package files

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
)

// The names by which the arrays of a file say what they are.
var (
	featureNames   = []string{"features", "X", "x", "embeddings", "data"}
	classListNames = []string{"classes", "class_names"}
)

// arrayChoice says which arrays of a file are read.
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
func chooseArrays(path string, arrays []namedArray, o Options) (c arrayChoice, err error) {
	if c.features, err = chooseFeatures(path, arrays, o.Columns); err != nil {
		return c, err
	}
	for i := range arrays {
		if a := &arrays[i]; slices.Contains(classListNames, a.name) && a.kind == textValues && len(a.shape) == 1 {
			c.classes = a
		}
	}
	if c.labels, err = c.chooseLabels(path, arrays, o.LabelColumn); err != nil {
		return c, err
	}
	for i := range arrays {
		if a := &arrays[i]; a != c.labels && c.names == nil && a.isRowNames(c.features.shape[0]) {
			c.names = a
		}
	}
	for i := range arrays {
		if a := &arrays[i]; a != c.features && a != c.labels && a != c.classes && a != c.names {
			c.warnings = append(c.warnings, fmt.Sprintf("the array %s is not read", a))
		}
	}
	return c, nil
}

func chooseFeatures(path string, arrays []namedArray, wanted []string) (*namedArray, error) {
	vectors := func(a *namedArray) bool {
		return len(a.shape) == 2 && (a.kind == realValues || a.kind == wholeValues)
	}
	if len(wanted) > 1 {
		return nil, usererr.File(path, 0, "name the one array of features", "--columns names %d arrays", len(wanted))
	}
	if len(wanted) == 1 {
		a, err := findArray(path, arrays, wanted[0], "--columns")
		if err == nil && !vectors(a) {
			err = usererr.File(path, 0, "choose an array of numbers with two dimensions [M,D]", "%s are no vectors", a)
		}
		return a, err
	}
	found := matching(arrays, func(a *namedArray) bool { return slices.Contains(featureNames, a.name) && vectors(a) })
	if len(found) == 0 {
		for _, a := range arrays {
			if slices.Contains(featureNames, a.name) && a.fault != nil {
				return nil, arrayFault(path, a.name, a.fault)
			}
		}
		found = matching(arrays, func(a *namedArray) bool { return vectors(a) && a.kind == realValues })
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, usererr.File(path, 0, `save vectors as an array "features" of floats [M,D]`, "holds no array of vectors: %s", listArrays(arrays))
	}
	return nil, usererr.File(path, 0, `call the right one "features", or name it with --columns`, "several arrays could be the features: %s", listFound(found))
}

// chooseLabels needs c.features and c.classes; it returns nil if there are no labels.
func (c *arrayChoice) chooseLabels(path string, arrays []namedArray, wanted string) (*namedArray, error) {
	m := c.features.shape[0]
	readable := (*namedArray).isLabels
	fits := func(a *namedArray) bool { return len(a.shape) == 1 && a.shape[0] == m }
	var found []*namedArray
	if wanted != "" {
		a, err := findArray(path, arrays, wanted, "--labels")
		switch {
		case err != nil:
			return nil, err
		case a == c.features:
			return nil, usererr.File(path, 0, "name another array with --labels", "the array %s holds the features", a.name)
		case a.fault != nil:
			return nil, arrayFault(path, a.name, a.fault)
		case !readable(a):
			return nil, usererr.File(path, 0, "save labels as integers or text", "the labels %s are neither", a)
		}
		found = []*namedArray{a}
	} else {
		found = matching(arrays, func(a *namedArray) bool { return slices.Contains(labelNames, a.name) && readable(a) && a != c.features })
		if len(found) == 0 {
			found = matching(arrays, func(a *namedArray) bool { return readable(a) && fits(a) && a != c.classes })
		}
	}
	switch {
	case len(found) == 0:
		return nil, nil
	case len(found) > 1:
		return nil, usererr.File(path, 0, `call the right one "labels", or name it with --labels`, "several arrays could be the labels: %s", listFound(found))
	case !fits(found[0]):
		return nil, usererr.File(path, 0, "save one label for each vector, or leave them out", "the labels %s do not fit the %d vectors of %s",
			found[0], m, c.features.name)
	}
	return found[0], nil
}

// isLabels reports whether the values may be labels: integers or text.
func (a *namedArray) isLabels() bool { return a.kind == wholeValues || a.kind == textValues }

// isRowNames reports whether an array's name says that it holds the names of m points.
func (a *namedArray) isRowNames(m int) bool {
	return slices.Contains(rowNames, strings.ToLower(a.name)) && a.isLabels() && len(a.shape) == 1 && a.shape[0] == m
}

// findArray returns the array that a flag names.
func findArray(path string, arrays []namedArray, name, flag string) (*namedArray, error) {
	for i := range arrays {
		if arrays[i].name == name {
			return &arrays[i], nil
		}
	}
	return nil, usererr.File(path, 0, "use one of them in "+flag, "no array is named %q: it holds %s", name, listArrays(arrays))
}

func matching(arrays []namedArray, is func(*namedArray) bool) (found []*namedArray) {
	for i := range arrays {
		if is(&arrays[i]) {
			found = append(found, &arrays[i])
		}
	}
	return found
}

// listArrays names arrays with type and shape, the first ones of many.
func listArrays(arrays []namedArray) string {
	return listFound(matching(arrays, func(*namedArray) bool { return true }))
}

func listFound(arrays []*namedArray) string {
	texts := make([]string, len(arrays))
	for i, a := range arrays {
		texts[i] = a.String()
	}
	return firstOf(texts)
}

// firstOf joins texts, the first ones of many.
func firstOf(texts []string) string {
	const most = 12
	if rest := len(texts) - most; rest > 0 {
		texts = append(slices.Clone(texts[:most]), fmt.Sprintf("%d more", rest))
	}
	if len(texts) == 0 {
		return "nothing"
	}
	return strings.Join(texts, ", ")
}
