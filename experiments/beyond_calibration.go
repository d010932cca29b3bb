package experiments

import (
	"context"
	"fmt"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/sampling"
)

// calibration asks how right the probabilities are where a person can see the clusters, and what makes them so.
var calibration = Experiment{
	ID: "calibration", Title: "Probabilities that are right", Section: "beyond the paper",
	Shows: "how far P(K) and the last decision are from the exact ones, on sets from the prior and on well " +
		"separated blobs",
	Built: "NCP, GFNCP and GFNCP with free flows on mixtures, each under the prior of its training, with and without " +
		"passes that draw early decisions again",
	Expect:  "small: from shipped weights, some 20 minutes on 2 cores; smoke: seconds",
	Configs: grid{sets: on(mogData), methods: []method{ncp, warmGFNCP, freeGFNCP}}.configs,
	run:     runCalibration,
}

// calibrated is a row: a method, and how its samples are drawn.
type calibrated struct {
	name string
	method
	redraw []float64
}

var calibratedRows = []calibrated{
	{name: "NCP", method: ncp},
	{name: "GFNCP (warm start)", method: warmGFNCP},
	{name: "GFNCP (free flows)", method: freeGFNCP},
	{name: "GFNCP (free flows), redrawn", method: freeGFNCP, redraw: sampling.DefaultRedraws},
}

// blobSizes are the K of the sets of balanced blobs.
func blobSizes(s Scale) []int { return at(s, []int{2, 4}, []int{2, 3, 4, 6, 8}, []int{2, 3, 4, 6, 8}) }

// calibrationPoints is N of the sets whose laws are compared.
func calibrationPoints(s Scale) int { return at(s, 25, gibbsPoints, gibbsPoints) }

// lastDecisionNumbers and lawNumbers are the columns.
var (
	lastDecisionNumbers = []number[evaluation.LastDecision]{
		{"KL", func(l evaluation.LastDecision) float64 { return l.KL }},
		{"P(new)", func(l evaluation.LastDecision) float64 { return l.New }},
		{"P(new) exact", func(l evaluation.LastDecision) float64 { return l.Exact }},
	}
	turnNumbers = []number[evaluation.Decisions]{
		{"excess", func(d evaluation.Decisions) float64 { return d.Excess() }},
		{"excess, first fifth", func(d evaluation.Decisions) float64 { return d.Early() }},
	}
	lawNumbers = []number[evaluation.Exactness]{
		{"TV of K", func(e evaluation.Exactness) float64 { return e.KTV }},
		{"K right", func(e evaluation.Exactness) float64 { return e.KRight }},
		{"E[K] − exact", func(e evaluation.Exactness) float64 { return e.K - e.TrueK }},
		{"ECE", func(e evaluation.Exactness) float64 { return e.ECE }},
	}
)

func runCalibration(s *sheet) error {
	sets, decisions := at(s.Scale, 2, 40, 200), at(s.Scale, 2, 40, 40)
	for _, where := range []struct {
		name, figure string
		blobs        []int
	}{{"sets from the prior", "prior", []int{0}}, {"balanced blobs", "blobs", blobSizes(s.Scale)}} {
		reliability := reliabilityChart(where.name)
		for _, row := range calibratedRows {
			if row.redraw == nil {
				last := row.lastDecision(s, where.blobs[len(where.blobs)/2], decisions)
				for _, n := range lastDecisionNumbers {
					n.add(s, table.Cell{Data: "last decision, " + where.name, Model: row.name}, last, last.value.Sets)
				}
				turns := row.inTurn(s, where.blobs, decisions)
				for _, n := range turnNumbers {
					n.add(s, table.Cell{Data: where.name, Model: row.name}, turns, turns.value.Sets)
				}
			}
			law := row.law(s, where.blobs, sets)
			for _, n := range lawNumbers {
				n.add(s, table.Cell{Data: where.name, Model: row.name}, law, law.value.Sets)
			}
			if law.err == nil {
				reliability.Add(reliabilitySeries(row.name, law.value.Reliability))
			}
		}
		s.Figures = append(s.Figures, table.Figure{
			Name: where.figure, Picture: reliability,
			Caption: "Calibration of co-clustering probabilities, " + where.name + ".",
		})
	}
	s.note(`Last decision: KL(exact‖model) in nats of one point's cluster given the true labels of all others, at N = 50 (blobs: 4),
		%d sets of 10 points; P(new) is the mean probability of a new cluster where the exact one is below ½.

		Excess: −log p of the true labels, met in one order, less the exact one, in nats a set: on sets from the prior the mean is
		KL(exact‖model) of the whole law. The first fifth of the decisions needs the most foresight.

		Laws at N = %d beside Gibbs sampling that knows the prior, %d sets of each kind: TV of K is the total variation of P(K), K
		right the share of sets whose most probable K is the exact one, E[K] − exact the difference of the expected number of clusters,
		ECE the calibration error of co-clustering. Samples: %d of a set, in one order. The blobs have %s equal clusters
		with means at least %d widths apart.

		Each model is judged under the prior of its own training (α log-uniform in 0.7..7 with K ≥ 2, or in 0.3..10): the sets
		differ a little between rows. Redrawn: passes that keep the labels of a quarter, a half and three quarters of the points, twice
		each, and draw the others anew.`,
		decisions, calibrationPoints(s.Scale), sets, calibrationSamples(s.Scale),
		fmt.Sprint(blobSizes(s.Scale)), evaluation.BlobSeparation)
	return nil
}

// calibrationSamples is the number of samples behind a law.
func calibrationSamples(s Scale) int { return at(s, 5, 100, 400) }

// lastDecision compares a row's last decision with the exact one.
func (r calibrated) lastDecision(s *sheet, blobs, sets int) measurement[evaluation.LastDecision] {
	key := []any{"last decision", blobs, sets}
	return measureCached(s, mogData, r.method, key, func(w weights) (l evaluation.LastDecision, err error) {
		s.say("calibration: last decision of %s", r.name)
		net, err := w.Network(s.Backend)
		if err != nil {
			return l, err
		}
		return evaluation.DecisionsOf(s.ctx, net, evaluation.PriorSets(w.Config.Data, testSeed, 50, blobs, sets), 10)
	})
}

// inTurn compares the decisions on the true labels with the exact ones.
func (r calibrated) inTurn(s *sheet, blobs []int, sets int) measurement[evaluation.Decisions] {
	key := []any{"in turn", blobs, sets}
	return measureCached(s, mogData, r.method, key, func(w weights) (d evaluation.Decisions, err error) {
		s.say("calibration: decisions of %s", r.name)
		net, err := w.Network(s.Backend)
		if err != nil {
			return d, err
		}
		return evaluation.InTurn(s.ctx, net, calibrationTests(s, w, blobs, sets)...)
	})
}

// calibrationTests are equally many sets for each number of blobs.
func calibrationTests(s *sheet, w weights, blobs []int, sets int) (tests []evaluation.Test) {
	for _, k := range blobs {
		n, each := calibrationPoints(s.Scale), max(1, sets/len(blobs))
		tests = append(tests, evaluation.PriorSets(w.Config.Data, testSeed, n, k, each))
	}
	return tests
}

// law compares a row's law of partitions with the exact one.
func (r calibrated) law(s *sheet, blobs []int, sets int) measurement[evaluation.Exactness] {
	samples := calibrationSamples(s.Scale)
	key := []any{"calibration", blobs, sets, samples, r.redraw}
	return measureCached(s, mogData, r.method, key, func(w weights) (e evaluation.Exactness, err error) {
		s.say("calibration: laws of %s", r.name)
		return r.evaluate(s.ctx, s, w, blobs, sets, samples)
	})
}

func (r calibrated) evaluate(
	ctx context.Context, s *sheet, w weights, blobs []int, sets, samples int,
) (e evaluation.Exactness, err error) {
	law := evaluation.Probabilities{Samples: samples, Redraw: r.redraw}
	if law.Model, err = w.Clusterer(s.Backend); err != nil {
		return e, err
	}
	if law.Network, err = w.Network(s.Backend); err != nil {
		return e, err
	}
	return law.AgainstGibbs(ctx, calibrationTests(s, w, blobs, sets)...)
}
