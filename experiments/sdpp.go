package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/experiments/paper"
	"github.com/gfncp/gfncp/internal/cached"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/report/table"
)

const sdppShows = "how much the models' probabilities depend on the order of the data, set by set"

var (
	// sdppMethods are the models of the paper's figures, GFNCP under both ways to start; walkMethods are models whose
	// clusters of training images are walks, for a figure of images.
	sdppMethods = []method{ncp, coldGFNCP, warmGFNCP}
	walkMethods = []method{extendedNCP, freeGFNCP}
	labelRules  = []evaluation.LabelRule{evaluation.DataLabels, evaluation.LikelyLabels}
)

// sdppSize is the number of sets behind a histogram and of the orders of each (paper: 1,000 and 500).
func (s Scale) sdppSize(d dataset, labels evaluation.LabelRule) (sets, orders int) {
	switch {
	case s == Smoke:
		return 8, 50
	case d.Features && s != Paper: // of two data sets
		return 20, evaluation.SDPPOrders
	case s == Small && labels == evaluation.LikelyLabels:
		return 100, evaluation.SDPPOrders
	case s == Small:
		return 200, evaluation.SDPPOrders
	}
	return 1000, evaluation.SDPPOrders
}

type sdppValues map[evaluation.LabelRule][]float64

// sdppFigure is figure 1 or 5: the distribution of SDPP over sets, by model, data set and rule for the labels. xMax is
// where the paper's axis ends.
func sdppFigure(xMax float64) func(s *sheet) error {
	return func(s *sheet) error {
		for _, d := range s.grid.sets() {
			all := map[method]measurement[sdppValues]{}
			for _, m := range s.grid.methods {
				all[m] = sdppOf(s, d, m)
			}
			for _, rule := range labelRules {
				addSDPP(s, d, rule, all)
				addSDPPFigure(s, d, rule, all, xMax)
			}
			addPaired(s, d, all)
		}
		noteSDPP(s)
		return nil
	}
}

func noteSDPP(s *sheet) {
	first := s.grid.sets()[0]
	sets, orders := s.Scale.sdppSize(first, evaluation.DataLabels)
	likely, _ := s.Scale.sdppSize(first, evaluation.LikelyLabels)
	s.note(`SDPP of a set: standard deviation over mean of p(c|x) in %[1]d random orders (0: the order does not matter; at most
		√%[2]d); %[7]d sets (data) and %[3]d sets (likely) of %[4]d points of the test classes, CRP(1), the same sets and orders for every model.

		c is the true clustering ("data"), as the paper's text says, or the most likely of %[5]d samples of the model in the
		set's own order ("likely"), as the published code does; which one the paper's figure shows is not said, so its numbers
		stand beside both.

		The paper prints no numbers here. Its column is computed from the bars of its histogram, 1,000 sets each: the mean with
		each set in the middle of its bin, median and share with the sets of a bin spread evenly over it.

		GFNCP (paper) is trained by the paper's objective from the first step, GFNCP (warm start) by likelihood first, GFNCP
		(free flows) by ours; the paper's one GFNCP stands beside all. Models by walks share their training data, which the
		others lack: compare these with each other. "not trained" cells need a table that trains them, or --train always.

		%[6]s.

		The values of all sets are the x of the panel "cumulative share" in the figures' .json.`,
		orders, orders-1, likely, evaluation.SDPPPoints, evaluation.SDPPSamples, shippedNote, sets)
}

// sdppOf measures a method on a data set. GFNCP from scratch is not trained only for this figure.
func sdppOf(s *sheet, d dataset, m method) measurement[sdppValues] {
	return measure(s, d, m, func(f *measurement[sdppValues]) error {
		lab := *s.Lab
		if m == coldGFNCP && lab.Train == TrainMissing {
			lab.Train = TrainNever
		}
		w, err := lab.weights(s.ctx, d, m)
		if err != nil {
			return err
		}
		c := s.Scale.test(d, 0).Data
		c.NMin, c.NMax = evaluation.SDPPPoints, evaluation.SDPPPoints
		f.value, f.by = sdppValues{}, w
		for _, labels := range labelRules {
			sets, orders := s.Scale.sdppSize(d, labels)
			s.say("SDPP of %s on %s, %s: %d sets in %d orders", m.Name, d.Name, sdppWords[labels], sets, orders)
			rule := evaluation.SDPP{Labels: labels, Orders: orders, Seed: testSeed}
			f.value[labels], err = cached.Value(w.dir, []any{"sdpp", rule, c, sets}, func() ([]float64, error) {
				r, err := s.reader(w, c)
				if err != nil {
					return nil, err
				}
				return rule.Values(s.ctx, r, sets)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// reader opens a source of test sets for weights.
func (l *Lab) reader(w weights, c data.Config) (*evaluation.Reader, error) {
	source, err := sources.Source(c)
	if err != nil {
		return nil, err
	}
	net, err := w.Network(l.Backend)
	return &evaluation.Reader{Net: net, Source: source}, err
}

// sdppNumbers are the rows of a table of SDPP, from values or a histogram. Lower is better, except for the share.
var sdppNumbers = []struct {
	name  string
	ours  func(values []float64) float64
	paper func(h *paper.Histogram) float64
}{
	{"SDPP mean", func(v []float64) float64 { return stat.Mean(v, nil) }, (*paper.Histogram).Mean},
	{"SDPP median", median, (*paper.Histogram).Median},
	{"share below 1", shareBelow1, func(h *paper.Histogram) float64 { return h.Below(1) }},
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func shareBelow1(values []float64) float64 {
	return float64(floats.Count(func(v float64) bool { return v < 1 }, values)) / float64(len(values))
}

func addSDPP(s *sheet, d dataset, rule evaluation.LabelRule, all map[method]measurement[sdppValues]) {
	for _, numbers := range sdppNumbers {
		for _, m := range s.grid.methods {
			cell := table.Cell{Data: d.Name + ", " + string(rule), Model: m.Name, Incomparable: d.standsIn()}
			if bars := paper.Bars(s.Table.ID, d.Paper, m.Paper); bars != nil {
				cell.Paper = &table.Value{Mean: numbers.paper(bars)}
			}
			f := scored(all[m], func(v sdppValues) evaluation.Scores {
				return evaluation.Scores{numbers.name: numbers.ours(v[rule])}
			})
			f.sets = len(all[m].value[rule])
			s.add(cell, f, numbers.name)
		}
	}
}

// sdppPairs are models that saw the same data in training.
var sdppPairs = [][2]method{{coldGFNCP, ncp}, {freeGFNCP, extendedNCP}}

// addPaired adds a note on how much pairs of models differ on the same sets, with the data's labels.
func addPaired(s *sheet, d dataset, all map[method]measurement[sdppValues]) {
	for _, pair := range sdppPairs {
		a, b := all[pair[0]].value[evaluation.DataLabels], all[pair[1]].value[evaluation.DataLabels]
		if len(a) < 2 || len(a) != len(b) {
			continue
		}
		mean, deviation := stat.MeanStdDev(floats.SubTo(make([]float64, len(a)), a, b), nil)
		s.note(`%s, data: SDPP differs by %.3f ± %.3f from %s to %s. This is the mean over %d sets with its standard
			error.`, d.Name, mean, deviation/math.Sqrt(float64(len(a))), pair[1].Name, pair[0].Name, len(a))
	}
}

// addSDPPFigure draws the values of a data set under one rule, if there are any, with the paper's histograms behind.
func addSDPPFigure(
	s *sheet, d dataset, rule evaluation.LabelRule, all map[method]measurement[sdppValues], xMax float64,
) {
	var samples []figure.Sample
	sets := 0
	for _, m := range s.grid.methods {
		if values := all[m].value[rule]; len(values) > 0 {
			sets = len(values)
			samples = append(samples, figure.Sample{
				Name: fmt.Sprintf("%s (ours, %d sets)", sdppNames[m], sets), Values: values, Color: sdppColors[m],
			})
		}
	}
	if sets == 0 {
		return
	}
	behind := "paper"
	if d.standsIn() {
		behind += ", " + d.Paper
	}
	for _, m := range []method{ncp, warmGFNCP} {
		if bars := paper.Bars(s.Table.ID, d.Paper, m.Paper); bars != nil {
			samples = append(samples, figure.Sample{
				Name:  fmt.Sprintf("%s (%s)", m.Paper, behind),
				Edges: bars.Edges, Counts: bars.Counts, Color: sdppColors[m], Pale: true,
			})
		}
	}
	s.Figures = append(s.Figures, table.Figure{
		Name: d.Source + "-" + string(rule),
		Caption: fmt.Sprintf("SDPP of %d sets of %d points of %s, on %s: histogram as densities, and empirical CDF. "+
			"Pale: the bars of the paper's figure %s, 1,000 sets of %s.",
			sets, evaluation.SDPPPoints, d.Name, sdppWords[rule], strings.TrimPrefix(s.Table.ID, "figure"), d.Paper),
		Picture: figure.Distributions(fmt.Sprintf("SDPP on %s, %s", d.Name, sdppWords[rule]), "SDPP of a set", xMax,
			samples),
	})
}

var (
	sdppNames = map[method]string{
		ncp: "NCP", coldGFNCP: "GFNCP, no warm start", codeGFNCP: "GFNCP, published", warmGFNCP: "GFNCP, warm start",
		extendedNCP: "NCP, walks", freeGFNCP: "GFNCP, free flows, walks",
	}
	// places in the palette; the paper's bars share them
	sdppColors = map[method]int{warmGFNCP: 0, ncp: 1, coldGFNCP: 2, freeGFNCP: 3, extendedNCP: 4, codeGFNCP: 5}
	sdppWords  = map[evaluation.LabelRule]string{
		evaluation.DataLabels:   "the data's labels",
		evaluation.LikelyLabels: fmt.Sprintf("the most likely of %d samples", evaluation.SDPPSamples),
	}
)
