package clustering

import (
	"cmp"
	"fmt"
	"math"

	"github.com/gfncp/gfncp/data/tabular"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Choice says whether a model was taken, and why.
type Choice struct {
	Model string `json:"model"`
	Taken bool   `json:"taken"`
	Why   string `json:"why"`
	// Unchecked is whether it answers because none explains the points, so that nothing checked how well it fits them.
	Unchecked bool `json:"unchecked,omitempty"`
}

// String is a note on the choice.
func (c Choice) String() string {
	if c.Taken {
		return fmt.Sprintf("model %s: %s", c.Model, c.Why)
	}
	return fmt.Sprintf("not model %s: %s", c.Model, c.Why)
}

// Candidates are the names of the models that there are for points: of the plane, of any table, and of exact sampling.
type Candidates struct {
	Plane, Table, Exact string
	// TableMost is the most points of a set that Table was trained on; 0 if that is not known.
	TableMost int
}

// Ways are the models that suit some points: the known ones, whose posterior is known, and the one to take if none of
// them explains the points.
type Ways struct {
	Known    []string
	Fallback string
	// Beyond is whether the points are more than any set that the fallback was trained on. What describes them is then
	// better than the fallback, even if its chains do not agree yet.
	Beyond bool
}

// Ways are the models that suit n points.
func (m Candidates) Ways(plane bool, n int, o Options) Ways {
	beyond := m.TableMost > 0 && n > m.TableMost
	switch {
	case plane && o.needsNetwork():
		return Ways{Fallback: m.Plane}
	case plane && n <= MaxRefined:
		return Ways{[]string{m.Plane, m.Exact}, m.Table, beyond}
	case plane:
		return Ways{Known: []string{m.Exact}, Fallback: m.Plane}
	case o.needsNetwork():
		return Ways{Fallback: m.Table}
	}
	return Ways{[]string{m.Exact}, m.Table, beyond}
}

// Candidate is what a model found.
type Candidate interface {
	Refinement() *Refinement
	// LogDensity is log p(c,x) of the most probable clustering, of points in the units of the file
	// (Result.LogDensity).
	LogDensity() float64
}

// LogDensity is log p(c,x), in nats, of the most probable clustering that a refinement drew of points with d
// coordinates, in the units that they had before they were scaled and encoded; e is nil for those that were not.
func (r *Result) LogDensity(d int, e *tabular.Encoding) float64 {
	n := float64(len(r.Samples[0].Labels))
	log := n * float64(d) * math.Log(r.ScaleFactor)
	if e != nil {
		for _, column := range e.Columns {
			if column.Scale > 0 {
				log += n * math.Log(column.Scale)
			}
		}
	}
	return log + r.Samples[0].LogProb
}

// attempt is a model that was tried: what it found, if it takes the points.
type attempt[C Candidate] struct {
	Choice
	found   C
	took    bool
	density float64
	// unsettled says that it describes the points though its chains do not agree; "" if not.
	unsettled string
}

// ChooseBest clusters by the model that explains the points best, of which by tells what it finds: of the known ones,
// or else by the fallback, the last one that is asked. Beyond what the fallback was trained on, a model that describes
// the points is taken though its chains do not agree. Where none explains them and the fallback cannot take them, the
// best of what was found is better than nothing. There are no choices if there was nothing to choose.
//
// What the first model of all refuses is refused if strict; so is what the fallback refuses if nothing else was found.
func ChooseBest[C Candidate](
	w Ways, strict bool, by func(model string, last bool) (C, error),
) (found C, choices []Choice, err error) {
	attempts, fault := attemptAll(w.Known, by)
	if fault != nil && (!usererr.Is(fault) || strict && !attempts[0].took) {
		return found, nil, fault
	}
	best := bestOf(attempts, func(t *attempt[C]) bool { return t.Taken })
	if best == nil && w.Beyond {
		best = bestOf(attempts, func(t *attempt[C]) bool { return t.unsettled != "" })
		if best != nil {
			best.Taken = true
			best.Why = fmt.Sprintf("%s, and model %s was trained on smaller sets", best.unsettled, w.Fallback)
		}
	}
	if best != nil {
		return best.found, choicesOf(attempts, best), nil
	}
	found, err = by(w.Fallback, true)
	best = bestOf(attempts, func(*attempt[C]) bool { return true })
	if err != nil && usererr.Is(err) && best != nil {
		best.Taken, best.Why = true, best.Why+"; but nothing else takes the points"
		return best.found, append(choicesOf(attempts, best), Choice{Model: w.Fallback, Why: err.Error()}), nil
	}
	if err != nil {
		return found, nil, cmp.Or(fault, err)
	}
	if len(attempts) > 0 {
		choices = append(choicesOf(attempts, nil),
			Choice{w.Fallback, true, "no other model explains the points", true})
	}
	return found, choices, nil
}

// Unchecked warns where the fallback answers because none of the models whose fit can be checked explains the points;
// "" where one does, or where there was nothing to choose.
func Unchecked(choices []Choice) (warning string) {
	for _, c := range choices {
		if c.Unchecked {
			return fmt.Sprintf("no model whose fit can be checked describes these points: they may look like nothing "+
				"that model %s has seen, and then its numbers mean little", c.Model)
		}
	}
	return ""
}

// attemptAll clusters by models whose posterior is known; Taken says which of them explain the points. fault is the
// first model's that cannot take them, or what ends the work.
func attemptAll[C Candidate](
	known []string, by func(model string, last bool) (C, error),
) (attempts []*attempt[C], fault error) {
	for _, name := range known {
		t := &attempt[C]{Choice: Choice{Model: name}}
		found, err := by(name, false)
		if err == nil {
			t.found, t.took, t.density = found, true, found.LogDensity()
			t.Why, t.Taken = found.Refinement().Explains()
			t.unsettled, _ = found.Refinement().Unsettled()
		} else if t.Why = err.Error(); !usererr.Is(err) {
			return nil, err
		}
		attempts, fault = append(attempts, t), cmp.Or(fault, err)
	}
	return attempts, fault
}

// bestOf is the attempt, among those that found something such, whose most probable clustering is the most probable;
// nil if there is none.
func bestOf[C Candidate](attempts []*attempt[C], such func(*attempt[C]) bool) (best *attempt[C]) {
	for _, t := range attempts {
		if t.took && such(t) && (best == nil || t.density > best.density) {
			best = t
		}
	}
	return best
}

// choicesOf says of each attempt why it was taken or not; the others that explain the points, too, do so less well.
func choicesOf[C Candidate](attempts []*attempt[C], best *attempt[C]) (choices []Choice) {
	for _, t := range attempts {
		if t != best && t.Taken {
			t.Taken = false
			t.Why = fmt.Sprintf("explains the points less well: log p(c,x) is %.1f lower", best.density-t.density)
		}
		choices = append(choices, t.Choice)
	}
	return choices
}
