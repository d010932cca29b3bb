package experiments

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/plot"
	"github.com/gfncp/gfncp/internal/report/table"
)

// sdppNumbers are the rows of a table of SDPP: what they say about values, and about a histogram. SDPP is an error, so lower is
// better, and a larger share below 1.
var sdppNumbers = []struct {
	name  string
	ours  func(values []float64) float64
	paper func(h *sdppBars) float64
}{
	{"SDPP mean", func(v []float64) float64 { return stat.Mean(v, nil) }, (*sdppBars).mean},
	{"SDPP median", median, (*sdppBars).median},
	{"share below 1", func(v []float64) float64 { return shareBelow(v, 1) }, func(h *sdppBars) float64 { return h.below(1) }},
}

// median is the middle value, or the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func shareBelow(values []float64, bound float64) float64 {
	count := 0
	for _, v := range values {
		if v < bound {
			count++
		}
	}
	return float64(count) / float64(len(values))
}

// cells are the numbers of every method on a data set under one rule for the labels.
func (f sdppFigure) cells(lab *Lab, d dataset, rule evaluation.LabelRule, results map[string]sdppResult) ([]table.Cell, error) {
	var cells []table.Cell
	for _, number := range sdppNumbers {
		for _, m := range sdppMethods {
			cell := table.Cell{Data: d.Name + ", " + string(rule), Model: m.Name, Metric: number.name, Incomparable: d.standsIn()}
			bars, err := paperBars(f.id, d.Paper, m.Paper)
			if err != nil {
				return nil, err
			}
			if bars != nil {
				cell.Paper = &table.Value{Mean: number.paper(bars)}
			}
			r := results[m.Name]
			if r.err != nil {
				fill(&cell, lab, cellResult{err: r.err})
			} else {
				values := r.values[rule]
				cell.Ours = &table.Value{Mean: number.ours(values), N: 1}
				cell.Scale, cell.Backend, cell.TestSets, cell.Seeds = r.from.name, lab.BackendName, len(values), []uint64{1}
			}
			cells = append(cells, cell)
		}
	}
	return cells, nil
}

// figure draws the values of a data set under one rule, with the paper's histograms behind; nil if there are none.
func (f sdppFigure) figure(d dataset, rule evaluation.LabelRule, results map[string]sdppResult) (*table.Figure, error) {
	picture := &plot.Histogram{Title: fmt.Sprintf("SDPP on %s, %s", d.Name, sdppWords[rule]), XLabel: "SDPP of a set", XMax: f.xMax}
	sets := 0
	for _, m := range sdppMethods {
		if values := results[m.Name].values[rule]; len(values) > 0 {
			sets = len(values)
			picture.Series = append(picture.Series, plot.HistogramSeries{
				Name: fmt.Sprintf("%s (ours, %d sets)", sdppNames[m], sets), Values: values, Color: sdppColors[m],
			})
		}
	}
	if sets == 0 {
		return nil, nil
	}
	behind := "paper"
	if d.standsIn() {
		behind += ", " + d.Paper
	}
	for _, m := range []method{ncp, warmGFNCP} {
		bars, err := paperBars(f.id, d.Paper, m.Paper)
		if err != nil {
			return nil, err
		}
		if bars != nil {
			picture.Series = append(picture.Series, plot.HistogramSeries{
				Name: fmt.Sprintf("%s (%s)", m.Paper, behind), Edges: bars.Edges, Counts: bars.Counts, Color: sdppColors[m], Behind: true,
			})
		}
	}
	return &table.Figure{
		Name: d.Source + "-" + string(rule),
		Caption: fmt.Sprintf("SDPP of %d sets of %d points of %s, on %s: histogram as densities, and empirical CDF. Pale: the bars of the paper's figure %s, 1,000 sets of %s.",
			sets, evaluation.SDPPPoints, d.Name, sdppWords[rule], strings.TrimPrefix(f.id, "figure"), d.Paper),
		Picture: picture,
	}, nil
}

var (
	sdppNames  = map[method]string{ncp: "NCP", coldGFNCP: "GFNCP, no warm start", warmGFNCP: "GFNCP, warm start"}
	sdppColors = map[method]int{warmGFNCP: 0, ncp: 1, coldGFNCP: 2} // of report's palette; the paper's bars share them
	sdppWords  = map[evaluation.LabelRule]string{
		evaluation.DataLabels:   "the data's labels",
		evaluation.LikelyLabels: fmt.Sprintf("the most likely of %d samples", evaluation.SDPPSamples),
	}
)

// notes are the footnotes.
func (f sdppFigure) notes(lab *Lab) []string {
	sets, orders := lab.Scale.sdppSize(f.sets()[0])
	notes := []string{
		fmt.Sprintf("SDPP of a set: standard deviation over mean of p(c|x) in %d random orders (0: the order does not matter; at most √%d); %d sets of %d points of the test classes, CRP(1), the same sets and orders for every model.",
			orders, orders-1, sets, evaluation.SDPPPoints),
		fmt.Sprintf("c is the true clustering (\"data\"), as the paper's text says, or the most likely of %d samples of the model in the set's own order (\"likely\"), as the published code does; which one the paper's figure shows is not said, so its numbers stand beside both.", evaluation.SDPPSamples),
		"The paper prints no numbers here. Its column is computed from the bars of its histogram, 1,000 sets each: the mean with each set in the middle of its bin, median and share with the sets of a bin spread evenly over it.",
		"GFNCP (paper) is trained by the paper's objective from the first step, GFNCP (warm start) by likelihood first; the paper's one GFNCP stands beside both. \"not trained\" cells need a table that trains them, or --train always.",
		"A scale that names a model means shipped weights (`gfncp describe NAME`).",
		"The values of all sets are in the figures' .csv and .json, in rows of kind \"value\".",
	}
	if note := standInNote(f.sets()); note != "" {
		notes = append(notes, note)
	}
	for _, d := range f.sets() {
		if !lab.wantsAny(d, sdppMethods, 0) {
			continue
		}
		if _, err := sources.PoolOf(lab.Scale.test(d, 0).Data); errors.Is(err, sources.ErrMissing) {
			notes = append(notes, missingNote(d))
		}
	}
	return append(notes, lab.changes()...)
}
