package experiments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/train"
)

const (
	exactnessTitle = "How close to the true posterior"
	exactnessShows = "how far the models' probabilities are from Bayes' rule on mixtures of Gaussians, where that is known"
)

// exactness judges the models' probabilities by the posterior itself: enumerated for small sets, sampled by Gibbs for larger.
var exactness = Experiment{
	ID: "exactness", Title: exactnessTitle, Section: "beyond the paper",
	Shows:  exactnessShows,
	Built:  "NCP, GFNCP and CCP against the exact posterior of 8 points and against Gibbs sampling of 100",
	Expect: "small: from shipped weights about 5 minutes on 2 cores",
	run:    runExactness,
	configs: func(s Scale) (all []NamedConfig) {
		for _, m := range lawfulMethods {
			all = append(all, NamedConfig{m.Name, s.config(tableData[0], m, 0)})
		}
		return all
	},
}

// lawfulMethods are those that give probabilities.
var lawfulMethods = []method{ncp, warmGFNCP, {Name: "CCP", Model: train.CCP}}

const (
	exactPoints = 8   // N of the enumerated sets: 4,140 partitions
	gibbsPoints = 100 // N of the sampled sets
)

// exactData are the sets on which probabilities are judged: α in the range that the shipped models were trained on, which is part
// of the prior that they know.
func exactData(points int) data.Config {
	c := data.DefaultMoG().HeldOut(1, points, 0)
	c.AlphaMin, c.AlphaMax = 0.7, 7
	return c
}

// exactnessValues lists what the table shows.
func exactnessValues(q evaluation.Exactness) map[string]float64 {
	return map[string]float64{
		"KL": q.KL, "KL a point": q.KL / exactPoints, "TV": q.TV, "TV of K": q.KTV, "E[K]": q.K, "E[K] true": q.TrueK,
		"co-clustering": q.CoClustering, "ECE": q.ECE,
	}
}

// lawMetrics are the rows of the table, by part.
var lawMetrics = map[string][]string{
	exactSets: {"KL", "KL a point", "TV", "E[K]", "E[K] true", "co-clustering", "ECE"},
	gibbsSets: {"TV of K", "E[K]", "E[K] true", "co-clustering", "ECE"},
}

const (
	exactSets = "N = 8"
	gibbsSets = "N = 100"
)

func runExactness(ctx context.Context, lab *Lab) (*Product, error) {
	p := &Product{
		Table: &table.Table{ID: "exactness", Title: exactnessTitle, Caption: exactnessShows, Provenance: lab.Provenance},
	}
	var failed error
	for _, part := range []string{exactSets, gibbsSets} {
		reliability := &plot.Curve{
			Title: "Calibration of co-clustering, " + part, XLabel: "predicted probability, %", YLabel: "share of pairs together, %",
			Series: []plot.Series{{Name: "calibrated", Steps: []int{0, 100}, Values: []float64{0, 100}}},
		}
		for _, m := range append([]method{{Name: referenceOf(part)}}, lawfulMethods...) {
			q, where, err := lab.exactness(ctx, part, m)
			switch {
			case errors.Is(err, train.ErrInterrupted):
				return nil, err
			case err != nil && !errors.Is(err, errNotTrained):
				failed = errors.Join(failed, fmt.Errorf("%s, %s: %w", part, m.Name, err))
			}
			addLaw(p.Table, lab, part, m.Name, q, where, err)
			if err == nil {
				reliability.Series = append(reliability.Series, reliabilitySeries(m.Name, q.Reliability))
			}
		}
		p.Figures = append(p.Figures, table.Figure{
			Name:    fmt.Sprintf("calibration-n%d", map[string]int{exactSets: exactPoints, gibbsSets: gibbsPoints}[part]),
			Caption: "Calibration of co-clustering probabilities, " + part + ": of the pairs to which a method gives a probability, the share that is together.",
			Picture: reliability,
		})
	}
	p.Table.Footnotes = exactnessNotes(lab)
	return p, failed
}

func referenceOf(part string) string {
	if part == exactSets {
		return "Exact"
	}
	return "Gibbs"
}

// addLaw adds a method's cells.
func addLaw(t *table.Table, lab *Lab, part, name string, q evaluation.Exactness, where string, err error) {
	for _, metric := range lawMetrics[part] {
		cell := table.Cell{Data: part, Model: name, Metric: metric}
		switch {
		case errors.Is(err, errNotTrained):
			cell.Note = "not trained"
		case err != nil:
			cell.Note = "failed"
		default:
			cell.Ours = &table.Value{Mean: exactnessValues(q)[metric], N: 1}
			cell.Scale, cell.Backend, cell.TestSets, cell.Seeds = where, lab.BackendName, q.Sets, []uint64{1}
		}
		t.Cells = append(t.Cells, cell)
	}
}

func reliabilitySeries(name string, bins []metrics.ReliabilityBin) plot.Series {
	s := plot.Series{Name: name}
	for _, b := range bins {
		s.Steps = append(s.Steps, int(100*b.Predicted+0.5))
		s.Values = append(s.Values, 100*b.Observed)
	}
	return s
}

func exactnessNotes(lab *Lab) []string {
	small, large := lab.Scale.lawSets()
	return []string{
		fmt.Sprintf("Sets: %d of %d points and %d of %d, α log-uniform in 0.7..7 and K ≥ 2, the prior of the shipped models' training. The reference knows this law too.", small, exactPoints, large, gibbsPoints),
		"Networks see sets whose median is subtracted, so the exact posterior is that of the points up to a shift (posterior.EnumerateCentred). log p of a network is that of the data's order.",
		"KL is KL(exact‖model) in nats, E[K] the expected number of clusters, co-clustering the mean |difference| of the probabilities that two points share a cluster, ECE their calibration error against the true labels (10 bins); the reference's own ECE is what finite sets leave.",
		"CCP's probabilities are estimates: at N = 8 its KL and TV are over the partitions that hold 99.9 % of the exact mass, which is a lower bound of the TV within 0.1 % and biased upwards in the KL by the estimate's noise; its K and co-clustering come from samples, as all numbers at N = 100 do.",
	}
}

// lawSets is the number of sets judged at N = 8 and at N = 100.
func (s Scale) lawSets() (small, large int) {
	if s == Smoke {
		return 3, 2
	}
	return 200, 50
}

// lawSamples is the number of samples behind a law that is not enumerated.
func (s Scale) lawSamples() int {
	if s == Smoke {
		return 20
	}
	return 200
}

// exactness judges one method in one part of the experiment, or reuses an earlier judgement. A method without a model is the
// reference itself.
func (l *Lab) exactness(ctx context.Context, part string, m method) (q evaluation.Exactness, where string, err error) {
	if m.Model == "" && l.plan != nil {
		return q, "", errNotTrained
	}
	dir := filepath.Join(l.Runs, "reference-"+m.Name)
	probabilities := evaluation.Probabilities{Samples: l.Scale.lawSamples()}
	if m.Model != "" {
		model, from, err := l.weights(ctx, tableData[0], m, 0)
		if err != nil {
			return q, "", err
		}
		if probabilities.Model, err = model.Clusterer(l.Backend); err != nil {
			return q, "", err
		}
		if !model.Config.IsPeer() {
			if probabilities.Network, err = model.Network(l.Backend); err != nil {
				return q, "", err
			}
		}
		dir, where = from.dir, from.name
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return q, where, fmt.Errorf("keep an evaluation: %w", err)
	}
	small, large := l.Scale.lawSets()
	l.say("exactness, %s: %s", part, m.Name)
	t, judge := evaluation.Test{Data: exactData(exactPoints), Sets: small, Seed: testSeed}, probabilities.AgainstEnumeration
	if part == gibbsSets {
		t, judge = evaluation.Test{Data: exactData(gibbsPoints), Sets: large, Seed: testSeed}, probabilities.AgainstGibbs
	}
	q, err = kept(dir, []any{"law", t, probabilities.Samples}, func() (evaluation.Exactness, error) { return judge(ctx, t) })
	return q, where, err
}
