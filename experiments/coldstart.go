package experiments

import (
	"context"
	"errors"
	"fmt"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/train"
)

// coldStart trains GFNCP on MNIST by the paper's objective from the first step, and beside it with a warm start and NCP,
// all on the same sets, to see whether and when the first leaves its plateau.
var coldStart = Experiment{
	ID: "cold-start", Title: "The paper's objective from scratch, on images", Section: "beyond the paper",
	Shows:  "whether and when GFNCP leaves the data-independent plateau without a likelihood warm-up",
	Built:  "MNIST for GFNCP from scratch, GFNCP with a warm start, and NCP",
	Expect: "small: about 15 minutes a seed on 2 cores",
	run:    runColdStart,
	configs: func(s Scale) (all []NamedConfig) {
		for _, m := range coldStartMethods {
			all = append(all, NamedConfig{m.Name, s.coldStart(m)})
		}
		return all
	},
}

var coldStartMethods = []method{ncp, coldGFNCP, warmGFNCP}

// offPlateau is the NMI with the true clusters of validation sets above which a model has left the plateau, unless it
// finds more than twice the true number of clusters: one cluster for all has an NMI of 0, but each point in its own about 0.4.
const offPlateau = 0.3

// left reports whether a model's labels depend on the data.
func left(v train.Validation) bool { return v.NMI > offPlateau && v.Found <= 2*v.Truth }

// coldStart is how a method is trained at a scale: on smaller sets than the tables', but for GFNCP from scratch, whose run
// the tables share.
func (s Scale) coldStart(m method) train.Config {
	c := s.config(tableData[1], m, 0)
	if s == Small {
		c.Data = smallSets(c.Data)
	}
	return c
}

func runColdStart(ctx context.Context, lab *Lab) (*Product, error) {
	p := &Product{Table: &table.Table{
		ID: "cold-start", Title: "The paper's objective from scratch",
		Caption: "GFNCP on MNIST without and with a likelihood warm-up, beside NCP", Provenance: lab.Provenance,
	}}
	curves := []*plot.Curve{
		{Title: "Agreement with the true clusters of validation sets", XLabel: "training step", YLabel: "NMI of greedy decoding"},
		{Title: "Clusters found, over true ones", XLabel: "training step", YLabel: "ratio", LogY: true},
	}
	where := lab.Scale.test(tableData[1], 0)
	where.Data.NMin, where.Data.NMax = min(100, where.Data.NMin), min(100, where.Data.NMax)
	var failed error
	for _, m := range coldStartMethods {
		config, err := lab.overridden(lab.Scale.coldStart(m))
		if err != nil {
			return nil, err
		}
		name := m.run(tableData[1], 0)
		r := cellResult{}
		r.outcomes, r.err = lab.seeds(ctx, name, config, where)
		if errors.Is(r.err, train.ErrInterrupted) || errors.Is(r.err, sources.ErrMissing) {
			return nil, r.err
		}
		if r.err != nil && !errors.Is(r.err, errNotTrained) {
			failed = errors.Join(failed, r.err)
		}
		for _, metric := range []string{"NMI", "ARI", "MC", "clusters", "true clusters"} {
			cell := table.Cell{Data: "MNIST", Model: m.Name, Metric: metric}
			fill(&cell, lab, r)
			p.Table.Cells = append(p.Table.Cells, cell)
		}
		if len(r.outcomes) == 0 {
			continue
		}
		note, err := addCurves(curves, lab, name, config, m)
		if err != nil {
			return nil, err
		}
		p.Table.Footnotes = append(p.Table.Footnotes, note)
	}
	p.Figures = []table.Figure{
		{Name: "nmi", Caption: curves[0].Title + ", over the steps of training (seed 1).", Picture: curves[0]},
		{Name: "clusters", Caption: curves[1].Title + ", over the steps of training (seed 1).", Picture: curves[1]},
	}
	p.Table.Footnotes = append(p.Table.Footnotes, coldStartNotes(lab, where)...)
	return p, failed
}

// addCurves adds the validations of the first seed's run to the curves, and says when it left the plateau.
func addCurves(curves []*plot.Curve, lab *Lab, name string, c train.Config, m method) (note string, err error) {
	c.Seed = 1
	validations, err := train.ReadValidations(lab.dir(name, c))
	if err != nil {
		return "", err
	}
	nmi, ratio := plot.Series{Name: m.Name}, plot.Series{Name: m.Name}
	leftAt := 0
	for _, v := range validations {
		nmi.Steps, nmi.Values = append(nmi.Steps, v.Step), append(nmi.Values, v.NMI)
		ratio.Steps, ratio.Values = append(ratio.Steps, v.Step), append(ratio.Values, v.Found/v.Truth)
		if leftAt == 0 && left(v) {
			leftAt = v.Step
		}
	}
	curves[0].Series, curves[1].Series = append(curves[0].Series, nmi), append(curves[1].Series, ratio)
	last := validations[len(validations)-1]
	when := fmt.Sprintf("has not left the plateau after %d steps", last.Step)
	if leftAt > 0 {
		when = fmt.Sprintf("had left the plateau at step %d", leftAt)
	}
	return fmt.Sprintf("%s %s (validation sets: NMI above %g with at most twice the true clusters); at step %d it finds %.1f clusters of %.1f (NMI %.3f).",
		m.Name, when, offPlateau, last.Step, last.Found, last.Truth, last.NMI), nil
}

func coldStartNotes(lab *Lab, where evaluation.Test) []string {
	c := lab.Scale.coldStart(coldGFNCP)
	return []string{
		fmt.Sprintf("Trained on %d sets a step with N = %d..%d, CRP(1), %d steps (paper: 64 sets, 100..1000, 5,000 steps); validated every %d steps on %d sets.",
			c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Train.Steps, c.Train.ValidEvery, c.Train.ValidSets),
		fmt.Sprintf("Test: %d sets of %d test images, CRP(1), greedy decoding, weights of lowest validation loss.", where.Sets, where.Data.NMin),
	}
}
