package sweep

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/fileio"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Spec is the content of a sweep file, before a scale is chosen.
type Spec struct {
	Path            string `toml:"-"`
	Text            []byte `toml:"-"` // the file
	Name            string
	Title, Question string
	Seeds           []uint64 // empty: as many as the scale has
	Metrics         []string // of the table; empty: NMI, ARI and MC, if a model has it
	base, set       []entry
	axes            []axis
}

type axis struct {
	key    string // of [grid]; "" for [[list]]
	line   int
	places []place
}

type place struct {
	label string // "" if the file gives none
	line  int
	set   []entry
}

// ReadSpec reads a sweep file. Faults are *usererr.Error with file and line.
func ReadSpec(path string) (*Spec, error) {
	text, err := fileio.ReadFile(path)
	if err != nil {
		return nil, usererr.File(path, 0, "give a sweep file, such as examples/sweeps/beta.toml",
			"cannot be read").Because(err)
	}
	return parseSpec(path, text)
}

func parseSpec(path string, text []byte) (*Spec, error) {
	s := &Spec{Path: path, Text: text, Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	entries, err := s.decode()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if err := s.add(e); err != nil {
			return nil, inFile(path, e.Line, err)
		}
	}
	if !stem.MatchString(s.Name) {
		return nil, usererr.File(path, 0, `write name = "beta", with letters, digits, - and _ only`,
			"sweep name %q cannot name a directory", s.Name)
	}
	if len(s.axes) == 0 {
		return nil, usererr.File(path, 0,
			`write [grid] with a key such as "loss.beta" = [0.9, 0.99], or [[list]] entries`, "nothing varies")
	}
	return s, s.checkKeys()
}

var stem = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// inFile adds the file and the line to a fault of the user that has neither.
func inFile(path string, line int, err error) error {
	if fault, ok := errors.AsType[*usererr.Error](err); ok && fault.Path == "" {
		return usererr.File(path, line, fault.Hint, "%s", fault.Msg).Because(err)
	}
	return err
}

// add checks a key of the file, and adds keys of its tables to s.
func (s *Spec) add(e entry) error {
	if all, ok := e.Value.([]any); ok && e.Key == "" && len(all) == 0 {
		return usererr.New("leave it out, or write its values", "%s is empty", e.Table)
	}
	if _, inline := e.Value.(map[string]any); inline {
		return usererr.New("write each key in a line of its own", "{ … } is not read here")
	}
	if e.isTest() && e.Table != "set" {
		return usererr.New("move it to [set]; gfncp eval tests a model in other ways",
			"%s is one for all settings", e.Key)
	}
	switch e.Table {
	case "name", "title", "question":
		return nil
	case "metrics":
		return s.checkMetrics()
	case "seeds":
		return s.checkSeeds()
	case "base":
		return assign(&s.base, e)
	case "set":
		if slices.Contains(baseKeys, e.Key) {
			return usererr.New("move it to [base]", "%s is no key of a training", e.Key)
		}
		return assign(&s.set, e)
	case "grid":
		return s.addGrid(e)
	case "list":
		return s.addListed(e)
	}
	return unknownKey(e.Table, "write it in small letters")
}

func unknownKey(key, hint string) error { return usererr.New(hint, "unknown key %q", key) }

func assign(section *[]entry, e entry) error {
	if err := checkKey(e.Key); err != nil {
		return err
	}
	switch e.Value.(type) {
	case string, int64, float64, bool:
	default:
		return usererr.New("write a number, a text or true; lists belong into [grid]", "%s has no single value", e.Key)
	}
	*section = append(*section, e)
	return nil
}

func (s *Spec) addGrid(e entry) error {
	values, _ := e.Value.([]any)
	if len(values) == 0 {
		return usererr.New(fmt.Sprintf("write a list of values: %q = [ … ]", e.Key), "%s has no list of values", e.Key)
	}
	a := axis{key: e.Key, line: e.Line}
	for _, v := range values {
		p := place{line: e.Line}
		if err := assign(&p.set, entry{Key: e.Key, Value: v, Line: e.Line}); err != nil {
			return err
		}
		if slices.ContainsFunc(a.places, func(o place) bool { return o.set[0].toml() == p.set[0].toml() }) {
			return usererr.New("keep one of them", "%s has %s twice", e.Key, p.set[0].word())
		}
		a.places = append(a.places, p)
	}
	s.axes = append(s.axes, a)
	return nil
}

// addListed adds a key of a [[list]] entry. The list is the axis without a key.
func (s *Spec) addListed(e entry) (err error) {
	if e.Item < 0 {
		return usererr.New("write each of its entries as [[list]]", "list is no array of tables")
	}
	at := slices.IndexFunc(s.axes, func(a axis) bool { return a.key == "" })
	if at < 0 {
		at = len(s.axes)
		s.axes = append(s.axes, axis{line: e.Line})
	}
	a := &s.axes[at]
	for len(a.places) <= e.Item {
		a.places = append(a.places, place{line: e.Line})
	}
	p := &a.places[e.Item]
	switch e.Key {
	case "": // the head of the entry
		return nil
	case "label":
		p.label, err = e.text()
		return err
	default:
		return assign(&p.set, e)
	}
}

func (s *Spec) checkMetrics() error {
	for i, name := range s.Metrics {
		if slices.Contains(s.Metrics[:i], name) {
			return usererr.New("keep one of them", "metrics has %q twice", name)
		}
		if _, err := evaluation.FindMetric(name); err != nil {
			return err
		}
	}
	return nil
}

func (s *Spec) checkSeeds() error {
	for i, seed := range s.Seeds {
		if seed < 1 || slices.Contains(s.Seeds[:i], seed) {
			return usererr.New("write for example seeds = [1, 2, 3]",
				"seed %d is no whole number from 1 on, or comes twice", seed)
		}
	}
	return nil
}

// checkKeys returns an error for an empty entry of [[list]], a label that comes twice, or a key that is set in two
// places.
func (s *Spec) checkKeys() error {
	labels := map[string]bool{}
	for _, a := range s.axes {
		for _, p := range a.places {
			if p.label == "" && len(p.set) == 0 {
				return usererr.File(s.Path, p.line, "give it a key, or a label for the base itself",
					"an entry of [[list]] is empty")
			}
			if labels[p.label] {
				return usererr.File(s.Path, p.line, "give each its own", "label %q comes twice", p.label)
			}
			labels[p.label] = p.label != ""
		}
	}
	owner := map[string]entry{}
	for _, e := range slices.Concat(s.base, s.set, s.varied()) {
		for _, key := range e.keys() {
			other, set := owner[key]
			besideIt := e.Table == "list" && other.Table == "list" && e.Item != other.Item
			if set && !besideIt && e.Line != other.Line {
				return usererr.File(s.Path, e.Line, "keep one of them", "%s is set in line %d and in line %d", key,
					other.Line, e.Line)
			}
			owner[key] = e
		}
	}
	return nil
}

// varied lists the assignments of the axes, place after place.
func (s *Spec) varied() (all []entry) {
	for _, a := range s.axes {
		for _, p := range a.places {
			all = append(all, p.set...)
		}
	}
	return all
}
