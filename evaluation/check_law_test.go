package evaluation

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/posterior"
)

func testLaw(t *testing.T, n int) *checkLaw {
	t.Helper()
	c := data.DefaultMoG()
	c.Dim, c.SigmaMu, c.AlphaMin, c.AlphaMax, c.MinK = 1, 4, 0.7, 7, 1
	l, err := newCheckLaw(c, n)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// statisticsOf are the statistics of one labelling.
func statisticsOf(l *checkLaw, labels []int32, x []float64) (one []float64, err error) {
	var narrow []float32
	for _, v := range x {
		narrow = append(narrow, float32(v))
	}
	values, err := l.statistics(narrow, labels)
	if err != nil {
		return nil, err
	}
	for _, v := range values {
		one = append(one, v[0])
	}
	return one, nil
}

// By hand: sizes 3, 1, 1 of five points have entropy −(0.6·ln 0.6 + 2·0.2·ln 0.2) = 0.950271. The order of the
// clusters changes no bit of what depends on the sizes.
func TestCheckStatistics(t *testing.T) {
	l := testLaw(t, 5)
	x := []float64{-5, 0, 0.3, 0.1, 6}
	values, err := statisticsOf(l, []int32{0, 1, 1, 1, 2}, x)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{3, 3, 0.950271, 0} {
		if math.Abs(values[i]-want) > 1e-6 {
			t.Errorf("%s is %v, want %v", checkStatistics[i], values[i], want)
		}
	}
	other, err := statisticsOf(l, []int32{0, 0, 0, 1, 2}, x)
	if err != nil {
		t.Fatal(err)
	}
	if other[2] != values[2] || other[3] != 1 || other[4] == values[4] || len(values) != len(checkStatistics) {
		t.Errorf("another partition of the same sizes: %v, first %v", other, values)
	}
}

// log p differs between two partitions as the enumerated posterior does: up to a constant it is that posterior.
func TestCheckLogProbIsThePosterior(t *testing.T) {
	l := testLaw(t, 5)
	x := []float64{-3, -2.5, 0, 0.5, 4}
	exact, err := posterior.EnumerateCentred(l.model, l.prior, x)
	if err != nil {
		t.Fatal(err)
	}
	var offset float64
	for i, labels := range exact.Labels {
		values, err := statisticsOf(l, labels, x)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			offset = values[4] - exact.LogProb[0]
		}
		if math.Abs(values[4]-exact.LogProb[i]-offset) > 1e-9 {
			t.Errorf("%v: %v, want %v", labels, values[4], exact.LogProb[i]+offset)
		}
	}
}

// Points drawn anew have the law of the data: within a cluster differences of variance 2σ² = 2, between clusters 2σ²
// + 2τ² = 34 (4,000 sets: standard error of a variance √(2/4000) = 2 %), and the median of each set is 0.
func TestCheckRedraw(t *testing.T) {
	l := testLaw(t, 5)
	rng := rand.New(rand.NewPCG(1, 2))
	labels, x := []int32{0, 1, 1, 2, 0}, make([]float32, 5)
	var within, between float64
	const sets = 4000
	for range sets {
		l.redraw(rng, labels, x)
		sorted := slices.Sorted(slices.Values(x))
		if sorted[2] != 0 {
			t.Fatalf("the median of %v is not 0", x)
		}
		w, b := float64(x[1]-x[2]), float64(x[0]-x[3])
		within += w * w / sets
		between += b * b / sets
	}
	if math.Abs(within/2-1) > 0.09 || math.Abs(between/34-1) > 0.09 {
		t.Errorf("mean squared differences %v within and %v between clusters, want 2 and 34", within, between)
	}
}
