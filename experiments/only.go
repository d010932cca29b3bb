package experiments

import (
	"errors"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// errLeftOut marks a cell that was not asked for.
var errLeftOut = errors.New("left out")

// CheckOnly reports a word of Lab.Only that names neither a data set, a model nor a reference.
func CheckOnly(words []string) error {
	known := append([]string{data.SourceMoG, data.SourceMNIST, data.SourceFashion, string(gibbs), string(oracle)}, train.Models()...)
	for _, word := range words {
		if !slices.Contains(known, word) {
			return usererr.New("choose from "+strings.Join(known, ", "), "--only %q is not known", word)
		}
	}
	return nil
}

// wants reports whether a cell is among those asked for: of the named data sets, if any is named, and of the named models or
// references, if any is.
func (l *Lab) wants(d dataset, m method) bool {
	sources := []string{data.SourceMoG, data.SourceMNIST, data.SourceFashion}
	dataNamed, modelNamed := false, false
	for _, word := range l.Only {
		if slices.Contains(sources, word) {
			dataNamed = true
		} else {
			modelNamed = true
		}
	}
	name := m.Model
	if m.Reference != "" {
		name = string(m.Reference)
	}
	return (!dataNamed || slices.Contains(l.Only, d.Source)) && (!modelNamed || slices.Contains(l.Only, name))
}

// wantsAny reports whether any method is asked for on a data set.
func (l *Lab) wantsAny(d dataset, fixedK int) bool {
	return slices.ContainsFunc(tableMethods, func(m method) bool { return m.applies(d, fixedK) && l.wants(d, m) })
}
