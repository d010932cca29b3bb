package experiments

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/train"
)

// table5 compares two ways to make a clustering out of a model: the mean score over its most probable samples, and greedy
// decoding (appendix sec:average_score).
var table5 = Experiment{
	ID: "table5", Title: table5Title, Section: "appendix", Shows: table5Shows,
	Built:  "MoG, MNIST and features for NCP and GFNCP, the average score beside greedy decoding on the same sets",
	Expect: "small: from shipped weights and the runs of table 4 14 minutes of processor time",
	run:    runTable5,
	configs: func(s Scale) (all []NamedConfig) {
		for _, d := range modeSets() {
			for _, m := range averageMethods {
				all = append(all, NamedConfig{d.Name + ", " + m.Name, s.config(d, m, 0)})
			}
		}
		return all
	},
}

const (
	table5Title = "Average score of the most probable samples"
	table5Shows = "quality of sampled clusterings beside that of greedy decoding"
)

// averageMethods are the rows: the paper's two, GFNCP with a warm start.
var averageMethods = []method{ncp, warmGFNCP}

// averageSamples is the number of samples drawn of a set.
func (s Scale) averageSamples() int {
	return map[Scale]int{Smoke: 120, Small: 200, Paper: 500}[s]
}

// averageTest is where the average score is taken: fewer sets than for greedy decoding, because each is sampled many times.
func (s Scale) averageTest(d dataset) evaluation.Test {
	t := s.test(d, 0)
	switch {
	case s == Smoke:
		t.Sets = 2
	case s == Small && d.Features:
		t.Sets = 40
	case s == Small:
		t.Sets = 12
	}
	return t
}

func runTable5(ctx context.Context, lab *Lab) (*Product, error) {
	t := &table.Table{ID: "table5", Title: table5Title, Caption: table5Shows, Provenance: lab.Provenance}
	sets := modeSets()
	var failed error
	for _, d := range sets {
		missing := false
		for _, m := range averageMethods {
			q, where, err := lab.average(ctx, d, m)
			switch {
			case errors.Is(err, train.ErrInterrupted):
				return nil, err
			case errors.Is(err, sources.ErrMissing):
				if !missing {
					t.Footnotes, failed = append(t.Footnotes, missingNote(d)), errors.Join(failed, err)
				}
				missing = true
			case err != nil && !errors.Is(err, errNotTrained) && !errors.Is(err, errLeftOut):
				failed = errors.Join(failed, fmt.Errorf("%s, %s: %w", d.Name, m.Name, err))
			}
			cells, err := averageCells(lab, d, m, q, where, err)
			if err != nil {
				return nil, err
			}
			t.Cells = append(t.Cells, cells...)
		}
	}
	t.Footnotes = append(table5Notes(lab, sets), t.Footnotes...)
	return &Product{Table: t}, failed
}

// average measures a method on a data set, or returns what an earlier call kept.
func (l *Lab) average(ctx context.Context, d dataset, m method) (evaluation.Average, origin, error) {
	if !l.wants(d, m) {
		return evaluation.Average{}, origin{}, errLeftOut
	}
	where := l.Scale.averageTest(d)
	if _, err := sources.PoolOf(where.Data); err != nil {
		return evaluation.Average{}, origin{}, err
	}
	model, from, err := l.weights(ctx, d, m, 0)
	if err != nil {
		return evaluation.Average{}, from, err
	}
	key := evaluation.AverageTest{Test: where, Samples: l.Scale.averageSamples()}
	q, err := kept(from.dir, key, func() (evaluation.Average, error) {
		l.say("%s, %s: %d samples of each of %d sets", d.Name, m.Name, key.Samples, where.Sets)
		net, err := model.Network(l.Backend)
		if err != nil {
			return evaluation.Average{}, err
		}
		source, err := sources.Source(where.Data)
		if err != nil {
			return evaluation.Average{}, err
		}
		return key.Score(ctx, net, source)
	})
	return q, from, err
}

// averageCells are a method's four numbers on a data set, with the paper's: those of greedy decoding stand in its tables 3
// and 4.
func averageCells(lab *Lab, d dataset, m method, q evaluation.Average, from origin, fault error) (cells []table.Cell, err error) {
	greedyTable := "table3"
	if d.Features {
		greedyTable = "table4"
	}
	for _, column := range []struct {
		metric, table string
		value         float64
	}{
		{"NMI", "table5", q.NMI},
		{"ARI", "table5", q.ARI},
		{"NMI greedy", greedyTable, q.GreedyNMI},
		{"ARI greedy", greedyTable, q.GreedyARI},
	} {
		cell := table.Cell{Data: d.Name, Model: m.Name, Metric: column.metric, Incomparable: d.standsIn()}
		if cell.Paper, err = paperValue(column.table, d.Paper, strings.TrimSuffix(column.metric, " greedy"), m.Paper); err != nil {
			return nil, err
		}
		if fault != nil {
			fill(&cell, lab, cellResult{err: fault})
		} else {
			cell.Scale, cell.Backend, cell.TestSets, cell.Seeds = from.name, lab.BackendName, q.Sets, []uint64{1}
			cell.Ours = &table.Value{Mean: column.value, N: 1}
		}
		cells = append(cells, cell)
	}
	return cells, nil
}

func table5Notes(lab *Lab, sets []dataset) []string {
	notes := []string{
		fmt.Sprintf("NMI and ARI are means over the %d most probable of %d samples of a set, and then over sets; a labelling that is drawn twice counts twice. The paper does not say how many it draws.", evaluation.AverageOf, lab.Scale.averageSamples()),
		"Greedy decoding of the same sets stands beside it; the paper's numbers there are those of its tables 3 and 4.",
		"A scale that names a model means shipped weights (`gfncp describe NAME`); others are the runs of tables 3 and 4, seed 1.",
	}
	if note := standInNote(sets); note != "" {
		notes = append(notes, note)
	}
	return append(notes, lab.changes()...)
}
