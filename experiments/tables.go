package experiments

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/train"
)

// qualityTable scores methods against data sets, with K fixed or free: tables 2, 3, 4 and 6.
type qualityTable struct {
	id, title, section, caption string
	built, expect               string
	sets                        func() []dataset
	methods                     []method
	fixedK                      int                     // 0: free
	remarks                     func(lab *Lab) []string // what its footnotes say beside those of all; may be nil
}

var (
	table2Spec = qualityTable{
		id: "table2", title: "Fixed number of clusters", section: "5.3",
		caption: "clustering quality (NMI, ARI) and order consistency (MC) with six clusters",
		built:   "MoG, MNIST and FMNIST for ST, DAC, NCP and GFNCP; beside them CCP and an oracle on MoG",
		expect:  fromShipped,
		sets:    pointSets, methods: tableMethods, fixedK: 6, remarks: fixedRemarks,
	}
	table3Spec = qualityTable{
		id: "table3", title: "Arbitrary number of clusters", section: "5.3",
		caption: "clustering quality (NMI, ARI) and order consistency (MC) when the number of clusters is unknown",
		built:   "MoG, MNIST and FMNIST for DAC, NCP and GFNCP; beside them CCP, Gibbs sampling and an oracle on MoG",
		expect:  fromShipped,
		sets:    pointSets, methods: tableMethods, remarks: imageRemarks,
	}
	table2, table3 = table2Spec.experiment(), table3Spec.experiment()
)

const fromShipped = "small: from shipped weights about 2 minutes on 2 cores, with --train always about an hour a seed; smoke: half a minute"

func pointSets() []dataset { return tableData }

func (q qualityTable) experiment() Experiment {
	return Experiment{
		ID: q.id, Title: q.title, Section: q.section, Shows: q.caption,
		Built: q.built, Expect: q.expect,
		run:     q.run,
		configs: func(s Scale) []NamedConfig { return q.configs(s) },
	}
}

// NamedConfig is how a cell is trained.
type NamedConfig struct {
	Name   string
	Config train.Config
}

func (q qualityTable) configs(s Scale) (all []NamedConfig) {
	for _, d := range q.sets() {
		for _, m := range q.methods {
			if m.Model != "" && m.applies(d, q.fixedK) {
				all = append(all, NamedConfig{d.Name + ", " + m.Name, s.config(d, m, q.fixedK)})
			}
		}
	}
	return all
}

func (q qualityTable) run(ctx context.Context, lab *Lab) (*Product, error) {
	t := &table.Table{ID: q.id, Title: q.title, Caption: q.caption, Provenance: lab.Provenance}
	var failed error
	var remarks []string
	for _, d := range q.sets() {
		built, fault := q.results(ctx, lab, d)
		if errors.Is(fault, train.ErrInterrupted) {
			return nil, fault
		}
		failed = errors.Join(failed, fault)
		for _, m := range q.methods {
			if r := built[m.Name]; len(r.outcomes) > 0 && r.outcomes[0].Remark != "" {
				remarks = append(remarks, r.outcomes[0].Remark)
			}
		}
		if err := q.addRows(t, lab, d, built); err != nil {
			return nil, err
		}
	}
	t.Footnotes = append(q.notes(lab), remarks...)
	return &Product{Table: t}, failed
}

// cellResult is what a method reached on a data set, a run or pretrained weights each.
type cellResult struct {
	outcomes []outcome
	err      error
}

// results finds or makes the results of every method on a data set. The error says what failed; missing data once.
func (q qualityTable) results(ctx context.Context, lab *Lab, d dataset) (map[string]cellResult, error) {
	built := map[string]cellResult{}
	var noData error
	if lab.wantsAny(d, q.methods, q.fixedK) {
		_, noData = sources.PoolOf(lab.Scale.test(d, q.fixedK).Data)
	}
	failed := noData
	for _, m := range q.methods {
		if !m.applies(d, q.fixedK) {
			continue
		}
		r := cellResult{err: noData}
		if !lab.wants(d, m) {
			r.err = errLeftOut
		} else if noData == nil {
			r = q.cell(ctx, lab, d, m)
			if errors.Is(r.err, train.ErrInterrupted) {
				return nil, r.err
			}
			if r.err != nil && !errors.Is(r.err, errNotTrained) {
				failed = errors.Join(failed, fmt.Errorf("%s, %s: %w", d.Name, m.Name, r.err))
			}
		}
		built[m.Name] = r
	}
	return built, failed
}

// cell finds or makes the outcomes of a method on a data set.
func (q qualityTable) cell(ctx context.Context, lab *Lab, d dataset, m method) (r cellResult) {
	where := lab.Scale.test(d, q.fixedK)
	if m.Reference != "" {
		o, err := lab.reference(ctx, m.Reference, where)
		if err != nil {
			return cellResult{err: err}
		}
		return cellResult{outcomes: []outcome{o}}
	}
	if weights, ok := lab.shippedFor(d, m); ok {
		o, err := lab.pretrained(ctx, weights, where)
		if err != nil {
			return cellResult{err: err}
		}
		return cellResult{outcomes: []outcome{o}}
	}
	lab = lab.within(d, m)
	config, err := lab.overridden(lab.Scale.config(d, m, q.fixedK))
	if err != nil {
		return cellResult{err: err}
	}
	r.outcomes, r.err = lab.seeds(ctx, m.run(d, q.fixedK), config, where)
	return r
}

// within returns the lab as it is for a cell: a small table is made of what is there, so the long trainings, of GFNCP from
// scratch, of the peers and of the online mode, are forbidden unless --train always asks for them. Those on features are short.
func (l *Lab) within(d dataset, m method) *Lab {
	long := !d.Features && (m == coldGFNCP || m.Online || !m.hasEnergies())
	if !long || l.Scale != Small || l.Train != TrainMissing {
		return l
	}
	quiet := *l
	quiet.Train = TrainNever
	return &quiet
}

// shippedFor returns the pretrained weights for a cell, if they may be used. They are not of the paper's scale, where they
// only stand in if nothing may be trained.
func (l *Lab) shippedFor(d dataset, m method) (*train.Model, bool) {
	name := m.shipped(d)
	if name == "" || l.Shipped == nil || l.Train == TrainAlways || l.Scale == Paper && l.Train != TrainNever {
		return nil, false
	}
	return l.Shipped(name)
}

// seeds runs a config under every seed. Seeds that fail are left out and reported in the error.
func (l *Lab) seeds(ctx context.Context, name string, c train.Config, t evaluation.Test) ([]outcome, error) {
	var outcomes []outcome
	var failed error
	for seed := range l.Seeds {
		c.Seed = uint64(seed + 1)
		o, err := l.trained(ctx, name, c, t)
		switch {
		case errors.Is(err, train.ErrInterrupted):
			return nil, err
		case err != nil:
			failed = errors.Join(failed, fmt.Errorf("seed %d: %w", c.Seed, err))
		default:
			outcomes = append(outcomes, o)
		}
	}
	if len(outcomes) > 0 && errors.Is(failed, errNotTrained) {
		failed = nil // some seeds are there, and the cell says how many
	}
	return outcomes, failed
}

// addRows adds the cells of one data set: the metrics that the paper prints, for every method that it compares, and the
// two parts of MC that it does not.
func (q qualityTable) addRows(t *table.Table, lab *Lab, d dataset, built map[string]cellResult) error {
	for _, metric := range evaluation.MetricsOf("NMI", "ARI", "MC", "MC_eps", "MC_last") {
		for _, m := range q.methods {
			paper, err := paperValue(t.ID, d.Paper, metric.Name, m.Paper)
			if err != nil {
				return err
			}
			if !m.applies(d, q.fixedK) || metric.Energies && !m.hasEnergies() {
				continue
			}
			cell := table.Cell{Data: d.Name, Model: m.Name, Metric: metric.Name, Paper: paper, Incomparable: d.standsIn()}
			fill(&cell, lab, built[m.Name])
			t.Cells = append(t.Cells, cell)
		}
	}
	return nil
}

// fill puts the mean over the outcomes into a cell, or the reason why there is none.
func fill(cell *table.Cell, lab *Lab, r cellResult) {
	switch {
	case errors.Is(r.err, sources.ErrMissing):
		cell.Note = "no data"
	case errors.Is(r.err, errLeftOut):
		cell.Note = "left out"
	case errors.Is(r.err, errNotTrained):
		cell.Note = "not trained"
	case len(r.outcomes) == 0:
		cell.Note = "failed"
	default:
		fillOutcomes(cell, lab, r.outcomes)
	}
}

func fillOutcomes(cell *table.Cell, lab *Lab, outcomes []outcome) {
	cell.Scale, cell.Backend, cell.Selection = string(lab.Scale), lab.BackendName, "lowest validation loss"
	metric, _ := evaluation.FindMetric(cell.Metric)
	var values, seconds []float64
	for _, o := range outcomes {
		if metric.Name != "" { // else the caller fills it in
			values = append(values, metric.Of(o.Quality))
		} else {
			values = append(values, 0)
		}
		seconds = append(seconds, o.Seconds)
		cell.Seeds = append(cell.Seeds, o.Seed)
	}
	mean, std := metrics.Summary(values)
	cell.Ours = &table.Value{Mean: mean, N: len(values)}
	if len(values) > 1 {
		cell.Ours.Std = &std
	}
	cell.Seconds, _ = metrics.Summary(seconds)
	first := outcomes[0]
	cell.Steps, cell.TestSets = first.Steps, first.Quality.Sets
	switch {
	case first.Shipped != "":
		cell.Scale = first.Shipped
	case first.Reference:
		cell.Scale, cell.Selection = "no training", ""
	case len(outcomes) < lab.Seeds:
		cell.Note = fmt.Sprintf("%d of %d seeds", len(outcomes), lab.Seeds)
	}
}

// notes are the footnotes: those of every table, the table's own, and what was changed.
func (q qualityTable) notes(lab *Lab) []string {
	notes := []string{
		q.testNote(lab),
		"GFNCP (paper) is trained by the paper's objective from the first step, GFNCP (warm start) by likelihood first, with a likelihood term kept beside the others; the paper prints one GFNCP, shown beside both.",
		"A scale that names a model means shipped weights (`gfncp describe NAME`), one seed; --train always trains the cell instead.",
		"MC is the exact sum over n = 2..N; MC_eps the mean per step with log-flows clamped at log(1e-5 + exp(·)), as the published code does; MC_last the term n = N alone, in which the energy's free scale enters. Which one the paper prints is not known.",
	}
	if q.remarks != nil {
		notes = append(notes, q.remarks(lab)...)
	}
	if note := standInNote(q.sets()); note != "" {
		notes = append(notes, note)
	}
	for _, d := range q.sets() {
		if !lab.wantsAny(d, q.methods, q.fixedK) {
			continue
		}
		if _, err := sources.PoolOf(lab.Scale.test(d, q.fixedK).Data); errors.Is(err, sources.ErrMissing) {
			notes = append(notes, missingNote(d))
		}
	}
	return append(notes, lab.changes()...)
}

// missingNote says how to get a data set that is not there.
func missingNote(d dataset) string {
	return fmt.Sprintf("No data for %s: run `gfncp data fetch %s`, or set GFNCP_DATA to the folder that holds it.", d.Name, d.Source)
}

// changes says what the user changed.
func (l *Lab) changes() (notes []string) {
	if len(l.Only) > 0 {
		notes = append(notes, "Limited to "+strings.Join(l.Only, ", ")+".")
	}
	if len(l.Overrides) > 0 {
		notes = append(notes, "Changed from the scale's own setting: "+strings.Join(l.Overrides, ", ")+".")
	}
	return notes
}

// testNote says what every data set is tested on.
func (q qualityTable) testNote(lab *Lab) string {
	var tests []string
	for _, d := range q.sets() {
		sets, points := lab.Scale.testSize(d)
		prior := fmt.Sprintf("CRP(%g)", d.Alpha)
		if q.fixedK > 0 {
			prior = fmt.Sprintf("K = %d", q.fixedK)
		}
		tests = append(tests, fmt.Sprintf("%s %d sets of %d points (%s)", d.Name, sets, points, prior))
	}
	return "Test, with greedy decoding: " + strings.Join(tests, ", ") + ". The paper tests on 3,000 sets of MoG and 10,000 of images, of 300 points each, and on 2,500 of ImageNet's features."
}

// imageRemarks says how cells of MoG and images are trained at a smaller scale than the paper's.
func imageRemarks(lab *Lab) []string {
	if lab.Scale == Paper {
		return nil
	}
	c, cold := lab.Scale.config(mogData, warmGFNCP, 0), lab.Scale.config(mnistData, coldGFNCP, 0)
	return []string{fmt.Sprintf(
		"A cell trained at scale %s sees %d sets a step with N = %d..%d for %d steps (GFNCP (paper) on images: N = %d..%d; the paper: 64 sets, 100..1000, 5,000 steps); \"not trained\" cells need --train always. The MNIST cell of GFNCP (paper) in table 3 is a run of gfncp reproduce cold-start.",
		lab.Scale, c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Train.Steps, cold.Data.NMin, cold.Data.NMax)}
}

func fixedRemarks(lab *Lab) []string {
	return append([]string{
		"ST on images: a likelihood over an embedding that is trained with it has no bound, so its components are matched with the true clusters here, which is this project's choice (docs/peers.md); it may be stronger or weaker than the paper's.",
	}, imageRemarks(lab)...)
}
