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
		return nil, usererr.File(path, 0, `save vectors as an array "features" of floats [M,D]`, "holds no array of vectors: %s", listed(arrays))
	}
	return nil, usererr.File(path, 0, `call the right one "features", or name it with --columns`, "several arrays could be the features: %s", listed(found))
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
			return nil, usererr.File(path, 0, "name another array with --labels", "the array %s holds the features", a.name)
		case a.fault != nil:
			return nil, arrayFault(path, a.name, a.fault)
		case !a.kind.isLabel():
			return nil, usererr.File(path, 0, "save labels as integers or text", "the labels %s are neither", a)
		}
		found = []*namedArray{a}
	} else {
		found = filter(arrays, func(a *namedArray) bool {
			return slices.Contains(labelNames, a.name) && a.kind.isLabel() && a != c.features
		})
		if len(found) == 0 {
			found = filter(arrays, func(a *namedArray) bool { return c.perPoint(a) && a != c.classes })
		}
	}
	switch {
	case len(found) == 0:
		return nil, nil
	case len(found) > 1:
		return nil, usererr.File(path, 0, `call the right one "labels", or name it with --labels`, "several arrays could be the labels: %s", listed(found))
	case !c.perPoint(found[0]):
		return nil, usererr.File(path, 0, "save one label for each vector, or leave them out", "the labels %s do not fit the %d vectors of %s",
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

// findArray returns the array that a flag names.
func findArray(path string, arrays []*namedArray, name, flag string) (*namedArray, error) {
	if i := slices.IndexFunc(arrays, func(a *namedArray) bool { return a.name == name }); i >= 0 {
		return arrays[i], nil
	}
	return nil, usererr.File(path, 0, "use one of them in "+flag, "no array is named %q: it holds %s", name, listed(arrays))
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
