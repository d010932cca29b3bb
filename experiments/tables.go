package experiments

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/report"
	"github.com/gfncp/gfncp/train"
)

const (
	table3ID      = "table3"
	table3Title   = "Arbitrary number of clusters"
	table3Caption = "clustering quality (NMI, ARI) and order consistency (MC) when the number of clusters is unknown"
)

var table3 = Experiment{
	ID:      table3ID,
	Title:   table3Title,
	Section: "5.3",
	Shows:   table3Caption,
	Built:   "MoG for NCP and GFNCP",
	Missing: "MoG for DAC; MNIST and FMNIST",
	Expect:  "smoke: under 2 minutes on 2 cores; small: about 20 minutes; paper: one GPU (not measured yet)",
	run:     runTable3,
	config:  Scale.mogConfig,
}

// testSeed separates test sets from everything that training sees; their stream is another one as well.
const testSeed = 20250503

func runTable3(ctx context.Context, lab *Lab) (*report.Table, error) {
	t := &report.Table{ID: table3ID, Title: table3Title, Caption: table3Caption, Provenance: lab.Provenance}
	sets, points := lab.Scale.testSize()
	where := test{Data: data.DefaultMoG(), Sets: sets, Seed: testSeed}
	where.Data.Stream, where.Data.Batch, where.Data.NMin, where.Data.NMax = "test", 16, points, points
	var failed error
	built := map[string][]outcome{}
	for _, model := range []string{train.NCP, train.GFNCP} {
		config, err := lab.Scale.mogConfig(model).Set(lab.Overrides...)
		if err != nil {
			return nil, err
		}
		outcomes, err := lab.seeds(ctx, "mog-"+model, config, where)
		if errors.Is(err, train.ErrInterrupted) {
			return nil, err
		}
		failed = errors.Join(failed, err)
		built[model] = outcomes
	}
	for _, name := range []string{"MoG", "MNIST", "FMNIST"} {
		if err := addRows(t, lab, name, built); err != nil {
			return nil, err
		}
	}
	t.Footnotes = table3Notes(lab.Scale, sets, points)
	if len(lab.Overrides) > 0 {
		t.Footnotes = append(t.Footnotes, "Changed from the scale's own setting: "+strings.Join(lab.Overrides, ", ")+".")
	}
	return t, failed
}

// seeds runs a config under every seed. Seeds that fail are left out and reported in the error.
func (l *Lab) seeds(ctx context.Context, name string, c train.Config, t test) ([]outcome, error) {
	var outcomes []outcome
	var failed error
	for seed := range l.Seeds {
		c.Seed = uint64(seed + 1)
		o, err := l.outcome(ctx, name, c, t)
		if errors.Is(err, train.ErrInterrupted) {
			return nil, err
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("seed %d: %w", c.Seed, err))
			continue
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, failed
}

// addRows adds the cells of one data set for every model that the paper compares.
func addRows(t *report.Table, lab *Lab, name string, built map[string][]outcome) error {
	for _, metric := range []string{"NMI", "ARI", "MC"} {
		for _, model := range []string{"DAC", "NCP", "GFNCP"} {
			paper, err := paperValue(t.ID, name, metric, model)
			if err != nil {
				return err
			}
			if paper == nil {
				continue
			}
			cell := report.Cell{Data: name, Model: model, Metric: metric, Paper: paper, Note: report.NotBuilt}
			if key := modelKey(model); name == "MoG" && key != "" {
				fill(&cell, lab, built[key])
			}
			t.Cells = append(t.Cells, cell)
		}
	}
	if name != "MoG" {
		return nil
	}
	for _, metric := range []string{"MC_eps", "MC_last"} {
		for _, model := range []string{"NCP", "GFNCP"} {
			cell := report.Cell{Data: name, Model: model, Metric: metric}
			fill(&cell, lab, built[modelKey(model)])
			t.Cells = append(t.Cells, cell)
		}
	}
	return nil
}

// modelKey is the name under which a model of the paper is trained, or "" if it is not built.
func modelKey(model string) string {
	return map[string]string{"NCP": train.NCP, "GFNCP": train.GFNCP}[model]
}

// fill puts the mean over seeds into a cell.
func fill(cell *report.Cell, lab *Lab, outcomes []outcome) {
	cell.Note, cell.Scale, cell.Backend = "", string(lab.Scale), lab.BackendName
	if len(outcomes) == 0 {
		cell.Note = "failed"
		return
	}
	if len(outcomes) < lab.Seeds {
		cell.Note = fmt.Sprintf("%d of %d seeds", len(outcomes), lab.Seeds)
	}
	var values, seconds []float64
	for i, o := range outcomes {
		values = append(values, o.Quality.metric(cell.Metric))
		seconds = append(seconds, o.Train.Seconds)
		cell.Seeds = append(cell.Seeds, uint64(i+1))
	}
	mean, std := metrics.Summary(values)
	cell.Ours = &report.Value{Mean: mean, N: len(values)}
	if len(values) > 1 {
		cell.Ours.Std = &std
	}
	cell.Seconds, _ = metrics.Summary(seconds)
	cell.Steps, cell.TestSets = outcomes[0].Train.Steps, outcomes[0].Quality.Sets
	cell.Selection = "lowest validation loss"
}

// metric returns a number of a Quality by the name it has in the tables.
func (q Quality) metric(name string) float64 {
	return map[string]float64{"NMI": q.NMI, "ARI": q.ARI, "MC": q.MC, "MC_eps": q.MCEps, "MC_last": q.MCLast}[name]
}

func table3Notes(scale Scale, sets, points int) []string {
	notes := []string{
		fmt.Sprintf("Test: %d sets of %d points, CRP(6), greedy decoding; the paper tests on 3,000 sets of 300.", sets, points),
		"MC is the exact sum over n = 2..N; MC_eps the mean per step with log-flows clamped at log(1e-5 + exp(·)), as the published code does; MC_last the term n = N alone, in which the energy's free scale enters. Which one the paper prints is not known.",
	}
	if scale == Paper {
		return notes
	}
	c := scale.mogConfig(train.GFNCP)
	return append(notes, fmt.Sprintf(
		"Scale %s trains on %d sets a step with N = %d..%d (paper: 64, 100..1000, 5,000 steps); GFNCP here starts with %d likelihood steps and keeps a likelihood term of weight %g (paper: neither).",
		scale, c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Train.WarmupSteps, c.Loss.NLLWeight))
}
