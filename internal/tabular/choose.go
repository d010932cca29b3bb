package tabular

import "slices"

// Choose finds the coordinate columns and the label column of a table whose columns have names, by the rules of Read for a table
// with a header: for tables of another format than text. path stands for the file in messages.
//
// coords [D] and label count columns from 0; label is -1 if there is none. Faults of the options are *usererr.Error, as in Read.
func Choose(path string, names []string, opts Options) (coords []int, label int, warnings []string, err error) {
	opts = trimmed(opts)
	opts.Header = "yes"
	lay, err := newLayout(path, 0, names, opts)
	if err != nil {
		return nil, -1, nil, err
	}
	return lay.coords, lay.label, lay.warnings, nil
}

// IsLabelName reports whether a column of this name holds the labels by itself; see Options.LabelColumn.
func IsLabelName(name string) bool { return slices.Contains(labelNames, name) }
