package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/train"
)

// sheet is the table of an experiment while it is computed, with the errors so far.
type sheet struct {
	*Lab
	*table.Table
	ctx  context.Context
	grid grid

	seen    []dataset        // data sets of the cells so far
	missing map[string]error // by data set: why it is missing; nil if it is there
	failed  error            // of all cells
	stopped error            // train.ErrInterrupted after an interruption: no further cell is begun
}

// The reasons for an empty cell that are not failures; evaluation.ErrNotOffered is another one.
var (
	errNotTrained = errors.New("not trained") // it has no weights and may not be trained
	errLeftOut    = errors.New("left out")    // it was not asked for
	errNotDrawn   = errors.New("not drawn")   // no sample is of that kind
)

// measurement holds the value for the cells of a method on a data set, or the reason why they stay empty.
type measurement[V any] struct {
	value V
	by    weights // behind it
	sets  int     // test sets behind it
	err   error
}

// measure computes the value of cells unless they are left out, lack data or are interrupted; it records an error.
func measure[V any](s *sheet, d dataset, m method, compute func(f *measurement[V]) error) (f measurement[V]) {
	if f.err = s.begin(d, m); f.err == nil {
		f.err = compute(&f)
		s.fault(d.Name+", "+m.Name, f.err)
	}
	return f
}

// measureWeights measures a method's weights for a data set.
func measureWeights[V any](s *sheet, d dataset, m method, compute func(w weights) (V, error)) measurement[V] {
	return measure(s, d, m, func(f *measurement[V]) error {
		w, err := s.weights(s.ctx, d, m)
		if err != nil {
			return err
		}
		f.by = w
		f.value, err = compute(w)
		return err
	})
}

// measureCached is measureWeights on test sets, with the value cached by the key.
func measureCached[V any](
	s *sheet, d dataset, m method, sets int, key any, compute func(w weights) (V, error),
) measurement[V] {
	f := measureWeights(s, d, m, func(w weights) (V, error) {
		return cached.Value(w.dir, key, func() (V, error) { return compute(w) })
	})
	f.sets = sets
	return f
}

// begin returns nil if a cell is to be computed, and otherwise the reason.
func (s *sheet) begin(d dataset, m method) error {
	if !slices.Contains(s.seen, d) {
		s.seen = append(s.seen, d)
	}
	switch {
	case s.stopped != nil:
		return s.stopped
	case !s.wants(d, m):
		return errLeftOut
	}
	missing, known := s.missing[d.Name]
	if !known {
		_, missing = sources.PoolOf(s.Scale.test(d, 0).Data)
		s.missing[d.Name] = missing
		s.failed = errors.Join(s.failed, missing)
	}
	return missing
}

// fault records why cells are empty. A nil error is ignored.
func (s *sheet) fault(cells string, err error) {
	switch {
	case err == nil || errors.Is(err, errNotTrained) || errors.Is(err, errLeftOut):
	case errors.Is(err, train.ErrInterrupted):
		s.stopped = err
	default:
		s.failed = errors.Join(s.failed, fmt.Errorf("%s: %w", cells, err))
	}
}

// reason returns the note of an empty cell.
func reason(err error) string {
	for _, known := range []error{errLeftOut, errNotTrained, errNotDrawn, evaluation.ErrNotOffered} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	if errors.Is(err, sources.ErrMissing) {
		return "no data"
	}
	return "failed"
}

// scored returns the measurement of a value's scores.
func scored[V any](f measurement[V], scores func(v V) evaluation.Scores) measurement[evaluation.Scores] {
	g := measurement[evaluation.Scores]{by: f.by, sets: f.sets, err: f.err}
	if f.err == nil {
		g.value = scores(f.value)
	}
	return g
}

// add adds a cell for each of some scores, or with the reason why it is empty. A cell about a single set has no test
// sets.
func (s *sheet) add(cell table.Cell, f measurement[evaluation.Scores], names ...string) {
	for _, name := range names {
		c := cell
		c.Metric = name
		if f.err == nil {
			c.Scale, c.Weights = f.by.name, f.by.sums
			if f.sets > 1 {
				c.Backend, c.TestSets, c.Seeds = s.BackendName, f.sets, []uint64{1}
			}
		}
		if v, known := f.value[name]; known && f.err == nil {
			c.Ours = &table.Value{Mean: v, N: 1}
		} else {
			c.Note = reason(cmp.Or(f.err, evaluation.ErrNotOffered))
		}
		s.Table.Cells = append(s.Table.Cells, c)
	}
}

// results are the outcomes of a method on a data set, one for each run or for shipped weights.
type results = measurement[[]outcome]

// means adds a cell for each of some scores, with its mean over the outcomes that have it, or with the reason why it is
// empty.
func (s *sheet) means(cell table.Cell, r results, names ...string) {
	for _, name := range names {
		c := cell
		c.Metric = name
		with := slices.DeleteFunc(slices.Clone(r.value), func(o outcome) bool {
			_, has := o.scores[name]
			return !has
		})
		if len(with) == 0 {
			c.Note, c.TestSets = cmp.Or(c.Note, reason(r.err)), 0
		} else {
			s.fillMean(&c, with)
		}
		s.Table.Cells = append(s.Table.Cells, c)
	}
}

// fillMean fills in the mean of a cell's metric, and how the outcomes came about.
func (s *sheet) fillMean(c *table.Cell, all []outcome) {
	var values, seconds []float64
	for _, o := range all {
		values, seconds = append(values, o.scores[c.Metric]), append(seconds, o.seconds)
		c.Seeds, c.Weights = append(c.Seeds, o.seed), append(c.Weights, o.sums...)
	}
	c.Ours, c.Seconds = table.MeanOf(values), stat.Mean(seconds, nil)
	first := all[0]
	c.Scale, c.Backend = first.name, s.BackendName
	c.Steps, c.TestSets, c.Trained = first.steps, cmp.Or(c.TestSets, first.sets), first.trained
	switch {
	case first.Model == nil:
		c.Scale = "no training"
		return
	case !first.shipped && len(values) < s.Seeds:
		c.Note = fmt.Sprintf("%d of %d seeds", len(values), s.Seeds)
	}
	c.Selection, c.SetsSeen = first.Card.Selected, first.steps*first.Config.Data.Batch
}

func (s *sheet) note(format string, args ...any) { s.Table.Note(format, args...) }

// finish adds the footnotes about the data, about the user's changes, and about single cells.
func (s *sheet) finish() {
	for _, d := range s.seen {
		if d.standsIn() {
			s.note(standInNote)
			break
		}
	}
	for _, d := range s.seen {
		if errors.Is(s.missing[d.Name], sources.ErrMissing) {
			s.note("No data for %s: run `gfncp data fetch %s`, or set GFNCP_DATA to the folder that holds it.",
				d.Name, d.Source)
		}
	}
	of := ""
	if len(s.Only) > 0 {
		of = " of " + strings.Join(s.Only, ", ")
		s.note("Limited to %s.", strings.Join(s.Only, ", "))
	}
	if len(s.Overrides) > 0 {
		s.note("Changed from the scale's own setting%s: %s.", of, strings.Join(s.Overrides, ", "))
	}
}
