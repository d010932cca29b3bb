package paper

import (
	"math"
	"slices"
	"testing"

	"github.com/gfncp/gfncp/internal/report/table"
)

// The paper's histograms hold 1,000 sets each, as its appendix says; what is read off them was computed once more, by
// a few lines of Python on the same bars.
func TestPaperBars(t *testing.T) {
	for _, want := range []struct {
		figure, data, model string
		mean, median, below float64
	}{
		{"figure1", "MNIST", "GFNCP", 1.1739, 0.9176, 0.5453},
		{"figure1", "MNIST", "NCP", 2.1325, 1.5427, 0.2860},
		{"figure5", "IN50", "GFNCP", 5.3103, 4.9609, 0.0500},
		{"figure5", "IN50", "NCP", 8.8839, 8.2111, 0.0478},
		{"figure5", "IN200", "GFNCP", 6.1607, 5.5130, 0.0202},
		{"figure5", "IN200", "NCP", 10.6791, 9.8905, 0.0044},
	} {
		bars := Bars(want.figure, want.data, want.model)
		if bars == nil || bars.Sets() != 1000 || len(bars.Counts) != 20 ||
			len(bars.Edges) != 21 || !slices.IsSorted(bars.Edges) {
			t.Fatalf("%s, %s, %s: %+v", want.figure, want.data, want.model, bars)
		}
		for i, got := range []float64{
			bars.Mean() - want.mean, bars.Median() - want.median, bars.Below(1) - want.below,
		} {
			if math.Abs(got) > 6e-5 {
				t.Errorf("%s, %s, %s: number %d is off by %g", want.figure, want.data, want.model, i, got)
			}
		}
	}
	if bars := Bars("figure1", "IN50", "NCP"); bars != nil {
		t.Error("figure 1 has no IN50")
	}
}

// By hand: 1 set in [0,1) and 3 in [2,4) have the mean (0.5 + 3·3)/4, a quarter below 1, and half below 2 + 2/3.
func TestBarsByHand(t *testing.T) {
	h := &Histogram{Edges: []float64{0, 1, 2, 4}, Counts: []float64{1, 0, 3}}
	for name, v := range map[string][2]float64{
		"mean": {h.Mean(), 9.5 / 4}, "below 1": {h.Below(1), 0.25}, "below 3": {h.Below(3), 0.25 + 0.375},
		"below 9": {h.Below(9), 1},
		"median":  {h.Median(), 2 + 2./3},
	} {
		if math.Abs(v[0]-v[1]) > 1e-12 {
			t.Errorf("%s is %g, want %g", name, v[0], v[1])
		}
	}
}

// Some cells of the paper, read off its tables by eye.
func TestCells(t *testing.T) {
	if n := Cell("table3", "MoG", "MC", "GFNCP"); n == nil || n.Mean != 41.1 || *n.Std != 19.8 {
		t.Errorf("table 3, MoG, MC, GFNCP: %+v", n)
	}
	if Cell("table3", "MoG", "MC", "DAC") != nil {
		t.Error("DAC has no MC")
	}
	for _, want := range []struct {
		property, method string
		want             *table.Value
	}{
		{"data_permutation_invariance", "GFNCP", &table.Value{Mean: 1}},
		{"data_permutation_invariance", "NCP", &table.Value{}},
		{"well_defined_posterior", "ST", nil},
		{"well_defined_posterior", "k-means", nil},
	} {
		got := Cell("table1", want.property, "holds", want.method)
		if (got == nil) != (want.want == nil) || got != nil && got.Mean != want.want.Mean {
			t.Errorf("%s of %s: %+v", want.property, want.method, got)
		}
	}
}
