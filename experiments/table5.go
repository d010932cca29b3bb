package experiments

import (
	"strings"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/table"
)

// table5 compares two ways to make a clustering out of a model: the mean score over its most probable samples, and greedy
// decoding (appendix sec:average_score).
var table5 = Experiment{
	ID: "table5", Title: "Average score of the most probable samples", Section: "appendix",
	Shows:   "quality of sampled clusterings beside that of greedy decoding",
	Built:   "MoG, MNIST and features for NCP and GFNCP, the average score beside greedy decoding on the same sets",
	Expect:  "small: from shipped weights and the runs of table 4 14 minutes of processor time",
	configs: averageGrid.configs,
	run:     runTable5,
}

// averageGrid has the paper's two rows, GFNCP with a warm start.
var averageGrid = grid{sets: modeSets, methods: []method{ncp, warmGFNCP}}

// averageSamples is the number of samples drawn of a set.
func (s Scale) averageSamples() int {
	return map[Scale]int{Smoke: 120, Small: 200, Paper: 500}[s]
}

// averageTest is where the average score is taken: fewer sets than for greedy decoding, because each is sampled many times.
func (s Scale) averageTest(d dataset) evaluation.AverageTest {
	t := s.test(d, 0)
	switch {
	case s == Smoke:
		t.Sets = 2
	case s == Small && d.Features:
		t.Sets = 40
	case s == Small:
		t.Sets = 12
	}
	return evaluation.AverageTest{Test: t, Samples: s.averageSamples()}
}

func runTable5(s *sheet) error {
	s.note(`NMI and ARI are means over the %d most probable of %d samples of a set, and then over sets; a labelling that is drawn
		twice counts twice. The paper does not say how many it draws.

		Greedy decoding of the same sets stands beside it; the paper's numbers there are those of its tables 3 and 4.

		%s; others are the runs of tables 3 and 4, seed 1.`, evaluation.AverageOf, s.Scale.averageSamples(), shippedNote)
	for _, d := range averageGrid.sets() {
		for _, m := range averageGrid.methods {
			q, err := attempt(s, d, m, func() (from[evaluation.Average], error) { return averageOf(s, d, m) })
			addAverage(s, d, m, q, err)
		}
	}
	return nil
}

// averageOf measures a method on a data set, or returns what an earlier call kept.
func averageOf(s *sheet, d dataset, m method) (from[evaluation.Average], error) {
	t := s.Scale.averageTest(d)
	return measured(s, d, m, t, func(w weights) (evaluation.Average, error) {
		s.say("%s, %s: %d samples of each of %d sets", d.Name, m.Name, t.Samples, t.Test.Sets)
		net, err := w.Network(s.Backend)
		if err != nil {
			return evaluation.Average{}, err
		}
		source, err := s.source(t.Test.Data)
		if err != nil {
			return evaluation.Average{}, err
		}
		return t.Score(s.ctx, net, source)
	})
}

// addAverage adds a method's four numbers on a data set, with the paper's: those of greedy decoding stand in its tables 3 and 4.
func addAverage(s *sheet, d dataset, m method, a from[evaluation.Average], err error) {
	greedyTable := "table3"
	if d.Features {
		greedyTable = "table4"
	}
	for _, column := range []struct {
		metric, table string
		value         float64
	}{
		{"NMI", "table5", a.value.NMI},
		{"ARI", "table5", a.value.ARI},
		{"NMI greedy", greedyTable, a.value.GreedyNMI},
		{"ARI greedy", greedyTable, a.value.GreedyARI},
	} {
		cell := table.Cell{Data: d.Name, Model: m.Name, Metric: column.metric, Incomparable: d.standsIn()}
		cell.Paper = printed(column.table, d.Paper, strings.TrimSuffix(column.metric, " greedy"), m.Paper)
		s.one(cell, column.value, a.value.Sets, a.origin, err)
	}
}
