package experiments

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/train"
)

// protocol scores the weights of every 100 steps of a training by two rules.
var protocol = Experiment{
	ID: "protocol", Title: "One training under two rules", Section: "beyond the paper",
	Shows: "what the published code's evaluation adds to the same weights along a training, for models that differ " +
		"in the objective alone",
	Built:   "MoG, MNIST and FMNIST for NCP and GFNCP, by the paper's and by most of the published recipe",
	Expect:  "smoke: a minute of processor time; night: 10 to 120 minutes of training a row, on 2 cores",
	grid:    protocolGrid,
	configs: protocolConfigs,
	run:     runProtocol,
}

// pairNCP and pairGFNCP are trained as codeGFNCP is, but by likelihood and by the paper's objective.
var (
	pairNCP   = method{Name: "NCP (published data)", Paper: "NCP", Model: train.NCP, Start: StartPublished}
	pairGFNCP = method{
		Name: "GFNCP (paper; published data)", Paper: "GFNCP", Model: train.GFNCP, Start: StartPair,
	}
	protocolMethods = []method{codeGFNCP, pairNCP, pairGFNCP}
	protocolGrid    = grid{sets: on(tableData...), methods: protocolMethods}
)

// protocolEvery is the number of steps between scored weights: as in the published code, fewer at scale smoke.
func (s Scale) protocolEvery() int { return at(s, 6, 100, 100) }

func protocolConfigs(s Scale) []NamedConfig {
	all := protocolGrid.configs(s)
	for i := range all {
		all[i].Config.Train.KeepEvery = s.protocolEvery()
	}
	return all
}

// scoredStep holds the protocolScores of the weights of a step.
type scoredStep struct {
	Step   int
	Scores evaluation.Scores
}

// training holds the scores of a run's steps. Scores by the published rule are the largest so far.
type training struct {
	steps []scoredStep
	final evaluation.Scores // independent ones of the weights with the lowest validation loss, others of the last step
}

// protocolScores are the two scores that the published code prints, each of independent sets, the same ones for all
// steps, and of one evaluation by its rule.
var protocolScores = []string{"NMI", "NMI" + byPublished, "ARI", "ARI" + byPublished}

func runProtocol(s *sheet) error {
	sets := at(s.Scale, 8, evaluation.PublishedSets, evaluation.PublishedSets)
	for _, d := range s.grid.sets() {
		test := s.Scale.test(d, 0)
		test.Sets = sets
		all := map[method]measurement[training]{}
		for _, m := range s.grid.methods {
			all[m] = measure(s, d, m, func(f *measurement[training]) (err error) {
				f.sets = evaluation.PublishedSets
				f.value, f.by, err = s.scoredSteps(d, m, test)
				return err
			})
			final := scored(all[m], func(t training) evaluation.Scores { return t.final })
			s.add(table.Cell{Data: d.Name, Model: m.Name}, final, protocolScores...)
		}
		s.addProtocolFigure(d, all)
	}
	s.note(`Independent: %d sets of 300 points, each with its own partition, the same sets for all steps; the cells have the
		weights of lowest validation loss. Published: at every %d steps one evaluation as the authors' published code makes it, %[3]d
		sets that share one partition and one order, a new one each time. The code keeps the largest NMI and the largest ARI so far,
		each by itself; the cells have these maxima at the end of the training.`,
		sets, s.Scale.protocolEvery(), evaluation.PublishedSets)
	s.note(`The rows of a data set have the same network, data, batch, steps and rate. GFNCP (published) explores by merges
		of whole clusters, with Reg on data steps alone, and clamps flows at 1e-5, as the published code does.`)
	return nil
}

// scoredSteps trains a method on a data set, or reads its finished run, and scores the weights that it kept.
func (s *sheet) scoredSteps(d dataset, m method, test evaluation.Test) (t training, w weights, err error) {
	name, c, within, err := s.cell(d, m, 0)
	if err != nil {
		return t, w, err
	}
	c.Train.KeepEvery = s.Scale.protocolEvery()
	w, err = within.trained(s.ctx, name, c)
	if err != nil {
		return t, w, err
	}
	kept := train.Kept(w.dir)
	t.final = evaluation.Scores{}
	for i, path := range kept {
		step, err := cached.Value(w.dir, []any{"protocol scores", i, test}, func() (scoredStep, error) {
			return s.scoreStep(path, test, i)
		})
		if err != nil {
			return t, w, fmt.Errorf("%s: %w", path, err)
		}
		for _, name := range []string{"NMI" + byPublished, "ARI" + byPublished} {
			if before, known := t.final[name]; known {
				step.Scores[name] = max(step.Scores[name], before)
			}
		}
		t.steps, t.final = append(t.steps, step), maps.Clone(step.Scores)
	}
	best, err := s.quality(s.ctx, w.dir, w.Model, test)
	t.final["NMI"], t.final["ARI"] = best.NMI, best.ARI
	return t, w, err
}

// scoreStep scores a file of weights. place is the number of published evaluations before this one.
func (s *sheet) scoreStep(path string, test evaluation.Test, place int) (scored scoredStep, err error) {
	m, err := train.ReadModel(path)
	if err != nil {
		return scored, err
	}
	scored.Step = m.Card.Steps
	independent, err := sources.Source(test.Data)
	if err != nil {
		return scored, err
	}
	own, err := evaluation.Model(s.ctx, s.Backend, m, independent, test.Seed, test.Sets)
	if err != nil {
		return scored, err
	}
	shared, err := sources.Source(evaluation.PublishedTest(test.Data))
	if err != nil {
		return scored, err
	}
	published, err := evaluation.ByPublished(s.ctx, s.Backend, m, shared, test.Seed+uint64(place), 1)
	scored.Scores = evaluation.Scores{
		"NMI": own.NMI, "NMI" + byPublished: published.NMI, "ARI": own.ARI, "ARI" + byPublished: published.ARI,
	}
	s.say("step %d: NMI %.3f, published %.3f", scored.Step, own.NMI, published.NMI)
	return scored, err
}

func (s *sheet) addProtocolFigure(d dataset, all map[method]measurement[training]) {
	chart := &figure.Chart{Title: "Independent sets (dots) and the published rule (steps): " + d.Name, Columns: 2}
	for pair := range slices.Chunk(protocolScores, 2) {
		panel := figure.Panel{XLabel: "optimizer steps", YLabel: pair[0]}
		for color, m := range s.grid.methods {
			t := all[m].value
			if len(t.steps) == 0 {
				continue
			}
			line := figure.Series{Name: m.Name, Color: color, Mark: figure.Dotted}
			published := figure.Series{Name: m.Name + ", published rule", Color: color, Mark: figure.Steps, Pale: true}
			for _, step := range t.steps {
				line.X, line.Y = append(line.X, float64(step.Step)), append(line.Y, step.Scores[pair[0]])
				published.Y = append(published.Y, step.Scores[pair[1]])
			}
			published.X = line.X
			panel.Series = append(panel.Series, line, published)
		}
		chart.Panels = append(chart.Panels, panel)
	}
	if len(chart.Panels[0].Series) > 0 {
		s.Figures = append(s.Figures, table.Figure{
			Name: d.Source, Caption: chart.Title + "; the weights of every " +
				fmt.Sprint(s.Scale.protocolEvery()) + " steps of one training.",
			Picture: chart,
		})
	}
}
