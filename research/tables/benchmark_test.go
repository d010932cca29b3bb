package main

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/research/tables/rivals"
	"github.com/gfncp/gfncp/research/tables/tablesets"
)

// emptySheet is a sheet with an empty folder of answers.
func emptySheet(t *testing.T) *sheet {
	t.Helper()
	return &sheet{
		ctx: context.Background(), dir: t.TempDir(), say: func(string, ...any) {}, table: &table.Table{},
	}
}

// realTable computes the table of two real sets without rivals.
func realTable(s *sheet) *table.Table {
	s.table = &table.Table{ID: "tables-real", Title: "Real tables", Caption: "no rivals"}
	sets := tablesets.Shipped()[:2]
	ours := []scores{must.M1(s.mixtureScores(0, sets))}
	s.addCells(benchmarks[0].groups(sets), ours)
	s.addProfile(sets, ours)
	must.M(s.table.Check())
	return s.table
}

// installed passes an error on, or skips a test for which an interpreter or a package is missing.
func installed(t *testing.T, err error) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), "apt-get install") {
		t.Skip(err)
	}
	must.M(err)
}

// The mixture fills its cells, and a second call computes nothing again.
func TestTablesAreKept(t *testing.T) {
	s := emptySheet(t)
	first := realTable(s)
	values := map[string]float64{}
	for _, c := range first.Cells {
		if c.Model == mixtureTable && c.Ours != nil {
			values[c.Data+", "+c.Metric] = c.Ours.Mean
		}
	}
	mean := (values["iris (150 × 4, K 3), ARI"] + values["penguins (342 × 4, K 3), ARI"]) / 2
	if got, known := values["mean of 2 sets, ARI"]; !known || !(math.Abs(got-mean) < 1e-12) {
		t.Errorf("the mean ARI is %g, want %g: %v", got, mean, values)
	}
	if !(values["mean of 2 sets, ECE"] > 0) || !(values["mean of 2 sets, CPU s"] > 0) {
		t.Errorf("the numbers are %v", values)
	}
	records := s.table.Figures[0].Picture.Records()
	if len(records.Rows) != 2 || records.Rows[0][0] != "iris" || records.Rows[0][4] != mixtureTable {
		t.Errorf("the figure's data are %v", records.Rows)
	}
	s.say = func(format string, args ...any) { t.Errorf("computed again: "+format, args...) }
	again := realTable(s)
	if !slices.EqualFunc(again.Cells, first.Cells, func(a, b table.Cell) bool {
		return a.Ours == nil == (b.Ours == nil) && (a.Ours == nil || a.Ours.Mean == b.Ours.Mean)
	}) {
		t.Error("a second call gave other numbers")
	}
}

// With R and Python, rivals cluster two small sets and are kept.
func TestTablesOfRivals(t *testing.T) {
	s := emptySheet(t)
	all, _, err := s.rivals(tablesets.Shipped()[:1])
	installed(t, err)
	for _, v := range all {
		if j := v.of[0]; j.ARI < 0.3 || j.Fault != "" || j.Seconds < 0 {
			t.Errorf("%s on iris: %+v", v.name, j)
		}
	}
	var cancel context.CancelFunc
	s.ctx, cancel = context.WithCancel(s.ctx)
	cancel()
	if again, _ := must.M2(s.rivals(tablesets.Shipped()[:1])); again[0].of[0] != all[0].of[0] {
		t.Error("kept answers differ")
	}
}

// By hand: two clusters of two, one point of each taken for noise. Noise as one cluster gives the table [1 0 1; 0 1 1]
// with ARI (0 − 1·2/6)/((1 + 2)/2 − 2/6) = −2/7.
func TestScoreByHand(t *testing.T) {
	j := must.M1(scoreLabels([]int32{0, 0, 1, 1}, []int32{0, rivals.Noise, 1, rivals.Noise}))
	if j.K != 2 || j.Off != 0 || !(math.Abs(j.ARI+2./7) < 1e-12) {
		t.Errorf("half of the points noise: %+v", j)
	}
	j = must.M1(scoreLabels([]int32{0, 0, 1, 1}, []int32{rivals.Noise, rivals.Noise, rivals.Noise, rivals.Noise}))
	if j.K != 1 || j.Off != 1 || j.ARI != 0 {
		t.Errorf("nothing but noise, which is one cluster: %+v", j)
	}
	j = must.M1(scoreLabels([]int32{0, 0, 1, 1}, []int32{5, 5, 2, 2}))
	if j.K != 2 || j.ARI != 1 || j.NMI != 1 {
		t.Errorf("the same labels: %+v", j)
	}
}

// By hand: a set with two pairs in a bin and one with four: each set counts a half, one without doubtful pairs nothing.
// The gaps are .2 and −.22. Without one set the error is .22 or .2, whose half difference is the standard error.
func TestPooledByHand(t *testing.T) {
	bin := func(weight, predicted, observed float64) metrics.ReliabilityBin {
		return metrics.ReliabilityBin{Low: 0.2, High: 0.3, Weight: weight, Predicted: predicted, Observed: observed}
	}
	got, deviation := pooledECE([]*ownAnswer{
		{Bins: []metrics.ReliabilityBin{bin(2, 0.2, 0)}}, {Bins: []metrics.ReliabilityBin{bin(4, 0.28, 0.5)}}, {},
	})
	if !(math.Abs(got-0.01) < 1e-12) || !(math.Abs(deviation-0.01) < 1e-12) {
		t.Errorf("the calibration error of both is %g ± %g", got, deviation)
	}
}

// Three points by hand: the first two are together, with probability .25. One pair is not doubtful.
func TestReliabilityOfPairs(t *testing.T) {
	bins := must.M1(reliabilityOf([][]float64{{1, .25, .05}, {.25, 1, .04}, {.05, .04, 1}}, []int32{0, 0, 1}))
	if len(bins) != 2 || bins[0].Weight != 1 || bins[0].Observed != 0 ||
		bins[1].Predicted != 0.25 || bins[1].Observed != 1 {
		t.Errorf("the bins are %v", bins)
	}
	if none := must.M1(reliabilityOf([][]float64{{1, 1}, {1, 1}}, []int32{0, 0})); none != nil {
		t.Errorf("no pair is doubtful, but the bins are %v", none)
	}
}
