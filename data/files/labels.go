package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gfncp/gfncp/internal/usererr"
)

// classList numbers texts in order of first appearance, as the labels of a table.
type classList struct {
	index   map[string]int32
	labels  []int32  // [M] the number of each text
	classes []string // [K] the different texts
}

func (l *classList) add(text string) {
	label, known := l.index[text]
	if !known {
		if l.index == nil {
			l.index = map[string]int32{}
		}
		text = strings.Clone(text) // it may be part of a longer one
		label = int32(len(l.classes))
		l.index[text] = label
		l.classes = append(l.classes, text)
	}
	l.labels = append(l.labels, label)
}

// spread returns the value of each point, given its number among the different values.
func spread[T any](index []int32, values []T) []T {
	each := make([]T, len(index))
	for i, k := range index {
		each[i] = values[k]
	}
	return each
}

// addBeside adds the labels in the first of the files at besides that is there, if any is; what are the points of the
// file at path, for messages.
func (in *Input) addBeside(path, what string, besides []string, read func(path string) ([]int32, []string, error)) error {
	for _, beside := range besides {
		info, err := os.Stat(beside)
		switch {
		case errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular():
			continue
		case err != nil:
			return fmt.Errorf("look for labels: %w", err)
		}
		if in.Labels, in.Classes, err = read(beside); err != nil {
			return err
		}
		if n := len(in.Labels); n != in.Len() {
			return usererr.File(beside, 0, "mend it or move it away", "holds %d labels for the %d %s of %s", n, in.Len(), what, filepath.Base(path))
		}
		in.LabelsFrom = filepath.Base(beside)
		return nil
	}
	return nil
}
