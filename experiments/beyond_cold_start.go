package experiments

import (
	"fmt"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/train"
)

var coldStart = Experiment{
	ID: "cold-start", Title: "The paper's objective from scratch, on images", Section: "beyond the paper",
	Shows:   "whether and when GFNCP leaves the data-independent plateau without a likelihood warm-up",
	Built:   "MNIST for GFNCP from scratch, GFNCP with a warm start, and NCP",
	Expect:  "small: about 15 minutes a seed on 2 cores",
	caption: "GFNCP on MNIST without and with a likelihood warm-up, beside NCP",
	Configs: func(s Scale) []NamedConfig { return named(coldStartMethods, s.coldStart) },
	run:     runColdStart,
}

var coldStartMethods = []method{ncp, coldGFNCP, warmGFNCP}

// offPlateau is the NMI with the true clusters of validation sets above which a model has left the plateau, unless it
// finds more than twice the true number of clusters: one cluster for all has an NMI of 0, but each point in its own
// about 0.4.
const offPlateau = 0.3

// left reports whether a model's labels depend on the data.
func left(v train.Validation) bool { return v.NMI > offPlateau && v.Found <= 2*v.Truth }

// coldStart is how a method is trained at a scale: on smaller sets than the tables', but for GFNCP from scratch,
// whose run the tables share.
func (s Scale) coldStart(m method) train.Config {
	c := s.config(mnistData, m, 0)
	if s == Small {
		c.Data = smallSets(c.Data)
	}
	return c
}

func (s Scale) coldStartTest() evaluation.Test {
	t := s.test(mnistData, 0)
	t.Data.NMin, t.Data.NMax = min(100, t.Data.NMin), min(100, t.Data.NMax)
	return t
}

// coldStartCurves are drawn of the validations: agreement, and the number of clusters.
var coldStartCurves = []validationCurve{
	nmiCurve,
	{File: "clusters", Title: "Clusters found, over true ones", YLabel: "ratio", LogY: true, Of: clustersCurve.Of},
}

func runColdStart(s *sheet) error {
	s.Table.Title = "The paper's objective from scratch"
	var runs []validated
	for _, m := range coldStartMethods {
		config, err := s.overridden(s.Scale.coldStart(m))
		if err != nil {
			return err
		}
		name := m.run(mnistData, 0)
		r := measure(s, mnistData, m, func(r *results) (err error) {
			r.value, err = s.seeds(s.ctx, name, config, s.Scale.coldStartTest())
			return err
		})
		s.metrics(table.Cell{Data: "MNIST", Model: m.Name}, r, "NMI", "ARI", "MC", "clusters", "true clusters")
		if len(r.value) == 0 {
			continue
		}
		validations, err := s.validations(name, config)
		if err != nil {
			return err
		}
		runs = append(runs, validated{m.Name, validations})
		notePlateau(s, m, validations)
	}
	s.Figures = curveFigures(coldStartCurves, "", "", runs)
	c, where := s.Scale.coldStart(coldGFNCP), s.Scale.coldStartTest()
	s.note(`Trained on %d sets a step with N = %d..%d, CRP(1), %d steps (paper: 64 sets, 100..1000, 5,000 steps); validated every
		%d steps on %d sets.

		Test: %d sets of %d test images, CRP(1), greedy decoding, weights of lowest validation loss.`,
		c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Train.Steps, c.Train.ValidEvery,
		c.Train.ValidSets, where.Sets, where.Data.NMin)
	return nil
}

func notePlateau(s *sheet, m method, validations []train.Validation) {
	last := validations[len(validations)-1]
	when := fmt.Sprintf("has not left the plateau after %d steps", last.Step)
	for _, v := range validations {
		if left(v) {
			when = fmt.Sprintf("had left the plateau at step %d", v.Step)
			break
		}
	}
	s.note("%s %s (validation sets: NMI above %g with at most twice the true clusters); at step %d it finds %.1f "+
		"clusters of %.1f (NMI %.3f).", m.Name, when, offPlateau, last.Step, last.Found, last.Truth, last.NMI)
}
