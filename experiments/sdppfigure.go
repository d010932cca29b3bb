package experiments

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/train"
)

// sdppFigure is figure 1 or 5: the distribution of SDPP over sets, by model, data set and rule for the labels.
type sdppFigure struct {
	id, title, section string
	built, expect      string
	sets               func() []dataset
	xMax               float64 // where the paper's axis ends
}

const sdppShows = "how much the models' probabilities depend on the order of the data, set by set"

func (f sdppFigure) experiment() Experiment {
	return Experiment{
		ID: f.id, Title: f.title, Section: f.section, Shows: sdppShows,
		Built: f.built, Expect: f.expect,
		run:     f.run,
		configs: f.configs,
	}
}

func (f sdppFigure) configs(s Scale) (all []NamedConfig) {
	for _, d := range f.sets() {
		for _, m := range sdppMethods {
			all = append(all, NamedConfig{d.Name + ", " + m.Name, s.config(d, m, 0)})
		}
	}
	return all
}

var (
	// sdppMethods are the models of the paper's figures, GFNCP under both ways to start.
	sdppMethods = []method{ncp, coldGFNCP, warmGFNCP}
	labelRules  = []evaluation.LabelRule{evaluation.DataLabels, evaluation.LikelyLabels}
)

// sdppSize is the number of sets behind a histogram and of the orders of each (paper: 1,000 and 500).
func (s Scale) sdppSize(d dataset) (sets, orders int) {
	switch {
	case s == Smoke:
		return 8, 50
	case s == Small && d.Features: // of two data sets
		return 20, evaluation.SDPPOrders
	case s == Small:
		return 100, evaluation.SDPPOrders
	}
	return 1000, evaluation.SDPPOrders
}

// sdppResult is SDPP of one model on one data set: the values of the sets by rule, or why there are none.
type sdppResult struct {
	values map[evaluation.LabelRule][]float64
	from   origin
	err    error
}

func (f sdppFigure) run(ctx context.Context, lab *Lab) (*Product, error) {
	p := &Product{Table: &table.Table{ID: f.id, Title: f.title, Caption: sdppShows, Provenance: lab.Provenance}}
	var failed error
	for _, d := range f.sets() {
		results, err := f.measure(ctx, lab, d)
		if errors.Is(err, train.ErrInterrupted) {
			return nil, err
		}
		failed = errors.Join(failed, err)
		for _, rule := range labelRules {
			cells, err := f.cells(lab, d, rule, results)
			if err != nil {
				return nil, err
			}
			p.Table.Cells = append(p.Table.Cells, cells...)
			figure, err := f.figure(d, rule, results)
			if err != nil {
				return nil, err
			}
			if figure != nil {
				p.Figures = append(p.Figures, *figure)
			}
		}
	}
	p.Table.Footnotes = f.notes(lab)
	return p, failed
}

// measure finds or computes SDPP of every method on a data set. The error says what failed; missing data once.
func (f sdppFigure) measure(ctx context.Context, lab *Lab, d dataset) (map[string]sdppResult, error) {
	results := map[string]sdppResult{}
	var noData error
	if lab.wantsAny(d, sdppMethods, 0) {
		_, noData = sources.PoolOf(lab.Scale.test(d, 0).Data)
	}
	failed := noData
	for _, m := range sdppMethods {
		r := sdppResult{err: noData}
		if !lab.wants(d, m) {
			r.err = errLeftOut
		} else if noData == nil {
			r.values, r.from, r.err = lab.sdpp(ctx, d, m)
			if errors.Is(r.err, train.ErrInterrupted) {
				return nil, r.err
			}
			if r.err != nil && !errors.Is(r.err, errNotTrained) {
				failed = errors.Join(failed, fmt.Errorf("%s, %s: %w", d.Name, m.Name, r.err))
			}
		}
		results[m.Name] = r
	}
	return results, failed
}

// sdpp measures a method on a data set. GFNCP from scratch is shown where a table has trained it, but not trained for this figure
// alone.
func (l *Lab) sdpp(ctx context.Context, d dataset, m method) (map[evaluation.LabelRule][]float64, origin, error) {
	if m == coldGFNCP && l.Train == TrainMissing {
		quiet := *l
		quiet.Train = TrainNever
		l = &quiet
	}
	model, from, err := l.weights(ctx, d, m, 0)
	if err != nil {
		return nil, from, err
	}
	c := l.Scale.test(d, 0).Data
	c.NMin, c.NMax = evaluation.SDPPPoints, evaluation.SDPPPoints
	open := sync.OnceValues(func() (*evaluation.Reader, error) { return l.sdppReader(model, c) })
	values := map[evaluation.LabelRule][]float64{}
	sets, orders := l.Scale.sdppSize(d)
	for _, labels := range labelRules {
		l.say("SDPP of %s on %s, %s: %d sets in %d orders", m.Name, d.Name, sdppWords[labels], sets, orders)
		rule := evaluation.SDPP{Labels: labels, Orders: orders, Seed: testSeed}
		if values[labels], err = keptSDPP(ctx, rule, from.dir, c, sets, open); err != nil {
			return nil, from, err
		}
	}
	return values, from, nil
}

// sdppReader opens a source of test sets for a model.
func (l *Lab) sdppReader(m *train.Model, c data.Config) (*evaluation.Reader, error) {
	source, err := sources.Source(c)
	if err != nil {
		return nil, err
	}
	net, err := m.Network(l.Backend)
	if err != nil {
		return nil, err
	}
	return &evaluation.Reader{Net: net, Source: source}, nil
}

// sdppSteps is the number of steps, batches of sets, that are measured and kept together.
const sdppSteps = 5

// keptSDPP returns the values of the first sets of a source, or those that earlier calls left in dir: an interrupted figure goes on, and
// more sets continue fewer. The reader is opened only if something is missing.
func keptSDPP(ctx context.Context, rule evaluation.SDPP, dir string, c data.Config, sets int, open func() (*evaluation.Reader, error)) ([]float64, error) {
	var values []float64
	for step := 0; len(values) < sets; step += sdppSteps {
		count := min(sdppSteps*c.Batch, sets-len(values))
		some, err := kept(dir, []any{"sdpp", rule, c, step, count}, func() ([]float64, error) {
			r, err := open()
			if err != nil {
				return nil, err
			}
			return rule.Values(ctx, r, step, len(values), count)
		})
		if err != nil {
			return nil, err
		}
		values = append(values, some...)
	}
	return values, nil
}
