package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// Base is a model on a data set: where the settings of a sweep begin.
type Base interface {
	Names() (data, model string)         // as tables have them
	Config() train.Config                // with seed 1
	Warm(c train.Config) train.Config    // c with the train.warmup_steps that follow from its train.steps
	Test(c train.Config) evaluation.Test // test of a model with the given config
	Run(c train.Config) string           // names the run directory of a config
}

// Bases returns the base for the words of [base]; an empty word means a default. Package experiments has the bases of
// the paper's tables.
type Bases func(model, data, start string) (Base, error)

// cell is a setting with everything that follows from it, except the seed.
type cell struct {
	setting Setting
	set     assignments // of the keys that all settings share, and of its places
	base    Base
	config  train.Config
	test    evaluation.Test
}

// newCell makes the cell of a place on each axis.
func (s *Spec) newCell(places []place, bases Bases) (c cell, err error) {
	c.set = assignments{}
	faults := []error{c.set.add("", s.common)}
	var words []string
	for _, p := range places {
		faults = append(faults, c.set.add("", p.set))
		if word := cmp.Or(p.label, p.set.words()); word != "" {
			words = append(words, word)
		}
	}
	c.setting.Label = strings.Join(words, ", ")
	if alpha, ok := c.set[bothAlphas]; ok {
		delete(c.set, bothAlphas)
		faults = append(faults, c.set.add("data.", map[string]any{"alpha_min": alpha, "alpha_max": alpha}))
	}
	if err := cmp.Or(faults...); err != nil {
		return c, err
	}
	if c.base, err = c.set.base(bases); err != nil {
		return c, err
	}
	data, model := c.base.Names()
	c.setting.Label, c.setting.Data = cmp.Or(c.setting.Label, model), data
	if c.config, err = c.set.train(c.base); err != nil {
		return c, err
	}
	if c.test, err = c.set.judge(c.base, c.config); err != nil {
		return c, err
	}
	return c, c.config.Validate()
}

// base returns the base for the words among the assignments.
func (a assignments) base(bases Bases) (Base, error) {
	var words []string
	for _, key := range baseKeys {
		word, ok := a[key].(string)
		if _, set := a[key]; set && !ok {
			return nil, usererr.New("write it in quotes", "%s = %v is no text", key, a[key])
		}
		words = append(words, word)
	}
	return bases(words[0], words[1], words[2])
}

// train returns the config of a base with the assignments to keys of trainings.
func (a assignments) train(base Base) (c train.Config, err error) {
	c = base.Config()
	for _, key := range a.keys() {
		if _, isTest := testKeys[key]; isTest || slices.Contains(baseKeys, key) {
			continue
		}
		if c, err = a.set(c, key, key); err != nil {
			return c, err
		}
	}
	if _, set := a["train.warmup_steps"]; !set {
		c = base.Warm(c)
	}
	return c, nil
}

// judge returns the test of a config with the assignments to keys of the test.
func (a assignments) judge(base Base, c train.Config) (t evaluation.Test, err error) {
	t = base.Test(c)
	c.Data, c.Train.ValidSets = t.Data, t.Sets
	for _, key := range a.keys() {
		for _, of := range testKeys[key] {
			if c, err = a.set(c, of, key); err != nil {
				return t, err
			}
		}
	}
	t.Data, t.Sets = c.Data, c.Train.ValidSets
	if t.Sets < 1 {
		return t, usererr.New("choose a number above 0", "test.sets = %d is not allowed", t.Sets)
	}
	return t, t.Data.Validate()
}

// set returns a config with the value of a key, assigned to the key of the config.
func (a assignments) set(c train.Config, of, key string) (train.Config, error) {
	changed, err := c.Set(of + "=" + a.written(key))
	if err != nil {
		return c, usererr.New("`gfncp train --show-config` shows values of its kind",
			"%s = %s does not fit this key", key, a.written(key))
	}
	return changed, nil
}

// written writes the value of a key in TOML.
func (a assignments) written(key string) string {
	if text, ok := a[key].(string); ok {
		return strconv.Quote(text)
	}
	return fmt.Sprint(a[key])
}

// checkRead returns an error for a key of trainings if no setting that has the key reads it.
func checkRead(cells []cell) error {
	read := map[string]bool{}
	for _, c := range cells {
		for key := range c.set {
			read[key] = read[key] || c.config.Reads(key)
		}
	}
	for _, c := range cells {
		unread := slices.DeleteFunc(c.set.keys(), func(key string) bool { return read[key] && !c.config.Reads(key) })
		if err := c.config.CheckKeys(c.base.Config(), unread...); err != nil {
			return err
		}
	}
	return nil
}
