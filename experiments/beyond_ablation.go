package experiments

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/train"
)

// ablation is a study that trains on mixtures in many ways and sets them side by side. Ways with the same config
// share a run, also between studies.
type ablation struct {
	groups   func(s Scale) []ablationGroup
	metrics  []string         // of a Quality
	measures []ablationMetric // beyond it
	curves   []validationCurve
	notes    func(s *sheet)
}

// ablationGroup is a part of the table, and of the figures: rows that are compared with each other.
type ablationGroup struct {
	Name string        // of the table's data
	File string        // begins the figures' names; may be empty
	Rows []NamedConfig // before the seed is set
}

// ablated is what came of one row.
type ablated struct {
	name     string       // of its runs
	config   train.Config // with the lab's overrides, before the seed is set
	outcomes []outcome
	diverged []*train.NonFiniteError
	measured [][]float64 // [measures][outcomes]
}

func (a ablation) experiment(e Experiment) Experiment {
	e.Section, e.Configs, e.run = "beyond the paper", a.configs, a.run
	return e
}

func (a ablation) configs(s Scale) (all []NamedConfig) {
	for _, group := range a.groups(s) {
		for _, row := range group.Rows {
			all = append(all, NamedConfig{group.Name + ", " + row.Name, row.Config})
		}
	}
	return all
}

// ablation is how a method is trained in an ablation: in less time than for the tables, since there are many rows.
func (s Scale) ablation(m method) train.Config {
	c := s.config(mogData, m, 0)
	switch s {
	case Smoke:
		c.Data.Batch, c.Data.NMin, c.Data.NMax = 4, 10, 20
		c.Train.Steps, c.Train.ValidEvery, c.Train.CheckpointEvery = 30, 10, 30
	case Small, Night:
		c.Data = smallSets(c.Data)
		c.Data.Batch, c.Train.Steps, c.Train.ValidEvery = 16, 300, 50
	}
	if m.Start == StartWarm {
		c.Train.WarmupSteps = c.Train.Steps / 2
	}
	return c
}

// ablationTest is where every row is tested. At the smaller scales its sets are about as large as those of the
// training.
func (s Scale) ablationTest() evaluation.Test {
	t := s.test(mogData, 0)
	if points := at(s, 20, 50, 0); points > 0 {
		t.Data.NMin, t.Data.NMax = points, points
	}
	return t
}

func (a ablation) run(s *sheet) error {
	a.notes(s)
	if err := noteAlone(s); err != nil {
		return err
	}
	for _, group := range a.groups(s.Scale) {
		var runs []validated
		for _, row := range group.Rows {
			s.say("%s: %s, %s", s.Table.ID, group.Name, row.Name)
			m := method{Name: group.Name + ", " + row.Name, Model: row.Config.Model}
			r := measure(s, mogData, m, func(r *measurement[ablated]) error {
				return a.ablate(s, row.Config, &r.value)
			})
			a.addCells(s, group, row, r)
			if validations, err := s.validations(r.value.name, r.value.config); err == nil {
				runs = append(runs, validated{row.Name, validations})
			}
		}
		s.Figures = append(s.Figures, curveFigures(a.curves, group.File, group.Name, runs)...)
	}
	return nil
}

// ablate trains a config under every seed and evaluates it. A seed that diverges is a result, not a failure.
func (a ablation) ablate(s *sheet, c train.Config, r *ablated) (err error) {
	if r.config, err = s.overridden(c); err != nil {
		return err
	}
	r.name = ablationRun(r.config)
	outcomes, err := s.seeds(s.ctx, r.name, r.config, s.Scale.ablationTest())
	r.diverged = divergences(err)
	if err != nil && len(outcomes)+len(r.diverged) < s.Seeds {
		return err
	}
	for _, m := range a.measures {
		values := make([]float64, len(outcomes))
		for i, o := range outcomes {
			if values[i], err = m.Of(s, o.weights); err != nil {
				return fmt.Errorf("%s: seed %d: %w", m.Metric, o.seed, err)
			}
		}
		r.measured = append(r.measured, values)
	}
	r.outcomes = outcomes
	return nil
}

// ablationRun names the runs of a config. It depends on the config alone, so that the same row of two groups is one
// run.
func ablationRun(c train.Config) string {
	name := "ablation-" + c.Model
	if c.Model == train.GFNCP {
		name += "-" + cmp.Or(c.Loss.Balance, losses.MC)
	}
	if c.Train.WarmupSteps > 0 {
		name += "-warm"
	}
	return name
}

// divergences lists the runs in a tree of errors that ended because a loss was no longer a number.
func divergences(err error) (found []*train.NonFiniteError) {
	switch e := err.(type) {
	case *train.NonFiniteError:
		return append(found, e)
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			found = append(found, divergences(part)...)
		}
	case interface{ Unwrap() error }:
		return divergences(e.Unwrap())
	}
	return found
}

// addCells adds the means of a row's numbers over its seeds, or why there are none, and a footnote about each seed
// that diverged.
func (a ablation) addCells(s *sheet, group ablationGroup, row NamedConfig, f measurement[ablated]) {
	cell, r := table.Cell{Data: group.Name, Model: row.Name}, f.value
	var steps []string
	for _, e := range r.diverged {
		steps = append(steps, fmt.Sprint(e.Step))
		s.note("%s, %s: seed %d diverged at step %d of %d (loss %g, gradient norm %g).",
			group.Name, row.Name, e.Seed, e.Step, r.config.Train.Steps, e.Loss, e.Norm)
	}
	if len(r.outcomes) == 0 && len(steps) > 0 {
		cell.Note = "diverged, step " + strings.Join(steps, ", ")
	}
	all := results{value: r.outcomes, err: f.err}
	s.metrics(cell, all, a.metrics...)
	for i, m := range a.measures {
		cell.Data, cell.Metric = fmt.Sprintf("%s, N = %d", group.Name, m.Points), m.Metric
		next := 0
		s.means(cell, all, func(outcome) float64 { next++; return r.measured[i][next-1] })
		if len(r.outcomes) > 0 {
			s.Table.Cells[len(s.Table.Cells)-1].TestSets = m.Sets(s.Scale)
		}
	}
}

// noteAlone says what the labels score that every training begins with or comes by: NMI is far from 0 there.
func noteAlone(s *sheet) error {
	if s.plan != nil {
		return nil
	}
	t := s.Scale.ablationTest()
	source, err := data.NewMoG(t.Data)
	if err != nil {
		return err
	}
	q, err := evaluation.Labels(s.ctx, source, t.Seed, t.Sets, func(_ int, batch *data.Batch) ([][]int32, error) {
		return slices.Repeat([][]int32{posterior.Singletons(batch.N)}, batch.B), nil
	})
	s.note("Labels that do not depend on the data: on these test sets each point in a cluster of its own has NMI "+
		"%.3f and ARI %.3f, all points in one cluster have 0 and 0.", q.NMI, q.ARI)
	return err
}

// ablationMetric is a number about weights, on sets of its own.
type ablationMetric struct {
	Metric string
	Points int // N
	Sets   func(s Scale) int
	Of     func(s *sheet, w weights) (float64, error)
}

// Measures of an ablation that cost more than a Quality: order dependence, and the distance to the exact posterior.
var (
	sdppMetric      = ablationMetric{"SDPP", evaluation.SDPPPoints, Scale.ablationSDPPSets, ablationSDPP}
	exactnessMetric = ablationMetric{"KL a point", exactPoints, Scale.ablationLawSets, ablationExactness}
)

// ablationSDPPSets is the number of sets behind SDPP, each in ablationOrders.
func (s Scale) ablationSDPPSets() int { return at(s, 2, 15, 300) }

func (s Scale) ablationOrders() int { return at(s, 50, evaluation.SDPPOrders, evaluation.SDPPOrders) }

func (s Scale) ablationLawSets() int { return at(s, 2, 50, 200) }

// ablationSets are sets of the training's own prior.
func ablationSets(points, sets int) evaluation.Test {
	return evaluation.Test{Data: data.DefaultMoG().HeldOut(mogData.Alpha, points, 0), Sets: sets, Seed: testSeed}
}

// ablationSDPP is the mean SDPP of weights on the data's labels.
func ablationSDPP(s *sheet, w weights) (float64, error) {
	where := ablationSets(evaluation.SDPPPoints, s.Scale.ablationSDPPSets())
	rule := evaluation.SDPP{Labels: evaluation.DataLabels, Orders: s.Scale.ablationOrders(), Seed: testSeed}
	return cached.Value(w.dir, []any{"sdpp", where, rule}, func() (float64, error) {
		r, err := s.reader(w, where.Data)
		if err != nil {
			return 0, err
		}
		values, err := rule.Values(s.ctx, r, 0, 0, where.Sets)
		return stat.Mean(values, nil), err
	})
}

// ablationExactness is KL(exact‖model) of weights in nats a point.
func ablationExactness(s *sheet, w weights) (float64, error) {
	where := ablationSets(exactPoints, s.Scale.ablationLawSets())
	e, err := cached.Value(w.dir, []any{"law", where}, func() (evaluation.Exactness, error) {
		net, err := w.Network(s.Backend)
		if err != nil {
			return evaluation.Exactness{}, err
		}
		return evaluation.Probabilities{Network: net}.AgainstEnumeration(s.ctx, where)
	})
	return e.KL / exactPoints, err
}

// validationCurve is a number of a run's validations, drawn over the steps of training.
type validationCurve struct {
	File, Title, YLabel string
	LogY                bool
	Of                  func(v train.Validation) float64
}

var (
	nmiCurve = validationCurve{
		File: "nmi", Title: "Agreement with the true clusters of validation sets", YLabel: "NMI of greedy decoding",
		Of: func(v train.Validation) float64 { return v.NMI },
	}
	clustersCurve = validationCurve{
		File: "clusters", Title: "Clusters found in validation sets, over true ones", YLabel: "ratio", LogY: true,
		Of: func(v train.Validation) float64 { return v.Found / v.Truth },
	}
)

type validated struct {
	name        string // in a figure
	validations []train.Validation
}

// validations are those of a config's run with the first seed.
func (l *Lab) validations(run string, c train.Config) ([]train.Validation, error) {
	c.Seed = 1
	return train.ReadValidations(l.dir(run, c))
}

// curveFigures draws curves of several runs, and nothing of none. File begins the figures' names, group names what they
// belong to; both may be empty.
func curveFigures(curves []validationCurve, file, group string, runs []validated) (figures []table.Figure) {
	if len(runs) == 0 {
		return nil
	}
	for _, c := range curves {
		picture := figure.NewChart(c.Title, "training step", c.YLabel)
		picture.Panels[0].LogY = c.LogY
		for _, r := range runs {
			series := figure.Series{Name: r.name}
			for _, v := range r.validations {
				series.X, series.Y = append(series.X, float64(v.Step)), append(series.Y, c.Of(v))
			}
			picture.Add(series)
		}
		figures = append(figures, table.Figure{
			Name:    strings.TrimPrefix(file+"-"+c.File, "-"),
			Caption: strings.TrimPrefix(group+": "+c.Title+", over the steps of training (seed 1).", ": "),
			Picture: picture,
		})
	}
	return figures
}
