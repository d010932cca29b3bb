package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/combin"

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
	at      []int   // its place on each axis
	set     []entry // of [base], of [set] and of its place on each axis
	base    Base
	config  train.Config
	test    evaluation.Test
}

// product lists a cell for each combination of the axes' places, the last axis varying fastest.
func (s *Spec) product() (cells []cell) {
	var lengths []int
	for _, a := range s.axes {
		lengths = append(lengths, len(a.places))
	}
	for _, at := range combin.Cartesian(lengths) {
		c := cell{at: at, set: slices.Concat(s.base, s.set)}
		for i, a := range s.axes {
			c.set = append(c.set, a.places[at[i]].set...)
		}
		cells = append(cells, c)
	}
	return cells
}

func (s *Spec) begin(c *cell, bases Bases) (err error) {
	words := map[string]string{}
	line := 0
	for _, a := range c.set {
		if !a.isBase() {
			continue
		}
		if words[a.Key], err = a.text(); err != nil {
			return inFile(s.Path, a.Line, err)
		}
		line = a.Line
	}
	c.base, err = bases(words["model"], words["data"], words["start"])
	return inFile(s.Path, line, err)
}

func (s *Spec) train(c *cell) (err error) {
	c.config = c.base.Config()
	warmup := false
	for _, a := range c.set {
		if a.isBase() || a.isTest() {
			continue
		}
		if c.config, err = a.apply(c.config); err != nil {
			return inFile(s.Path, a.Line, err)
		}
		warmup = warmup || a.Key == "train.warmup_steps"
	}
	if !warmup {
		c.config = c.base.Warm(c.config)
	}
	return nil
}

// checkRead returns an error for a key of trainings if no setting that has the key reads it.
func (s *Spec) checkRead(cells []cell) error {
	read := map[string]bool{}
	for _, c := range cells {
		for _, a := range c.set {
			read[a.Key] = read[a.Key] || c.config.Reads(a.keys()[0])
		}
	}
	for _, c := range cells {
		for _, a := range c.set {
			if read[a.Key] && !c.config.Reads(a.keys()[0]) {
				continue // other settings read it
			}
			if err := c.config.CheckKeys(c.base.Config(), a.keys()...); err != nil {
				return inFile(s.Path, a.Line, err)
			}
		}
	}
	return nil
}

func (s *Spec) judge(c *cell) error {
	c.test = c.base.Test(c.config)
	t := &c.test
	for _, a := range c.set {
		if !a.isTest() {
			continue
		}
		v, ok := a.number()
		if whole := v == float64(int(v)); !ok || v <= 0 && a.Key != "test.fixed_k" || a.Key != "test.alpha" &&
			(!whole || v < 0) {
			return usererr.File(s.Path, a.Line, "write a number above 0; all but test.alpha are whole",
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
	return cmp.Or(t.Data.Validate(), c.config.Validate())
}

// label names the places of a setting on the axes, or else its model.
func (s *Spec) label(c cell) string {
	short := s.shortNames()
	var words []string
	for i, a := range s.axes {
		p := a.places[c.at[i]]
		if word := cmp.Or(p.label, labelOf(p.set, short)); word != "" {
			words = append(words, word)
		}
	}
	_, model := c.base.Names()
	return cmp.Or(strings.Join(words, ", "), model)
}

// shortNames maps each key of the axes to the last word of its path. A key whose word is not unique keeps its path.
func (s *Spec) shortNames() map[string]string {
	taken := map[string]int{}
	names := map[string]string{}
	for _, a := range s.varied() {
		if _, known := names[a.Key]; known {
			continue
		}
		name := a.Key[strings.LastIndex(a.Key, ".")+1:]
		names[a.Key] = name
		taken[name]++
	}
	for key, name := range names {
		if taken[name] > 1 {
			names[key] = key
		}
	}
	return names
}

// labelOf writes the assignments of a place as "beta = 0.99, delta = 0.6". The table names the data elsewhere.
func labelOf(set []entry, short map[string]string) string {
	var words []string
	for _, a := range set {
		if a.Key != "data" {
			words = append(words, fmt.Sprintf("%s = %s", short[a.Key], a.word()))
		}
	}
	return strings.Join(words, ", ")
}

// The keys of a sweep beside the keys of a training config.
var (
	baseKeys = []string{"model", "data", "start"} // arguments of Bases
	testKeys = []string{"test.alpha", "test.n", "test.sets", "test.fixed_k"}
)

// bothAlphas is a key that sets data.alpha_min and data.alpha_max, and so fixes α.
const bothAlphas = "data.alpha"

// elsewhere are config keys that a sweep sets in another way, which the hint names.
var elsewhere = map[string]string{
	"seed":        "list seeds at the top: seeds = [1, 2, 3]",
	"data.source": `write data = "mnist" in [base], or as an axis`,
	"data.stream": "leave it out",
	"data.split":  "leave it out",
}

// checkKey returns an error for a key that a sweep cannot set, with the nearest key that it can.
func checkKey(key string) error {
	if hint, ok := elsewhere[key]; ok {
		return usererr.New(hint, "a sweep does not set %s", key)
	}
	known := append(append(train.Keys(), bothAlphas), append(baseKeys, testKeys...)...)
	if slices.Contains(known, key) {
		return nil
	}
	hint := "see `gfncp train --show-config` for the keys, and docs/training.md for those of test"
	return unknownKey(key, usererr.DidYouMean(key, known, hint))
}

func (a entry) isTest() bool { return slices.Contains(testKeys, a.Key) }

func (a entry) isBase() bool { return slices.Contains(baseKeys, a.Key) }

func (a entry) word() string { return fmt.Sprint(a.Value) }

func (a entry) text() (string, error) {
	text, ok := a.Value.(string)
	if !ok {
		return "", usererr.New("write it in quotes", "%s = %s is no text", a.Key, a.word())
	}
	return text, nil
}

func (a entry) toml() string {
	text := a.word()
	switch a.Value.(type) {
	case string:
		return strconv.Quote(text)
	case float64:
		if !strings.ContainsAny(text, ".en") { // "1" would be an integer
			text += ".0"
		}
	}
	return text
}

func (a entry) keys() []string {
	if a.Key == bothAlphas {
		return []string{"data.alpha_min", "data.alpha_max"}
	}
	return []string{a.Key}
}

func (a entry) apply(c train.Config) (train.Config, error) {
	for _, key := range a.keys() {
		changed, err := c.Set(key + "=" + a.toml())
		if err != nil {
			return c, usererr.New("`gfncp train --show-config` shows values of its kind",
				"%s = %s does not fit this key",
				a.Key, a.toml())
		}
		c = changed
	}
	return c, nil
}

func (a entry) number() (float64, bool) {
	switch v := a.Value.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
