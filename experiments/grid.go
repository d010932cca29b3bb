package experiments

import (
	"slices"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// grid is the data sets and the methods that an experiment compares.
type grid struct {
	sets    func() []dataset
	methods []method
	fixedK  int // 0: free
}

// on is a grid's sets where they are always the same.
func on(sets ...dataset) func() []dataset { return func() []dataset { return sets } }

// configs lists how a grid's cells are trained.
func (g grid) configs(s Scale) (all []NamedConfig) {
	for _, d := range g.sets() {
		for _, m := range g.methods {
			if m.Model != "" && m.applies(d, g.fixedK) {
				all = append(all, NamedConfig{d.Name + ", " + m.Name, s.config(d, m, g.fixedK)})
			}
		}
	}
	return all
}

// onlyData lists the words that name data sets; a stand-in goes by the name of what it stands for.
func onlyData() (names []string) {
	for _, d := range data.Sources() {
		if d.Shape != data.Given && d.StandsFor == "" {
			names = append(names, d.Name)
		}
	}
	return names
}

// OnlyWords lists what Lab.Only may hold: names of data sets, of references and of models.
func OnlyWords() []string {
	return slices.Concat(onlyData(), []string{string(evaluation.Gibbs), string(evaluation.Oracle)}, train.Models())
}

// CheckOnly reports a word of Lab.Only that is none of OnlyWords.
func CheckOnly(words []string) error {
	for _, word := range words {
		if known := OnlyWords(); !slices.Contains(known, word) {
			return usererr.Unknown(word, known, "--only %q is not known", word)
		}
	}
	return nil
}

// wants reports whether a cell is among those asked for: of the named data sets, if any is named, and of the named models or
// references, if any is.
func (l *Lab) wants(d dataset, m method) bool {
	dataNamed, modelNamed := false, false
	for _, word := range l.Only {
		if slices.Contains(onlyData(), word) {
			dataNamed = true
		} else {
			modelNamed = true
		}
	}
	name := m.Model
	if m.Reference != "" {
		name = string(m.Reference)
	}
	return (!dataNamed || slices.Contains(l.Only, strings.ToLower(d.Paper))) && (!modelNamed || slices.Contains(l.Only, name))
}
