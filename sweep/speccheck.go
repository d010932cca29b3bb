package sweep

import (
	"fmt"
	"slices"

	"github.com/gfncp/gfncp/internal/usererr"
)

// checkKeys reports an empty entry of [[list]], a label that comes twice, and a key that is set in two places.
func (s *Spec) checkKeys() error {
	if len(s.axes) == 0 {
		return s.checkOnlyJobs()
	}
	owner := map[string]string{}
	claim := func(a assignment, by string) error {
		for _, key := range a.keys() {
			if other, ok := owner[key]; ok && other != by {
				return usererr.File(s.Path, a.Line, "keep one of them", "%s is set in %s and in %s", key, other, by)
			}
			owner[key] = by
		}
		return nil
	}
	for _, a := range slices.Concat(s.base, s.set) {
		by := fmt.Sprintf("line %d", a.Line)
		if a.Line == 0 {
			by = "--set"
		}
		if err := claim(a, by); err != nil {
			return err
		}
	}
	for _, a := range s.axes {
		by := fmt.Sprintf("line %d", a.line)
		if a.key == "" {
			by = "[[list]]"
			if err := s.checkEntries(a.places); err != nil {
				return err
			}
		}
		for _, p := range a.places {
			for _, one := range p.set {
				if err := claim(one, by); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkEntries reports what is wrong with the entries of [[list]] by themselves.
func (s *Spec) checkEntries(entries []place) error {
	labels := map[string]bool{}
	for _, p := range entries {
		if p.label == "" && len(p.set) == 0 {
			return usererr.File(s.Path, p.line, "give it a key, or a label for the base itself", "an entry of [[list]] is empty")
		}
		if p.label != "" && labels[p.label] {
			return usererr.File(s.Path, p.line, "give each its own", "label %q comes twice", p.label)
		}
		labels[p.label] = true
		keys := map[string]bool{}
		for _, a := range p.set {
			for _, key := range a.keys() {
				if keys[key] {
					return usererr.File(s.Path, a.Line, "keep one of them", "an entry of [[list]] sets %s twice", key)
				}
				keys[key] = true
			}
		}
	}
	return nil
}
