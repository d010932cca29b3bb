package sweep

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// combination is one place on every axis, with what it sets.
type combination struct {
	at  []int
	set []assignment // of all axes, in their order
}

// combinations lists the product of the axes, the last one varying fastest.
func (s *Spec) combinations() []combination {
	all := []combination{{}}
	for _, a := range s.axes {
		var longer []combination
		for _, c := range all {
			for i, p := range a.places {
				longer = append(longer, combination{append(slices.Clone(c.at), i), slices.Concat(c.set, p.set)})
			}
		}
		all = longer
	}
	return all
}

// baseOf is where a combination begins.
func (s *Spec) baseOf(set []assignment) (experiments.Base, error) {
	var b experiments.Base
	field := map[string]*string{"model": &b.Model, "data": &b.Data, "start": &b.Start}
	line := 0
	for _, a := range slices.Concat(s.base, set) {
		if !a.isBase() {
			continue
		}
		text, ok := a.Value.(string)
		if !ok {
			return b, usererr.File(s.Path, a.Line, "write it in quotes", "%s = %s is no text", a.Key, a.word())
		}
		*field[a.Key], line = text, a.Line
	}
	b, err := b.Filled()
	return b, inFile(s.Path, line, err)
}

// config is how a combination is trained, with seed 1. A warm start lasts for half of the steps, whatever sets their
// number.
func (s *Spec) config(b experiments.Base, scale experiments.Scale, set []assignment) (train.Config, error) {
	c, err := b.Config(scale)
	if err != nil {
		return c, err
	}
	warmup := false
	for _, a := range slices.Concat(s.set, set) {
		if a.isBase() || a.isTest() {
			continue
		}
		if c, err = a.apply(c); err != nil {
			return c, inFile(s.Path, a.Line, err)
		}
		warmup = warmup || a.Key == "train.warmup_steps"
	}
	if b.Start == experiments.StartWarm && !warmup {
		c.Train.WarmupSteps = c.Train.Steps / 2
	}
	return c, nil
}

// test is what a combination is judged on.
func (s *Spec) test(b experiments.Base, scale experiments.Scale, c train.Config, set []assignment) (evaluation.Test,
	error,
) {
	t, err := b.Test(scale, c)
	if err != nil {
		return t, err
	}
	for _, a := range slices.Concat(s.set, set) {
		if !a.isTest() {
			continue
		}
		v, ok := a.number()
		if whole := v == float64(int(v)); !ok || v <= 0 && a.Key != "test.fixed_k" || a.Key != "test.alpha" &&
			(!whole || v < 0) {
			return t, usererr.File(s.Path, a.Line, "write a number above 0; all but test.alpha are whole",
				"%s = %s does not fit this key", a.Key, a.toml())
		}
		switch a.Key {
		case "test.alpha":
			t.Data.AlphaMin, t.Data.AlphaMax = v, v
		case "test.n":
			t.Data.NMin, t.Data.NMax = int(v), int(v)
		case "test.sets":
			t.Sets = int(v)
		case "test.fixed_k":
			t.Data.FixedK = int(v)
		}
	}
	return t, t.Data.Validate()
}

// labels names a combination: what differs in training, and what it is judged on. several says that data sets differ.
func (s *Spec) labels(b experiments.Base, c combination, axes []Axis, several bool) (training, judged string) {
	short := s.shortNames()
	data, model := b.Names()
	var trains, tests []string
	for i, a := range s.axes {
		p := a.places[c.at[i]]
		var own, test []assignment
		for _, one := range p.set {
			switch {
			case one.isTest():
				test = append(test, one)
			case one.Key != "data":
				own = append(own, one)
			}
		}
		switch {
		case p.label != "" && axes[i].Test:
			tests = append(tests, p.label)
			continue
		case p.label != "":
			trains = append(trains, p.label)
		case len(own) > 0:
			trains = append(trains, labelOf(own, short))
		}
		if len(test) > 0 {
			tests = append(tests, labelOf(test, short))
		}
	}
	if len(trains) == 0 {
		trains = []string{model}
	}
	if several || len(tests) == 0 {
		tests = append([]string{data}, tests...)
	}
	return strings.Join(trains, ", "), strings.Join(tests, ", ")
}

// planAxes describes the axes for labels and pictures.
func (s *Spec) planAxes() []Axis {
	short := s.shortNames()
	var axes []Axis
	for _, a := range s.axes {
		described := Axis{Key: a.key != "", Test: true}
		keys := map[string]bool{}
		for _, p := range a.places {
			label := p.label
			if label == "" {
				label = labelOf(p.set, short)
			}
			if a.key != "" {
				label = p.set[0].word()
				if v, ok := p.set[0].number(); ok {
					described.Numbers = append(described.Numbers, v)
				}
			}
			described.Labels = append(described.Labels, label)
			for _, one := range p.set {
				keys[short[one.Key]] = true
				described.Test = described.Test && one.isTest()
			}
		}
		described.Test = described.Test && len(keys) > 0
		if len(described.Numbers) < len(described.Labels) {
			described.Numbers = nil
		}
		described.Name = strings.Join(slices.Sorted(maps.Keys(keys)), ", ")
		axes = append(axes, described)
	}
	return axes
}

// shortNames gives each key of the axes the last word of its path where that names it alone; test keys keep theirs.
func (s *Spec) shortNames() map[string]string {
	taken := map[string]int{}
	names := map[string]string{}
	for _, a := range s.axes {
		for _, p := range a.places {
			for _, one := range p.set {
				if _, known := names[one.Key]; known {
					continue
				}
				name := one.Key[strings.LastIndex(one.Key, ".")+1:]
				if one.isTest() {
					name = "test " + name
				}
				names[one.Key] = name
				taken[name]++
			}
		}
	}
	for key, name := range names {
		if taken[name] > 1 {
			names[key] = key
		}
	}
	return names
}

// labelOf writes assignments as "beta = 0.99, delta = 0.6".
func labelOf(set []assignment, short map[string]string) string {
	var words []string
	for _, a := range set {
		words = append(words, fmt.Sprintf("%s = %s", short[a.Key], a.word()))
	}
	return strings.Join(words, ", ")
}
