package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/train"
)

// ablationLoss trains on mixtures by each objective and compares the results.
var ablationLoss = Experiment{
	ID: "ablation-loss", Title: "Objectives on the same energies", Section: "beyond the paper",
	Shows: "what marginal consistency brings over the balance losses of flow networks",
	Built: "MoG for the likelihood, MC by the text and by the published code, DB, TB and SubTB from scratch, MC and " +
		"TB with a warm start, and likelihood with consistency of free flows",
	Expect: "smoke: half a minute on 2 cores",
	configs: func(s Scale) (all []NamedConfig) {
		for _, row := range s.lossRows() {
			all = append(all, NamedConfig{mogData.Name + ", " + row.Name, row.Config})
		}
		return all
	},
	run: runAblationLoss,
}

// lossRows lists each loss from scratch, then two losses after a likelihood warm-up, then free flows.
func (s Scale) lossRows() []NamedConfig {
	rows := []NamedConfig{{"Likelihood (NCP)", s.ablation(ncp)}}
	add := func(name, balance string, from method) {
		c := s.ablation(from)
		c.Loss.Balance = balance
		rows = append(rows, NamedConfig{name, c})
	}
	add("MC (paper)", "", coldGFNCP)
	add("MC (published)", "", codeGFNCP)
	for _, b := range losses.Balances()[1:] {
		add(b.Title, b.Name, coldGFNCP)
	}
	add("MC, warm start", "", warmGFNCP)
	add("TB, warm start", losses.TB, warmGFNCP)
	free := s.ablation(coldGFNCP)
	free.Loss = losses.FreeFlows()
	return append(rows, NamedConfig{"Flow consistency", free})
}

// ablation returns the config of a method in an ablation. Below paper scale it is less work than in the tables.
func (s Scale) ablation(m method) train.Config {
	c := s.config(mogData, m, 0)
	switch s {
	case Smoke:
		c.Data.Batch, c.Data.NMin, c.Data.NMax = 4, 10, 20
		c.Train.Steps, c.Train.ValidEvery, c.Train.CheckpointEvery = 30, 10, 30
	case Small, Night:
		c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Train.Steps, c.Train.ValidEvery = 16, 20, 50, 300, 50
	}
	if m.Start == StartWarm {
		c = c.HalfWarm()
	}
	return c
}

// ablationTest returns the test of every row; below paper scale its sets are as large as the largest training sets.
func (s Scale) ablationTest() evaluation.Test {
	t := s.test(mogData, 0)
	if points := at(s, 20, 50, 0); points > 0 {
		t.Data.NMin, t.Data.NMax = points, points
	}
	return t
}

func runAblationLoss(s *sheet) error {
	noteLosses(s)
	for _, row := range s.Scale.lossRows() {
		s.say("%s: %s", s.Table.ID, row.Name)
		m := method{Name: row.Name, Model: row.Config.Model}
		var diverged []*train.NonFiniteError
		r := measure(s, mogData, m, func(r *results) (err error) {
			r.value, diverged, err = s.ablated(row.Config)
			return err
		})
		s.addAblated(row.Name, r, diverged)
	}
	return nil
}

// ablated trains a config under every seed and evaluates it. A seed that diverges is a result, not a failure.
func (s *sheet) ablated(c train.Config) (outcomes []outcome, diverged []*train.NonFiniteError, err error) {
	if c, err = s.overridden(c); err != nil {
		return nil, nil, err
	}
	outcomes, failed := s.seeds(s.ctx, ablationRun(c), c, s.Scale.ablationTest())
	for _, fault := range failed {
		e, ok := errors.AsType[*train.NonFiniteError](fault)
		if !ok {
			return nil, nil, errors.Join(failed...)
		}
		diverged = append(diverged, e)
	}
	for _, o := range outcomes {
		scores, err := s.ablationScores(o.weights)
		if err != nil {
			return nil, diverged, fmt.Errorf("seed %d: %w", o.seed, err)
		}
		maps.Copy(o.scores, scores)
	}
	return outcomes, diverged, nil
}

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

// addAblated adds the means of a row's numbers over its seeds, or the reason for empty cells, and the seeds that
// diverged.
func (s *sheet) addAblated(name string, r results, diverged []*train.NonFiniteError) {
	cell := table.Cell{Data: mogData.Name, Model: name}
	var steps []string
	for _, e := range diverged {
		steps = append(steps, fmt.Sprint(e.Step))
		s.note("%s, %s: seed %d diverged at step %d (loss %g, gradient norm %g).",
			mogData.Name, name, e.Seed, e.Step, e.Loss, e.Norm)
	}
	if len(r.value) == 0 && len(steps) > 0 {
		cell.Note = "diverged, step " + strings.Join(steps, ", ")
	}
	s.means(cell, r, "NMI", "ARI", "MC", "MC_last")
	for _, name := range []string{"SDPP", "KL a point", "ECE"} {
		t := s.Scale.ablationLaw()
		if name == "SDPP" {
			t = s.Scale.ablationOrders()
		}
		cell.Data, cell.TestSets = fmt.Sprintf("%s, N = %d", mogData.Name, t.Data.NMax), t.Sets
		s.means(cell, r, name)
	}
}

func noteLosses(s *sheet) {
	c, where := s.Scale.ablation(coldGFNCP), s.Scale.ablationTest()
	s.note(`Trained on MoG, CRP(%g): %d sets a step with N = %d..%d, %d steps, no shipped weights (paper: 64 sets, 100..1000,
		5,000 steps). Test: %d sets of %d points, greedy decoding, weights of lowest validation loss, which is each row's own
		loss.`, mogData.Alpha, c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Train.Steps, where.Sets, where.Data.NMin)
	s.note(`All rows but the first and the last keep CD, Reg and the gauge as the paper's objective has them; only the loss that asks for
		balanced flows differs. DB is MC, term by term (docs/training.md): their rows differ by rounding alone, which shows what
		rounding does to a run.

		Warm start: half of the steps by likelihood, then the full objective with a likelihood term of weight 1. MC (published):
		merges of whole clusters, with Reg on data steps alone, and clamped flows, as the authors' code has them. Flow consistency:
		likelihood with the balance of free flows (docs/objective.md), on the paper's network.

		MC is the exact sum over n = 2..N on the true labels, whatever the training minimizes, and MC_last its term n = N. SDPP:
		%d sets of %d points, %d orders, the data's labels. KL a point: KL(exact‖model) in nats a point on %d sets of %d points,
		where the posterior of CRP(%g) is enumerated; ECE is the calibration error of the probabilities that two of these points are
		together. Such sets are smaller than any of the training.`,
		s.Scale.ablationOrders().Sets, evaluation.SDPPPoints, s.Scale.ablationRule().Orders,
		s.Scale.ablationLaw().Sets, exactPoints, mogData.Alpha)
}

// ablationSets are sets of the training's own prior.
func ablationSets(points, sets int) evaluation.Test {
	return evaluation.Test{Data: data.DefaultMoG().HeldOut(mogData.Alpha, points, 0), Sets: sets, Seed: testSeed}
}

// ablationOrders describes the sets on which SDPP is measured, by ablationRule.
func (s Scale) ablationOrders() evaluation.Test {
	return ablationSets(evaluation.SDPPPoints, at(s, 2, 30, 300))
}

func (s Scale) ablationRule() evaluation.SDPP {
	orders := at(s, 50, evaluation.SDPPOrders, evaluation.SDPPOrders)
	return evaluation.SDPP{Labels: evaluation.DataLabels, Orders: orders, Seed: testSeed}
}

// ablationLaw describes the sets whose posterior is enumerated.
func (s Scale) ablationLaw() evaluation.Test { return ablationSets(exactPoints, at(s, 2, 50, 200)) }

// ablationScores cost more than a Quality, and have sets of their own: the mean SDPP of weights, and their distance to
// the posterior.
func (s *sheet) ablationScores(w weights) (evaluation.Scores, error) {
	where, rule, law := s.Scale.ablationOrders(), s.Scale.ablationRule(), s.Scale.ablationLaw()
	sdpp, err := cached.Value(w.dir, []any{"sdpp", where, rule}, func() (float64, error) {
		r, err := s.reader(w, where.Data)
		if err != nil {
			return 0, err
		}
		values, err := rule.Values(s.ctx, r, where.Sets)
		return stat.Mean(values, nil), err
	})
	if err != nil {
		return nil, err
	}
	e, err := cached.Value(w.dir, []any{"law scores", law}, func() (evaluation.Exactness, error) {
		net, err := w.Network(s.Backend)
		if err != nil {
			return evaluation.Exactness{}, err
		}
		return evaluation.Probabilities{Network: net}.AgainstEnumeration(s.ctx, law)
	})
	return evaluation.Scores{"SDPP": sdpp, "KL a point": e.Scores["KL a point"], "ECE": e.Scores["ECE"]}, err
}
