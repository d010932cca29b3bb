package experiments

import (
	"fmt"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/experiments/paper"
	"github.com/gfncp/gfncp/internal/report/table"
)

var table5 = Experiment{
	ID: "table5", Title: "Average score of the most probable samples", Section: "appendix",
	Shows:  "how good sampled clusterings are, and how good greedy decoding is",
	Built:  "MoG, MNIST and features for NCP and GFNCP, the average score beside greedy decoding on the same sets",
	Expect: "small: from shipped weights and the runs of table 4 14 minutes of processor time",
	grid: grid{
		sets: modeSets, methods: []method{ncp, extendedNCP, coldGFNCP, codeGFNCP, extendedGFNCP, warmGFNCP, freeGFNCP},
	},
	run: runTable5,
}

func (s Scale) averageSamples() int { return at(s, 120, 200, 500) }

// averageTest returns the test of the average score: few sets, but more at a low temperature, where samples repeat.
func (s Scale) averageTest(d dataset, temperature float64) evaluation.AverageTest {
	t := s.test(d, 0)
	switch {
	case s == Smoke:
		t.Sets = 2
	case d.Features && s != Paper:
		t.Sets = 40
	case temperature > 0:
		t.Sets = min(t.Sets, map[Scale]int{Small: 60, Night: 300, Paper: t.Sets}[s])
	case s != Paper:
		t.Sets = min(t.Sets, 12)
	}
	return evaluation.AverageTest{Test: t, Samples: s.averageSamples(), Temperature: temperature}
}

func runTable5(s *sheet) error {
	s.note(`NMI and ARI are means over the %d most probable of %d samples of a set, and then over sets; a labelling that is drawn
		twice counts twice. The paper does not say how many it draws.

		Greedy decoding stands beside it, of the sets of the last row before it; the paper's numbers there are those of its
		tables 3 and 4.

		T %g: samples drawn at that temperature, from p(c_n) to the power of 1/T, and ranked by p(c|x) itself. The authors'
		published code has this temperature in a version of its history; whether the paper's numbers are of such samples is
		not said, so they stand beside both.

		%s; others are the runs of tables 3 and 4, seed 1.`,
		evaluation.AverageOf, s.Scale.averageSamples(), authorsTemperature, shippedNote)
	for _, d := range s.grid.sets() {
		for _, m := range s.grid.rows(d) {
			most := averageOf(s, d, m, 0)
			addAverage(s, d, m, most, "")
			if !d.standsIn() {
				most = averageOf(s, d, m, authorsTemperature)
				addAverage(s, d, m, most, fmt.Sprintf(" at T %g", authorsTemperature))
			}
			addAverage(s, d, m, most, greedy)
		}
	}
	return nil
}

// authorsTemperature is a sampling temperature of the authors' published code.
const authorsTemperature = 0.05

func averageOf(s *sheet, d dataset, m method, temperature float64) measurement[evaluation.Scores] {
	t := s.Scale.averageTest(d, temperature)
	key := []any{"average scores", t}
	return measureCached(s, d, m, t.Test.Sets, key, func(w weights) (evaluation.Scores, error) {
		s.say("%s, %s: %d samples of each of %d sets", d.Name, m.Name, t.Samples, t.Test.Sets)
		r, err := s.reader(w, t.Test.Data)
		if err == nil {
			r, err = evaluation.NewReader(r.Net, r.Source, t.Test.Seed, t.Test.Sets)
		}
		if err != nil {
			return nil, err
		}
		return t.Mean(s.ctx, r)
	})
}

// greedy is the suffix of the metrics of greedy decoding.
const greedy = " greedy"

// addAverage adds a method's scores on a data set; the paper's numbers of greedy decoding are in its tables 3 and 4.
func addAverage(s *sheet, d dataset, m method, f measurement[evaluation.Scores], way string) {
	id, of := s.Table.ID, ""
	if way == greedy {
		id, of = "table3", greedy
		if d.Features {
			id = "table4"
		}
	}
	for _, name := range []string{"NMI", "ARI"} {
		cell := table.Cell{Data: d.Name, Model: m.Name, Incomparable: d.standsIn()}
		cell.Paper = paper.Cell(id, d.Paper, name, m.Paper)
		s.add(cell, scored(f, func(scores evaluation.Scores) evaluation.Scores {
			return evaluation.Scores{name + way: scores[name+of]}
		}), name+way)
	}
}
