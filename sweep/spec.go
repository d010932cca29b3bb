package sweep

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// Spec is the content of a sweep file, before a scale is chosen.
type Spec struct {
	Path            string `toml:"-"`
	Text            []byte `toml:"-"` // the file
	Name            string
	Title, Question string
	Seeds           []uint64 // empty: as many as the scale has
	Metrics         []string // of the table; empty: NMI, ARI and MC
	Base, Set, Grid map[string]any
	List            []map[string]any

	common assignments // of Base and Set
	axes   [][]place   // one for each key of Grid in alphabetical order, then one for List
}

// assignments are values of keys, such as "loss.beta".
type assignments map[string]any

// place is a value of an axis.
type place struct {
	label string
	set   assignments
}

// The keys of a sweep beside the keys of a training config.
var (
	baseKeys = []string{"model", "data", "start"} // arguments of Bases
	// testKeys are set as these keys of a config would be.
	testKeys = map[string][]string{
		"test.alpha": {"data.alpha_min", "data.alpha_max"}, "test.n": {"data.n_min", "data.n_max"},
		"test.sets": {"train.valid_sets"}, "test.fixed_k": {"data.fixed_k"},
	}
)

// bothAlphas is a key that sets data.alpha_min and data.alpha_max, and so fixes α.
const bothAlphas = "data.alpha"

// elsewhere are config keys that a sweep does not set in this way.
var elsewhere = []string{"seed", "data.source", "data.stream", "data.split"}

// ReadSpec reads a sweep file. Faults are *usererr.Error with the file.
func ReadSpec(path string) (*Spec, error) {
	text, err := fileio.ReadFile(path)
	if err != nil {
		return nil, usererr.File(path, 0, "give a sweep file, such as examples/sweeps/beta.toml",
			"cannot be read").Because(err)
	}
	return parseSpec(path, text)
}

var stem = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

func parseSpec(path string, text []byte) (*Spec, error) {
	s := &Spec{Path: path, Text: text, Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	known := []string{"name", "title", "question", "seeds", "metrics", "base", "set", "grid", "list"}
	const hint = "a sweep file has name, title, question, seeds, metrics, [base] with model, data and start, " +
		"[set] and [grid] with keys of a training, and [[list]]"
	if err := train.DecodeTOML(path, text, s, known, hint); err != nil {
		return nil, err
	}
	return s, usererr.In(path, s.check())
}

// check fills in the common assignments and the axes. It returns the first fault of the file.
func (s *Spec) check() error {
	if !stem.MatchString(s.Name) {
		return usererr.New(`write name = "beta", with letters, digits, - and _ only`,
			"sweep name %q cannot name a directory", s.Name)
	}
	for i, seed := range s.Seeds {
		if seed < 1 || slices.Contains(s.Seeds[:i], seed) {
			return usererr.New("write for example seeds = [1, 2, 3]",
				"seed %d is no whole number from 1 on, or comes twice", seed)
		}
	}
	for i, name := range s.Metrics {
		if _, err := evaluation.FindMetric(name); err != nil {
			return err
		}
		if slices.Contains(s.Metrics[:i], name) {
			return usererr.New("keep one of them", "metrics has %q twice", name)
		}
	}
	s.common = assignments{}
	if err := cmp.Or(s.common.add("", s.Base), s.common.add("", s.Set), s.common.check(true)); err != nil {
		return err
	}
	if err := s.readAxes(); err != nil {
		return err
	}
	if len(s.axes) == 0 {
		return usererr.New(`write [grid] with a key such as "loss.beta" = [0.9, 0.99], or [[list]] entries`,
			"nothing varies")
	}
	return nil
}

// add adds the values of a table and of its nested tables. Their keys begin with a prefix. It returns an error for a
// key that is set already.
func (a assignments) add(prefix string, table map[string]any) error {
	for key, value := range table {
		key = prefix + key
		if inner, ok := value.(map[string]any); ok {
			if err := a.add(key+".", inner); err != nil {
				return err
			}
			continue
		}
		if _, twice := a[key]; twice {
			return usererr.New("keep one of them", "%s is set twice", key)
		}
		a[key] = value
	}
	return nil
}

// keys lists the keys in alphabetical order.
func (a assignments) keys() []string { return slices.Sorted(maps.Keys(a)) }

// check returns an error for a key that a sweep cannot set, with the nearest key that it can, and for a value that is
// no single one. Only keys that all settings share may be of the test.
func (a assignments) check(common bool) error {
	known := slices.Concat(train.Keys(), []string{bothAlphas}, baseKeys, slices.Collect(maps.Keys(testKeys)))
	for _, key := range a.keys() {
		switch _, isTest := testKeys[key]; {
		case slices.Contains(elsewhere, key):
			return usererr.New(`write seeds = [1, 2, 3] at the top, or data = "mnist" in [base]`,
				"a sweep does not set %s", key)
		case !slices.Contains(known, key):
			hint := "see `gfncp train --show-config` for the keys, and docs/training.md for those of test"
			return usererr.New(usererr.DidYouMean(key, known, hint), "unknown key %q", key)
		case isTest && !common:
			return usererr.New("move it to [set]", "%s is one for all settings", key)
		}
		switch a[key].(type) {
		case string, int64, float64, bool:
		default:
			return usererr.New("write a number, a text or true; lists belong into [grid]",
				"%s has no single value", key)
		}
	}
	return nil
}

// readAxes adds an axis for each key of [grid], and one with the entries of [[list]].
func (s *Spec) readAxes() error {
	grid := assignments{}
	if err := grid.add("", s.Grid); err != nil {
		return err
	}
	for _, key := range grid.keys() {
		values, _ := grid[key].([]any)
		if len(values) == 0 {
			return usererr.New(fmt.Sprintf("write a list of values: %q = [ … ]", key), "%s has no list of values", key)
		}
		var axis []place
		for _, value := range values {
			axis = append(axis, place{set: assignments{key: value}})
		}
		s.axes = append(s.axes, axis)
	}
	var list []place
	for _, entry := range s.List {
		p := place{set: assignments{}}
		if label, ok := entry["label"].(string); ok {
			p.label = label
			delete(entry, "label")
		}
		if err := p.set.add("", entry); err != nil {
			return err
		}
		list = append(list, p)
	}
	if len(list) > 0 {
		s.axes = append(s.axes, list)
	}
	for _, p := range slices.Concat(s.axes...) {
		if err := p.set.check(false); err != nil {
			return err
		}
	}
	return nil
}

// words names the assignments, such as "beta = 0.99, delta = 0.6", without the data, which the table names elsewhere.
func (a assignments) words() string {
	var words []string
	for _, key := range a.keys() {
		if key != "data" {
			words = append(words, fmt.Sprintf("%s = %v", key[strings.LastIndex(key, ".")+1:], a[key]))
		}
	}
	return strings.Join(words, ", ")
}
