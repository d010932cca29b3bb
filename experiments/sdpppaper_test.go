package experiments

import (
	"math"
	"testing"

	"github.com/janpfeifer/must"
)

// The paper's histograms hold 1,000 sets each, as its appendix says; what is read off them was computed once more, by a few lines of
// Python on the same bars.
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
		bars := must.M1(paperBars(want.figure, want.data, want.model))
		if bars == nil || bars.sets() != 1000 || len(bars.Counts) != 20 {
			t.Fatalf("%s, %s, %s: %+v", want.figure, want.data, want.model, bars)
		}
		for i, got := range []float64{bars.mean() - want.mean, bars.median() - want.median, bars.below(1) - want.below} {
			if math.Abs(got) > 6e-5 {
				t.Errorf("%s, %s, %s: number %d is off by %g", want.figure, want.data, want.model, i, got)
			}
		}
	}
	if bars := must.M1(paperBars("figure1", "IN50", "NCP")); bars != nil {
		t.Error("figure 1 has no IN50")
	}
}

// By hand: 1 set in [0,1) and 3 in [2,4) have the mean (0.5 + 3·3)/4, a quarter below 1, and half below 2 + 2/3.
func TestBarsByHand(t *testing.T) {
	h := &sdppBars{Edges: []float64{0, 1, 2, 4}, Counts: []float64{1, 0, 3}}
	for name, v := range map[string][2]float64{
		"mean": {h.mean(), 9.5 / 4}, "below 1": {h.below(1), 0.25}, "below 3": {h.below(3), 0.25 + 0.375}, "below 9": {h.below(9), 1},
		"median": {h.median(), 2 + 2./3},
	} {
		if math.Abs(v[0]-v[1]) > 1e-12 {
			t.Errorf("%s is %g, want %g", name, v[0], v[1])
		}
	}
	if m := median([]float64{5, 1, 3, 2}); m != 2.5 || shareBelow([]float64{0.5, 1, 3, 0}, 1) != 0.5 {
		t.Errorf("median %g, share %g", m, shareBelow([]float64{0.5, 1, 3, 0}, 1))
	}
}
