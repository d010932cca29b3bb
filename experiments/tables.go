package experiments

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gfncp/gfncp/datasets"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/report"
	"github.com/gfncp/gfncp/train"
)

// qualityTable is table 2 or 3: methods against data sets, with K fixed or free.
type qualityTable struct {
	id, title, caption string
	fixedK             int // 0: free
}

var (
	table2Spec = qualityTable{
		"table2", "Fixed number of clusters",
		"clustering quality (NMI, ARI) and order consistency (MC) with six clusters", 6,
	}
	table3Spec = qualityTable{
		"table3", "Arbitrary number of clusters",
		"clustering quality (NMI, ARI) and order consistency (MC) when the number of clusters is unknown", 0,
	}
	table2, table3 = table2Spec.experiment(), table3Spec.experiment()
)

func (q qualityTable) experiment() Experiment {
	return Experiment{
		ID: q.id, Title: q.title, Section: "5.3", Shows: q.caption,
		Built:   "MoG, MNIST and FMNIST for DAC, NCP and GFNCP, ST where K is fixed; beside them CCP, Gibbs and an oracle on MoG",
		Missing: "nothing",
		Expect:  "small: from shipped weights about 2 minutes on 2 cores, with --train always about an hour a seed; smoke: half a minute",
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
	for _, d := range tableData {
		for _, m := range tableMethods {
			if m.Model != "" && m.applies(d, q.fixedK) {
				all = append(all, NamedConfig{d.Name + ", " + m.Name, s.config(d, m, q.fixedK)})
			}
		}
	}
	return all
}

func (q qualityTable) run(ctx context.Context, lab *Lab) (*Product, error) {
	t := &report.Table{ID: q.id, Title: q.title, Caption: q.caption, Provenance: lab.Provenance}
	var failed error
	var remarks []string
	for _, d := range tableData {
		built, fault := q.methods(ctx, lab, d)
		if errors.Is(fault, train.ErrInterrupted) {
			return nil, fault
		}
		failed = errors.Join(failed, fault)
		for _, m := range tableMethods {
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

// methods finds or makes the results of every method on a data set. The error says what failed; missing data once.
func (q qualityTable) methods(ctx context.Context, lab *Lab, d dataset) (map[string]cellResult, error) {
	built := map[string]cellResult{}
	var noData error
	if lab.wantsAny(d, q.fixedK) {
		_, noData = datasets.PoolOf(lab.Scale.test(d, q.fixedK).Data)
	}
	failed := noData
	for _, m := range tableMethods {
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
	lab = lab.within(m)
	config, err := lab.overridden(lab.Scale.config(d, m, q.fixedK))
	if err != nil {
		return cellResult{err: err}
	}
	r.outcomes, r.err = lab.seeds(ctx, m.run(d, q.fixedK), config, where)
	return r
}

// within returns the lab as it is for a method: a small table is made of what is there, so the long trainings, of GFNCP from
// scratch and of the peers, are forbidden unless --train always asks for them.
func (l *Lab) within(m method) *Lab {
	long := m == coldGFNCP || !m.hasEnergies()
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
func (l *Lab) seeds(ctx context.Context, name string, c train.Config, t test) ([]outcome, error) {
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
func (q qualityTable) addRows(t *report.Table, lab *Lab, d dataset, built map[string]cellResult) error {
	for _, metric := range []string{"NMI", "ARI", "MC", "MC_eps", "MC_last"} {
		for _, m := range tableMethods {
			paper, err := paperValue(t.ID, d.Name, metric, m.Paper)
			if err != nil {
				return err
			}
			if !m.applies(d, q.fixedK) || strings.HasPrefix(metric, "MC") && !m.hasEnergies() {
				continue
			}
			cell := report.Cell{Data: d.Name, Model: m.Name, Metric: metric, Paper: paper}
			fill(&cell, lab, built[m.Name])
			t.Cells = append(t.Cells, cell)
		}
	}
	return nil
}

// fill puts the mean over the outcomes into a cell, or the reason why there is none.
func fill(cell *report.Cell, lab *Lab, r cellResult) {
	switch {
	case errors.Is(r.err, datasets.ErrMissing):
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

func fillOutcomes(cell *report.Cell, lab *Lab, outcomes []outcome) {
	cell.Scale, cell.Backend, cell.Selection = string(lab.Scale), lab.BackendName, "lowest validation loss"
	var values, seconds []float64
	for _, o := range outcomes {
		values = append(values, o.Quality.metric(cell.Metric))
		seconds = append(seconds, o.Seconds)
		cell.Seeds = append(cell.Seeds, o.Seed)
	}
	mean, std := metrics.Summary(values)
	cell.Ours = &report.Value{Mean: mean, N: len(values)}
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

// metric returns a number of a Quality by the name it has in the tables.
func (q Quality) metric(name string) float64 {
	return map[string]float64{
		"NMI": q.NMI, "ARI": q.ARI, "MC": q.MC, "MC_eps": q.MCEps, "MC_last": q.MCLast, "clusters": q.Clusters, "true clusters": q.Truth,
	}[name]
}

func (q qualityTable) notes(lab *Lab) []string {
	mog, points := lab.Scale.testSize(tableData[0])
	images, _ := lab.Scale.testSize(tableData[1])
	notes := []string{
		fmt.Sprintf("Test: sets of %d points, %d of MoG (%s) and %d of images (%s), greedy decoding; the paper tests on 3,000 and 10,000 sets of 300.",
			points, mog, q.prior(6), images, q.prior(1)),
		"GFNCP (paper) is trained by the paper's objective from the first step, GFNCP (warm start) by likelihood first, with a likelihood term kept beside the others; the paper prints one GFNCP, shown beside both.",
		"A scale that names a model means shipped weights (`gfncp describe NAME`), one seed; --train always trains the cell instead.",
		"MC is the exact sum over n = 2..N; MC_eps the mean per step with log-flows clamped at log(1e-5 + exp(·)), as the published code does; MC_last the term n = N alone, in which the energy's free scale enters. Which one the paper prints is not known.",
	}
	if q.fixedK > 0 {
		notes = append(notes, "ST on images: a likelihood over an embedding that is trained with it has no bound, so its components are matched with the true clusters here, which is this project's choice (docs/peers.md); it may be stronger or weaker than the paper's.")
	}
	for _, d := range tableData {
		if !lab.wantsAny(d, q.fixedK) {
			continue
		}
		if _, err := datasets.PoolOf(lab.Scale.test(d, q.fixedK).Data); errors.Is(err, datasets.ErrMissing) {
			notes = append(notes, fmt.Sprintf("No data for %s: run `gfncp data fetch %s`, or set GFNCP_DATA to the folder that holds it.", d.Name, d.Source))
		}
	}
	if lab.Scale != Paper {
		c, cold := lab.Scale.config(tableData[0], warmGFNCP, q.fixedK), lab.Scale.config(tableData[1], coldGFNCP, q.fixedK)
		notes = append(notes, fmt.Sprintf(
			"A cell trained at scale %s sees %d sets a step with N = %d..%d for %d steps (GFNCP (paper) on images: N = %d..%d; the paper: 64 sets, 100..1000, 5,000 steps); \"not trained\" cells need --train always. The MNIST cell of GFNCP (paper) in table 3 is a run of gfncp reproduce cold-start.",
			lab.Scale, c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Train.Steps, cold.Data.NMin, cold.Data.NMax))
	}
	if len(lab.Only) > 0 {
		notes = append(notes, "Limited to "+strings.Join(lab.Only, ", ")+".")
	}
	if len(lab.Overrides) > 0 {
		notes = append(notes, "Changed from the scale's own setting: "+strings.Join(lab.Overrides, ", ")+".")
	}
	return notes
}

// prior names how test sets draw their clusters.
func (q qualityTable) prior(alpha float64) string {
	if q.fixedK > 0 {
		return fmt.Sprintf("K = %d", q.fixedK)
	}
	return fmt.Sprintf("CRP(%g)", alpha)
}
